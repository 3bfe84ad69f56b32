"""Bytes, growth, configs, readers, the last record and the racks of topics; null if one part is not known."""

from datetime import UTC, datetime
from typing import Any

from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.topics.columns import TOPICS as TABLE
from spark.cases import Case, each_case
from spark.landed_items import BEFORE, CLUSTER, Item, at, item, missing_read, naive

ONE_SECOND = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC).replace(tzinfo=None)
RACKS = {1: "a", 2: "b", 3: "a"}


def described(topic: str, *partitions: tuple[int, list[int]]) -> list[Item]:
    """Leader (-1 for none) and replicas of the partitions of a topic."""
    return [
        item(received=1, topic=topic, partition=number, leader_id=leader, replicas=replicas)
        for number, (leader, replicas) in enumerate(partitions)
    ]


def held(broker: int, topic: str, partition: int, size: int, **more: Any) -> Item:
    columns = {"log_dir": "/a", "error_code": 0, "is_future": False} | more
    return item(broker, 2, topic=topic, partition=partition, size=size, **columns)


def config(topic: str, name: str, value: str) -> Item:
    return item(received=3, resource_type="topic", resource_name=topic, error_code=0, name=name, value=value)


def newest(topic: str, partition: int, timestamp: int | None, error_code: int = 0, offset: int | None = None) -> Item:
    told = {"timestamp": timestamp, "offset": offset, "error_code": error_code}
    return item(received=4, topic=topic, partition=partition, **told)


def log(start: int | None, end: int | None, partition: int = 1, topic: str = "t") -> dict[str, list[Item]]:
    """The ends of partition 1 of topic t; None for an end that was not read."""
    key = {"topic": topic, "partition": partition, "error_code": 0}
    return {
        scope: [] if offset is None else [item(received=4, **key, offset=offset)]
        for scope, offset in (("earliest", start), ("latest", end))
    }


def read(group: str, topic: str, state: str = "exists", assigned: bool | None = False) -> Item:
    return {"group_id": group, "topic": topic, "topic_state": state, "assigned": assigned, "observed_at": at(5)}


def before(**columns: Any) -> Item:
    row = {"census_id": BEFORE, "cluster_id": CLUSTER, "observed_at": at(-3600), "topic": "t", "topic_id": "id-t"}
    return row | {"leader_bytes": 100} | columns


def world() -> dict[str, Any]:
    """One topic with known values: two partitions, on three brokers in two racks."""
    topic = "t"
    return {
        "listed": [item(topic=topic, topic_id=f"id-{topic}", partition_count=2, error_code=0, is_internal=False)],
        "cluster": [item(node_id=node, rack=rack) for node, rack in RACKS.items()],
        "partitions": described(topic, (1, [1, 2]), (2, [2, 3, 1])),
        "log_dirs": [
            *(held(node, topic, 0, size) for node, size in ((1, 100), (2, 90))),
            *(held(node, topic, 1, size) for node, size in ((1, 40), (2, 50), (3, 45))),
            held(3, topic, 0, 7, is_future=True),
            held(3, topic, 0, 9000, log_dir="remote://bucket"),
            held(3, topic, 0, 1),
        ],
        "configs": [
            config(topic, "cleanup.policy", "compact,delete"),
            config(topic, "retention.ms", "-1"),
            config(topic, "retention.bytes", "1000"),
        ],
        "newest_records": [newest(topic, 0, 1_000), newest(topic, 1, 900)],
        "lag": [read("g", topic), read("f", topic), read("f", topic), read("old", topic, "recreated")],
        "groups": [{"group_id": "g"}],
    }


CASES: dict[str, Case] = {}
ALONE: dict[str, Any] = {"alone": True}


def case(name: str, *missing: MissingRead, **roles: Any) -> Case:
    CASES[name] = Case(world() | {"previous": [before()], "missing": missing} | roles, "t")
    return CASES[name]


