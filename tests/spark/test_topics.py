"""Bytes, growth, configs, readers, the last record and the racks of topics; null if one part is not known."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from kafka_census.tables.topics import TOPICS
from spark.landed_items import CLUSTER, Item, at, compute, item, missing_read, rows_by

ONE_SECOND = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC).replace(tzinfo=None)
BEFORE = "20261121T110000000Z-000001"
RACKS = {1: "a", 2: "b", 3: "a"}


def described(topic: str, *partitions: tuple[int, list[int]]) -> list[Item]:
    """Leader (-1 for none) and replicas of the partitions of a topic."""
    return [
        item(received=1, topic=topic, partition=number, leader_id=leader, replicas=replicas)
        for number, (leader, replicas) in enumerate(partitions)
    ]


def held(broker: int, topic: str, partition: int, size: int, **more: Any) -> Item:
    """A replica in a log dir."""
    columns = {"log_dir": "/a", "error_code": 0, "is_future": False} | more
    return item(broker, 2, topic=topic, partition=partition, size=size, **columns)


def config(topic: str, name: str, value: str) -> Item:
    """A config in force."""
    return item(received=3, resource_type="topic", resource_name=topic, error_code=0, name=name, value=value)


def newest(topic: str, partition: int, timestamp: int | None, error_code: int = 0, offset: int | None = None) -> Item:
    """The newest record of a partition."""
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
    """A row of consumer_lag."""
    return {"group_id": group, "topic": topic, "topic_state": state, "assigned": assigned, "observed_at": at(5)}


def before(**columns: Any) -> Item:
    """A row of topic t in the previous census."""
    row = {"census_id": BEFORE, "cluster_id": CLUSTER, "observed_at": at(-3600), "topic": "t", "topic_id": "id-t"}
    return row | {"leader_bytes": 100} | columns


def world(topic: str = "t") -> dict[str, list[Item]]:
    """One topic with known values: two partitions, on three brokers in two racks."""
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


def topics(spark: SparkSession, roles: dict[str, list[Item]], *missing: Any, **more: Any) -> dict[str, Row]:
    """The table by topic."""
    return rows_by(compute(spark, TOPICS, missing, **more, **roles), "topic")


def test_what_is_known_of_a_topic(spark: SparkSession) -> None:
    """Only replicas in the replica list are counted; an offset of an earlier topic does not count as a reader's."""
    row = topics(spark, world(), previous=[before()])["t"]
    assert (row.partitions, row.replication_factor, row.reason) == (2, 2, None)
    assert (row.leader_bytes, row.replica_bytes) == (150, 325)
    an_hour_ago = at(-3600).replace(tzinfo=None)
    assert (row.growth_bytes, row.growth_since, row.previous_census_id) == (50, an_hour_ago, BEFORE)
    assert (row.cleanup_policy, row.retention_ms, row.retention_bytes) == ("compact,delete", -1, 1000)
    assert (row.groups, row.group_ids) == (2, ["f", "g"])
    assert row.last_written_at == row.last_written_at_least == ONE_SECOND
    assert (row.racks, row.replicas_sharing_rack) == (["a", "b"], 1)
    assert {value for name, value in row.asDict().items() if name.endswith("reason")} == {None}
    assert row.observed_at == at(5).replace(tzinfo=None)


@pytest.mark.parametrize(
    ("previous", "reason"),
    [
        ([], "no previous census to compare with"),
        ([before(topic="other")], "the previous census has no such topic: it is new, or was not seen"),
        ([before(topic_id="id-of-another")], "it was made anew since the previous census"),
        ([before(leader_bytes=None)], "the previous census does not know its bytes"),
    ],
)
def test_growth_needs_the_same_topic_then_and_now(spark: SparkSession, previous: list[Item], reason: str) -> None:
    """Known bytes are needed, too."""
    row = topics(spark, world(), previous=previous)["t"]
    assert (row.growth_bytes, row.growth_since, row.previous_census_id) == (None, None, None)
    assert row.growth_reason == reason


def test_a_broker_whose_log_dirs_were_not_read_takes_the_sums_that_it_is_in(spark: SparkSession) -> None:
    """Broker 3 leads nothing: leader bytes are known, and grow. Broker 2 leads a partition."""
    gap = missing_read("DescribeLogDirs", "log_dirs", 3, "BROKER_NOT_ALIVE")
    row = topics(spark, world(), gap, previous=[before()])["t"]
    line = "DescribeLogDirs was not read from broker 3 (BROKER_NOT_ALIVE)"
    assert (row.leader_bytes, row.growth_bytes) == (150, 50)
    assert (row.replica_bytes, row.replica_bytes_reason) == (None, line)
    silent = world() | {"log_dirs": [one for one in world()["log_dirs"] if one["asked_node_id"] != 2]}
    row = topics(spark, silent, previous=[before()])["t"]
    line = "broker 2 did not answer DescribeLogDirs"
    assert (row.leader_bytes, row.leader_bytes_reason, row.replica_bytes_reason) == (None, line, line)
    assert (row.growth_bytes, row.growth_reason) == (None, line)


