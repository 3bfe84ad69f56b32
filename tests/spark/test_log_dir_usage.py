"""Sizes of dirs are of replicas; an unknown value of a dir is null, never 0."""

from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from kafka_census.tables.log_dir_usage import LOG_DIR_USAGE
from spark.landed_items import CENSUS, CLUSTER, Item, at, compute, item, missing_read, rows_by


def held(broker: int, log_dir: str, partition: int, size: int, **more: Any) -> Item:
    """A replica of topic t in a dir of 1000 bytes, half of them free."""
    volume = {"total_bytes": 1000, "usable_bytes": 500, "error_code": 0, "is_future": False}
    return item(broker, 2, log_dir=log_dir, topic="t", partition=partition, size=size, **volume | more)


def bare(broker: int, log_dir: str, error_code: int = 0) -> Item:
    """A dir without replicas, or one whose disk failed."""
    return item(broker, 2, log_dir=log_dir, error_code=error_code)


def led(partition: int, leader: int) -> Item:
    """The leader of a partition of topic t."""
    return item(1, 1, topic="t", partition=partition, leader_id=leader)


def named(*nodes: int) -> list[Item]:
    """Rows of the table brokers."""
    head = {"census_id": CENSUS, "cluster_id": CLUSTER, "observed_at": at(0), "state": "alive"}
    return [head | {"broker_id": node} for node in nodes]


LOG_DIRS = [
    held(1, "/a", 0, 100),
    held(1, "/a", 1, 40),
    held(1, "/b", 2, 60),
    held(1, "/b", 1, 10, is_future=True),
    held(2, "/a", 0, 90),
    held(2, "/a", 2, 70),
    bare(2, "/b"),
]
PARTITIONS = [led(0, 1), led(1, -1), led(2, 2)]


def usage(
    spark: SparkSession, log_dirs: list[Item], *missing: Any, brokers: tuple[int, ...] = (1, 2)
) -> dict[Any, Row]:
    """The table by broker and dir."""
    roles = {"log_dirs": log_dirs, "partitions": PARTITIONS, "brokers": named(*brokers)}
    return rows_by(compute(spark, LOG_DIR_USAGE, missing, **roles), "broker_id", "log_dir")


def test_data_is_counted_once_and_disks_as_often_as_there_are_replicas(spark: SparkSession) -> None:
    """170 bytes on leaders, 360 on disks; a future replica is in neither sum."""
    rows = usage(spark, LOG_DIRS)
    assert {
        key: (
            row.replicas,
            row.replica_bytes,
            row.leader_replicas,
            row.leader_bytes,
            row.future_replicas,
            row.future_bytes,
        )
        for key, row in rows.items()
    } == {
        (1, "/a"): (2, 140, 1, 100, 0, 0),
        (1, "/b"): (1, 60, 0, 0, 1, 10),
        (2, "/a"): (2, 160, 1, 70, 0, 0),
        (2, "/b"): (0, 0, 0, 0, 0, 0),
    }
    assert {(row.state, row.reason, row.leader_reason) for row in rows.values()} == {("online", None, None)}
    first = rows[1, "/a"]
    assert (first.total_bytes, first.usable_bytes, first.is_cordoned) == (1000, 500, None)


def test_shares_and_skew(spark: SparkSession) -> None:
    """Ratios to the broker's bytes, and to the mean of all dirs; a broker without bytes has no ratios."""
    rows = usage(spark, [*LOG_DIRS, bare(3, "/a")], brokers=(1, 2, 3))
    assert {key: (row.broker_bytes, row.share_of_broker) for key, row in rows.items()} == {
        (1, "/a"): (200, pytest.approx(0.7)),
        (1, "/b"): (200, pytest.approx(0.3)),
        (2, "/a"): (160, 1.0),
        (2, "/b"): (160, 0.0),
        (3, "/a"): (0, None),
    }
    assert rows[1, "/a"].skew == pytest.approx(140 / 72)
    assert rows[2, "/b"].skew == 0.0


def test_cordoned_is_reported_where_brokers_know_it(spark: SparkSession) -> None:
    """Null before v5: not false."""
    rows = usage(spark, [held(1, "/a", 0, 1, is_cordoned=True), held(2, "/a", 0, 1)])
    assert (rows[1, "/a"].is_cordoned, rows[2, "/a"].is_cordoned) == (True, None)