# All else that is known of a topic is held against real brokers in tests/trouble. Only replicas in the replica list are
# counted; an offset of an earlier topic does not count as a reader's.
case("what is known of a topic").gives(
    leader_bytes=150,
    replica_bytes=325,
    growth_bytes=50,
    growth_since=naive(-3600),
    growth_reason=None,
    previous_census_id=BEFORE,
    group_ids=["f", "g"],
    last_written_at_least=ONE_SECOND,
    observed_at=naive(5),
)
for reason, previous in (
    ("the previous census has no such topic: it is new, or was not seen", [before(topic="other")]),
    ("it was made anew since the previous census", [before(topic_id="id-of-another")]),
    ("the previous census does not know its bytes", [before(leader_bytes=None)]),
):
    case(f"growth is not known: {reason}", previous=previous).gives(
        growth_bytes=None, growth_since=None, previous_census_id=None, growth_reason=reason
    )
SILENT = "broker 2 did not answer DescribeLogDirs"
OTHERS = [one for one in world()["log_dirs"] if one["asked_node_id"] != 2]
case("broker 2 did not answer", log_dirs=OTHERS).gives(
    leader_bytes=None, leader_bytes_reason=SILENT, replica_bytes_reason=SILENT, growth_bytes=None, growth_reason=SILENT
)
OFFLINE = [*world()["log_dirs"], item(3, 2, log_dir="/b", error_code=56)]
case("an offline log dir may hold a replica and leads none", log_dirs=OFFLINE).gives(
    leader_bytes=150, replica_bytes=None, replica_bytes_reason="log dir /b of broker 3 is offline"
)
# Its broker answered without the replica.
NOT_MADE = [one for one in world()["log_dirs"] if (one["asked_node_id"], one["partition"]) != (3, 1)]
LED_BY_3 = described("t", (1, [1, 2]), (3, [2, 3, 1]))
case("a replica that is not made yet has no bytes", log_dirs=NOT_MADE).gives(replica_bytes=280)
case("a leader must have bytes", log_dirs=NOT_MADE, partitions=LED_BY_3).gives(
    leader_bytes=None,
    replica_bytes=280,
    leader_bytes_reason="1 of 2 partitions are in no log dir of their leader: they moved, or were made, during the "
    "census",
)
# Nor is the time of the last write known: the other partitions may have an older record.
case(
    "without a leader nobody tells what one replica has",
    partitions=described("t", (1, [1, 2]), (-1, [2, 3, 1])),
    newest_records=[newest("t", 0, 1_000), newest("t", 1, None, 5)],
).gives(
    leader_bytes=None,
    leader_bytes_reason="partition 1 has no leader",
    replica_bytes=325,
    last_written_at=None,
    last_written_at_least=ONE_SECOND,
    last_written_reason="partition 1: ListOffsets (max_timestamp) answered LEADER_NOT_AVAILABLE",
)
for reason, records in (
    ("ListOffsets (max_timestamp) did not report 1 of its partitions", [newest("t", 0, 5)]),
    (f"its newest record is stamped {2**62} ms, which no calendar has", [newest("t", 0, 2**62), newest("t", 1, 5)]),
):
    case(f"last written: {reason}", newest_records=records).gives(last_written_at=None, last_written_reason=reason)
# By both ends and by bytes: where the leader tells no time, records may have none, or be in remote storage.
TIMELESS = "partition 1: its records have no usable time"
ELSEWHERE = "partition 1: it is not empty, and has no local, committed record with a usable time"
UNREAD = "partition 1: it has no newest record, but whether it is empty was not read"
for offset, start, end, size, reason in (
    (0, 0, 3, 138, TIMELESS),
    (None, 0, 3, 0, ELSEWHERE),
    (None, 0, 0, 138, ELSEWHERE),
    (None, None, 3, 0, UNREAD),
    (None, 7, 7, 0, None),
):
    case(
        f"a topic has no record only where its logs are empty: {offset}, from {start} to {end}, {size} bytes",
        newest_records=[newest("t", 0, 1_000), newest("t", 1, None, offset=offset)],
        log_dirs=[held(1, "t", 0, 100), held(2, "t", 0, 90), *(held(node, "t", 1, size) for node in (1, 2, 3))],
        **log(start, end),
    ).gives(
        last_written_at=None if reason else ONE_SECOND, last_written_reason=reason, last_written_at_least=ONE_SECOND
    )