def test_an_offline_log_dir_may_hold_a_replica_and_leads_none(spark: SparkSession) -> None:
    """Broker 3 has an offline dir; its other dir was read."""
    roles = world()
    roles["log_dirs"].append(item(3, 2, log_dir="/b", error_code=56))
    row = topics(spark, roles)["t"]
    assert row.leader_bytes == 150
    assert (row.replica_bytes, row.replica_bytes_reason) == (None, "log dir /b of broker 3 is offline")


def test_a_replica_that_is_not_made_yet_has_no_bytes_and_a_leader_must_have_one(spark: SparkSession) -> None:
    """Its broker answered without the replica."""
    roles = world()
    roles["log_dirs"] = [one for one in roles["log_dirs"] if (one["asked_node_id"], one["partition"]) != (3, 1)]
    assert topics(spark, roles)["t"].replica_bytes == 280
    roles["partitions"] = described("t", (1, [1, 2]), (3, [2, 3, 1]))
    row = topics(spark, roles)["t"]
    assert (row.leader_bytes, row.replica_bytes) == (None, 280)
    assert row.leader_bytes_reason == (
        "1 of 2 partitions are in no log dir of their leader: they moved, or were made, during the census"
    )


def test_without_a_leader_nobody_says_what_one_replica_has(spark: SparkSession) -> None:
    """Nor the time of the last write: the other partitions may have an older record."""
    roles = world() | {"partitions": described("t", (1, [1, 2]), (-1, [2, 3, 1]))}
    roles["newest_records"] = [newest("t", 0, 1_000), newest("t", 1, None, 5)]
    row = topics(spark, roles)["t"]
    assert (row.leader_bytes, row.leader_bytes_reason) == (None, "partition 1 has no leader")
    assert row.replica_bytes == 325
    assert row.last_written_at is None
    assert row.last_written_at_least == ONE_SECOND
    assert row.last_written_reason == "partition 1: ListOffsets (max_timestamp) answered LEADER_NOT_AVAILABLE"


def test_why_it_is_not_known_when_a_topic_was_last_written(spark: SparkSession) -> None:
    """An old broker, a broker without an answer, a timestamp out of range."""
    gap = missing_read("ListOffsets", "max_timestamp", 1, "UNSUPPORTED_VERSION")
    cases = [
        ([], [gap], "ListOffsets was not read from broker 1 (UNSUPPORTED_VERSION)"),
        ([newest("t", 0, 5)], [], "ListOffsets (max_timestamp) did not report 1 of its partitions"),
        (
            [newest("t", 0, 2**62), newest("t", 1, 5)],
            [],
            f"its newest record is stamped {2**62} ms, which no calendar has",
        ),
    ]
    for records, missing, reason in cases:
        row = topics(spark, world() | {"newest_records": records}, *missing)["t"]
        assert (row.last_written_at, row.last_written_reason) == (None, reason)


def test_a_topic_has_no_record_only_where_its_logs_are_empty(spark: SparkSession) -> None:
    """By both ends and by bytes: where the leader tells no time, records may have none, or be in remote storage."""
    timeless = "partition 1: its records have no usable time"
    elsewhere = "partition 1: it is not empty, and has no local, committed record with a usable time"
    unread = "partition 1: it has no newest record, but whether it is empty was not read"
    cases = [
        (newest("t", 1, None, offset=0), log(0, 3), 138, timeless, ONE_SECOND),
        (newest("t", 1, None), log(0, 3), 0, elsewhere, ONE_SECOND),
        (newest("t", 1, None), log(0, 0), 138, elsewhere, ONE_SECOND),
        (newest("t", 1, None), log(None, 3), 0, unread, ONE_SECOND),
        (newest("t", 1, None), log(7, 7), 0, None, ONE_SECOND),
    ]
    for record, ends, size, reason, least in cases:
        roles = world() | ends | {"newest_records": [newest("t", 0, 1_000), record]}
        roles["log_dirs"] = [
            held(1, "t", 0, 100),
            held(2, "t", 0, 90),
            *[held(node, "t", 1, size) for node in (1, 2, 3)],
        ]
        row = topics(spark, roles)["t"]
        known = (row.last_written_at, row.last_written_reason, row.last_written_at_least)
        assert known == (None if reason else ONE_SECOND, reason, least)