def test_offline_dir_is_a_row_of_unknown_content(spark: SparkSession) -> None:
    """Its replicas are missing from the answer, and are not counted as 0 in any mean."""
    rows = usage(spark, [held(1, "/a", 0, 100), bare(1, "/b", 56)], brokers=(1,))
    lost = rows[1, "/b"]
    assert (lost.state, lost.reason) == ("offline", "what it holds is not readable (KAFKA_STORAGE_ERROR)")
    assert (lost.replicas, lost.replica_bytes, lost.leader_bytes, lost.future_bytes) == (None, None, None, None)
    assert (lost.broker_bytes, lost.share_of_broker, lost.skew) == (None, None, None)
    assert (rows[1, "/a"].share_of_broker, rows[1, "/a"].skew) == (1.0, 1.0)


def test_broker_that_reported_of_no_dir_is_a_row(spark: SparkSession) -> None:
    """A broker that is down, one that refused, and one that is not in the pages."""
    missing = [
        missing_read("DescribeLogDirs", "log_dirs", 2, "BROKER_NOT_ALIVE"),
        missing_read("DescribeLogDirs", "log_dirs", 3, "CLUSTER_AUTHORIZATION_FAILED"),
    ]
    rows = usage(spark, [held(1, "/a", 0, 100)], *missing, brokers=(1, 2, 3, 4))
    assert {key: (row.state, row.reason, row.replica_bytes) for key, row in rows.items() if key[0] != 1} == {
        (2, ""): ("not_read", "DescribeLogDirs was not read from broker 2 (BROKER_NOT_ALIVE)", None),
        (3, ""): ("not_read", "DescribeLogDirs was not read from broker 3 (CLUSTER_AUTHORIZATION_FAILED)", None),
        (4, ""): ("not_read", "broker 4 did not answer DescribeLogDirs", None),
    }


def test_a_broker_that_owed_no_answer_did_not_fail_to_answer(spark: SparkSession) -> None:
    """One that is gone has no row. One that is fenced and holds nothing was not asked; otherwise, it was."""
    log_dirs = [held(1, "/a", 0, 100)]
    known = [
        *named(1),
        *(one | {"state": "gone", "replicas": 0} for one in named(2)),
        *(one | {"state": "fenced", "replicas": 0} for one in named(3)),
        *(one | {"state": "fenced", "replicas": 7} for one in named(4)),
        *(one | {"state": "fenced", "replicas": None} for one in named(5)),
    ]
    roles = {"log_dirs": log_dirs, "partitions": PARTITIONS, "brokers": known}
    rows = rows_by(compute(spark, LOG_DIR_USAGE, (), **roles), "broker_id", "log_dir")
    assert {key: row.reason for key, row in rows.items()} == {
        (1, "/a"): None,
        (3, ""): "broker 3 was not asked: it is fenced and holds no replica; if it was decommissioned: "
        "kafka-cluster.sh unregister --bootstrap-server HOST:PORT --id 3",
        (4, ""): "broker 4 did not answer DescribeLogDirs",
        (5, ""): "broker 5 did not answer DescribeLogDirs",
    }


def test_broker_whose_pages_are_not_all_there_has_no_sums(spark: SparkSession) -> None:
    """The first page of a broken walk is incomplete: its dirs are named, and their sums are unknown."""
    rows = usage(spark, LOG_DIRS, missing_read("DescribeLogDirs", "log_dirs", 1, "DEADLINE_EXCEEDED"))
    half = rows[1, "/a"]
    assert (half.state, half.replicas, half.leader_bytes, half.skew) == ("not_read", None, None, None)
    assert half.reason == "DescribeLogDirs was not read from broker 1 (DEADLINE_EXCEEDED)"
    assert rows[2, "/a"].skew == 2.0


def test_without_the_partitions_nobody_knows_what_is_led(spark: SparkSession) -> None:
    """The sums of disks are known."""
    rows = usage(spark, LOG_DIRS, missing_read("DescribeTopicPartitions", "topics", None, "DEADLINE_EXCEEDED"))
    first = rows[1, "/a"]
    assert (first.replica_bytes, first.leader_replicas, first.leader_bytes) == (140, None, None)
    assert first.leader_reason == "DescribeTopicPartitions was not read (DEADLINE_EXCEEDED)"


def test_object_storage_is_a_row_without_sums(spark: SparkSession) -> None:
    """Redpanda lists it as a dir of each broker, with partitions that local dirs hold too."""
    remote = held(1, "remote://bucket", 0, 9000)
    rows, without = usage(spark, [*LOG_DIRS, remote]), usage(spark, LOG_DIRS)
    row = rows.pop((1, "remote://bucket"))
    assert (row.state, row.reason) == ("remote", "object storage, which no broker has to itself")
    assert (row.replicas, row.replica_bytes, row.leader_bytes, row.share_of_broker, row.skew) == (None,) * 5
    assert rows == without