BOTH = [log(0, 0, 0), log(5, 5, 1)]
case(
    "a topic without any record, of which nothing is known of the last write",
    log_dirs=[held(node, "t", part, 0) for node in (1, 2, 3) for part in (0, 1)],
    newest_records=[newest("t", 0, None), newest("t", 1, None)],
    **{scope: [*BOTH[0][scope], *BOTH[1][scope]] for scope in ("earliest", "latest")},
).gives(last_written_at=None, last_written_reason="it has no record", last_written_at_least=None)
# Values that depend on partitions are null.
OF_PARTITIONS = ("partitions", "replication_factor", "leader_bytes", "replica_bytes", "last_written_at")
WHY = ("reason", "leader_bytes_reason", "replica_bytes_reason", "last_written_reason", "racks_reason")
CUT = described("t", (1, [1, 2]))
NO_PAGES = missing_read("DescribeTopicPartitions", "topics", None, "DEADLINE_EXCEEDED")
for reason, partitions, missing in (
    ("DescribeTopicPartitions answered UNKNOWN_TOPIC_OR_PARTITION", [item(topic="t", error_code=3)], []),
    ("DescribeTopicPartitions was not read (DEADLINE_EXCEEDED)", CUT, [NO_PAGES]),
    ("1 of 2 partitions were described", CUT, []),
    ("DescribeTopicPartitions did not describe it", [], []),
):
    case(f"not described: {reason}", *missing, partitions=partitions).gives(
        **dict.fromkeys((*OF_PARTITIONS, "replicas_sharing_rack")),
        **dict.fromkeys(WHY, reason),
        retention_bytes=1000,
        groups=2,
    )
NO_CONFIGS = missing_read("DescribeConfigs", "topics", None, "DEADLINE_EXCEEDED")
DENIED = item(resource_type="topic", resource_name="t", error_code=29)
for reason, configs, missing in (
    ("DescribeConfigs answered TOPIC_AUTHORIZATION_FAILED", [DENIED], []),
    ("DescribeConfigs was not read (DEADLINE_EXCEEDED)", [], [NO_CONFIGS]),
    ("DescribeConfigs did not report it", [], []),
):
    case(f"configs are not known: {reason}", *missing, configs=configs).gives(
        cleanup_policy=None, retention_ms=None, config_reason=reason
    )
# What holds for all topics: each of these is a plan of its own.
OLD = missing_read("ListOffsets", "max_timestamp", 1, "UNSUPPORTED_VERSION")
HALF_READ = [{"group_id": "x", "offsets_reason": "refused"}, {"group_id": "w", "members_reason": "silent"}]
case(
    "a broker is old, and groups without known offsets or members may read it",
    OLD,
    newest_records=[],
    groups=HALF_READ,
    **ALONE,
).gives(
    last_written_at=None,
    last_written_reason="ListOffsets was not read from broker 1 (UNSUPPORTED_VERSION)",
    groups=2,
    groups_reason="2 groups were not wholly read, such as w: silent",
)
NO_LIST = missing_read("ListGroups", "groups", 2, "BROKER_NOT_ALIVE")
case("a first census that lacks groups", NO_LIST, previous=[], **ALONE).gives(
    growth_bytes=None,
    growth_since=None,
    previous_census_id=None,
    growth_reason="no previous census to compare with",
    groups_reason="ListGroups was not read from broker 2 (BROKER_NOT_ALIVE)",
)
case("who has it assigned reads it", lag=[read("g", "t", "recreated", True)]).gives(group_ids=["g"])


test_every_case = each_case(TABLE, CASES, lambda row: row.topic)
