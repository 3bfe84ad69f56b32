"""Sizes of dirs are of replicas; an unknown value of a dir is null, never 0."""

from typing import Any

from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from spark.cases import Case, each_case
from spark.landed_items import Item, item, missing_read, published


def held(broker: int, log_dir: str, partition: int, size: int, **more: Any) -> Item:
    """A replica of topic t in a dir of 1000 bytes, half of them free."""
    volume = {"total_bytes": 1000, "usable_bytes": 500, "error_code": 0, "is_future": False}
    return item(broker, 2, log_dir=log_dir, topic="t", partition=partition, size=size, **volume | more)


def bare(broker: int, log_dir: str, error_code: int = 0) -> Item:
    return item(broker, 2, log_dir=log_dir, error_code=error_code)


def led(partition: int, leader: int) -> Item:
    return item(1, 1, topic="t", partition=partition, leader_id=leader)


def named(*nodes: int, state: str = "alive", replicas: int | None = None) -> list[Item]:
    return [published(0, broker_id=node, state=state, replicas=replicas) for node in nodes]


def unread(broker: int, error: str) -> Any:
    return missing_read("DescribeLogDirs", "log_dirs", broker, error)


PARTITIONS = [led(0, 1), led(1, -1), led(2, 2)]
LOG_DIRS = [
    held(1, "/a", 0, 100),
    held(1, "/a", 1, 40),
    held(1, "/b", 2, 60),
    held(1, "/b", 1, 10, is_future=True),
    held(2, "/a", 0, 90),
    held(2, "/a", 2, 70),
    bare(2, "/b"),
    bare(3, "/a"),
    bare(3, "/b"),
    held(4, "/a", 3, 100),
    bare(4, "/b", 56),  # its replicas are not in the answer
    held(5, "/a", 3, 340, is_cordoned=True),
    held(5, "remote://bucket", 0, 9000),  # Redpanda lists it for each broker, with partitions that local dirs hold too
    held(6, "/a", 3, 500),  # the first page of a broken walk
]
SUMS = "replicas replica_bytes leader_replicas leader_bytes future_replicas future_bytes"
RATIOS = "broker_bytes share_of_broker skew"
# Data is counted once, on leaders, and disks as often as there are replicas. The mean is 100: of the eight online dirs.
ONLINE = {
    (1, "/a"): (2, 140, 1, 100, 0, 0, 200, 0.7, 1.4),
    (1, "/b"): (1, 60, 0, 0, 1, 10, 200, 0.3, 0.6),
    (2, "/a"): (2, 160, 1, 70, 0, 0, 160, 1.0, 1.6),
    (2, "/b"): (0, 0, 0, 0, 0, 0, 160, 0.0, 0.0),
    (3, "/a"): (0, 0, 0, 0, 0, 0, 0, None, 0.0),
    (3, "/b"): (0, 0, 0, 0, 0, 0, 0, None, 0.0),
    (4, "/a"): (1, 100, 0, 0, 0, 0, 100, 1.0, 1.0),
    (5, "/a"): (1, 340, 0, 0, 0, 0, 340, 1.0, 3.4),
}
# A broker that is gone, here broker 8, was not asked, and has no row; a fenced one was, unless it holds nothing.
UNREGISTER = (
    "it is fenced and holds no replica; if it was decommissioned: "
    "kafka-cluster.sh unregister --bootstrap-server HOST:PORT"
)
UNKNOWN = {
    (4, "/b"): ("offline", "what it holds is not readable (KAFKA_STORAGE_ERROR)"),
    (5, "remote://bucket"): ("remote", "object storage, which no broker has to itself"),
    (6, "/a"): ("not_read", "DescribeLogDirs was not read from broker 6 (DEADLINE_EXCEEDED)"),
    (9, ""): ("not_read", "DescribeLogDirs was not read from broker 9 (BROKER_NOT_ALIVE)"),
    (11, ""): ("not_read", "broker 11 did not answer DescribeLogDirs"),
    (12, ""): ("not_read", f"broker 12 was not asked: {UNREGISTER} --id 12"),
    (13, ""): ("not_read", "broker 13 did not answer DescribeLogDirs"),
    (14, ""): ("not_read", "broker 14 did not answer DescribeLogDirs"),
}
# Each is a census of its own, since shares are of all dirs.
CASES = {
    "dirs of every state": Case(
        {
            "alone": True,
            "log_dirs": LOG_DIRS,
            "partitions": PARTITIONS,
            "brokers": [
                *named(1, 2, 3, 4, 5, 6, 9, 11),
                *named(8, state="gone", replicas=0),
                *named(12, state="fenced", replicas=0),
                *named(13, state="fenced", replicas=7),
                *named(14, state="fenced"),
            ],
            "missing": [unread(6, "DEADLINE_EXCEEDED"), unread(9, "BROKER_NOT_ALIVE")],
        },
        (1, "/a"),
    )
    .table(f"{SUMS} {RATIOS}", ONLINE | dict.fromkeys(UNKNOWN, (None,) * 9))
    .table("state reason", dict.fromkeys(ONLINE, ("online", None)) | UNKNOWN)
    .table("leader_reason", dict.fromkeys(ONLINE | UNKNOWN, (None,)))
    # Whether a dir is cordoned is null, not false, where brokers do not report it: before v5.
    .table("total_bytes usable_bytes is_cordoned", {(1, "/a"): (1000, 500, None), (5, "/a"): (1000, 500, True)}),
    # The sums of disks are known.
    "without the partitions nobody knows what is led": Case(
        {
            "alone": True,
            "log_dirs": LOG_DIRS[:2],
            "partitions": PARTITIONS,
            "brokers": named(1),
            "missing": [missing_read("DescribeTopicPartitions", "topics", None, "DEADLINE_EXCEEDED")],
        },
        (1, "/a"),
    ).gives(
        replica_bytes=140,
        leader_replicas=None,
        leader_bytes=None,
        leader_reason="DescribeTopicPartitions was not read (DEADLINE_EXCEEDED)",
    ),
}


test_every_case = each_case(LOG_DIR_USAGE, CASES, lambda row: (row.broker_id, row.log_dir))