def test_a_topic_without_any_record_says_so(spark: SparkSession) -> None:
    """Nothing is known of the last write of a topic whose records have no time."""
    empty = world() | {"log_dirs": [held(node, "t", part, 0) for node in (1, 2, 3) for part in (0, 1)]}
    empty["newest_records"] = [newest("t", 0, None), newest("t", 1, None)]
    both = [log(0, 0, 0), log(5, 5, 1)]
    empty |= {scope: [*both[0][scope], *both[1][scope]] for scope in ("earliest", "latest")}
    row = topics(spark, empty)["t"]
    assert (row.last_written_at, row.last_written_reason, row.last_written_at_least) == (None, "it has no record", None)


def test_a_topic_that_was_not_described_is_a_row_of_what_is_known(spark: SparkSession) -> None:
    """Refused, cut off by missing pages, or left out: values that depend on partitions are null."""
    refused = world() | {"partitions": [item(topic="t", error_code=29)]}
    cut = world() | {"partitions": described("t", (1, [1, 2]))}
    gap = missing_read("DescribeTopicPartitions", "topics", None, "DEADLINE_EXCEEDED")
    cases = [
        (refused, [], "DescribeTopicPartitions answered TOPIC_AUTHORIZATION_FAILED"),
        (cut, [gap], "DescribeTopicPartitions was not read (DEADLINE_EXCEEDED)"),
        (cut, [], "1 of 2 partitions were described"),
        (world() | {"partitions": []}, [], "DescribeTopicPartitions did not describe it"),
    ]
    for roles, missing, reason in cases:
        row = topics(spark, roles, *missing)["t"]
        of_partitions = (row.partitions, row.replication_factor, row.leader_bytes, row.replica_bytes)
        assert (*of_partitions, row.last_written_at, row.replicas_sharing_rack) == (None,) * 6
        names = ("reason", "leader_bytes_reason", "replica_bytes_reason", "last_written_reason", "racks_reason")
        assert {row[name] for name in names} == {reason}
        assert (row.retention_bytes, row.groups) == (1000, 2)


def test_racks_that_are_not_known_are_said(spark: SparkSession) -> None:
    """No broker has a rack, or one with a replica has none."""
    none = world() | {"cluster": [item(node_id=node, rack=None) for node in RACKS]}
    row = topics(spark, none)["t"]
    assert (row.racks, row.replicas_sharing_rack, row.racks_reason) == ([], None, "no broker has a rack")
    some = world() | {"cluster": [item(node_id=node, rack=rack) for node, rack in RACKS.items() if node != 3]}
    row = topics(spark, some)["t"]
    assert (row.racks, row.replicas_sharing_rack) == (["a", "b"], None)
    assert row.racks_reason == "broker 3 has no rack, or is not listed"


def test_configs_that_were_refused_say_so(spark: SparkSession) -> None:
    """By the topic's error, by the missing read, or by the absence of an answer."""
    refused = [item(resource_type="topic", resource_name="t", error_code=29)]
    gap = missing_read("DescribeConfigs", "topics", None, "DEADLINE_EXCEEDED")
    cases = [
        (refused, [], "DescribeConfigs answered TOPIC_AUTHORIZATION_FAILED"),
        ([], [gap], "DescribeConfigs was not read (DEADLINE_EXCEEDED)"),
        ([], [], "DescribeConfigs did not report it"),
    ]
    for configs, missing, reason in cases:
        row = topics(spark, world() | {"configs": configs}, *missing)["t"]
        assert (row.cleanup_policy, row.retention_ms, row.config_reason) == (None, None, reason)


def test_groups_are_a_lower_bound_where_groups_were_not_read(spark: SparkSession) -> None:
    """A missing list of groups, and groups without known offsets or members."""
    unread = [{"group_id": "x", "offsets_reason": "refused"}, {"group_id": "w", "members_reason": "silent"}]
    row = topics(spark, world() | {"groups": unread})["t"]
    assert (row.groups, row.groups_reason) == (2, "2 groups were not wholly read, such as w: silent")
    row = topics(spark, world(), missing_read("ListGroups", "groups", 2, "BROKER_NOT_ALIVE"))["t"]
    assert row.groups_reason == "ListGroups was not read from broker 2 (BROKER_NOT_ALIVE)"
    alone = topics(spark, world() | {"lag": [read("g", "t", "recreated", True)]})["t"]
    assert alone.group_ids == ["g"]
