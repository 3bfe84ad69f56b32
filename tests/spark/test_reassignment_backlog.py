"""Bytes left to copy come from sizes, and an unknown value is null with its reason."""

from typing import Any

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.testing import assertDataFrameEqual

from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from spark.landed_items import CENSUS, CLUSTER, Item, at, compute, item, missing_read, rows_by

TABLE = REASSIGNMENT_BACKLOG
LARGER = "the copy is not smaller than its source, and not in the ISR"
BEFORE = "20261121T110000000Z-000001"


def move(replicas: list[int], adding: list[int], removing: list[int], topic: str = "t", partition: int = 0) -> Item:
    """A listed reassignment: `replicas` are the current ones, including adding and removing ones."""
    return item(topic=topic, partition=partition, replicas=replicas, adding_replicas=adding, removing_replicas=removing)


def part(leader: int | None, isr: list[int], replicas: list[int], topic: str = "t", partition: int = 0) -> Item:
    """A described partition."""
    described = {"topic": topic, "topic_id": f"id-of-{topic}", "partition": partition, "error_code": 0}
    return item(1, 1, **described, leader_id=leader, isr=isr, replicas=replicas)


def held(broker: int, size: int, log_dir: str = "/d1", topic: str = "t", partition: int = 0, **columns: Any) -> Item:
    """A replica in a broker's log dir; OffsetLag of a current one is always 0, however far it is behind."""
    row = {"log_dir": log_dir, "error_code": 0, "topic": topic, "partition": partition, "size": size, "offset_lag": 0}
    return item(broker, 2, **row | {"is_future": False} | columns)


def empty(broker: int, log_dir: str = "/d1", error_code: int = 0) -> Item:
    """A log dir without partitions, or one that is offline."""
    return item(broker, 2, log_dir=log_dir, error_code=error_code)


MOVE = {"reassignments": [move([1, 2, 4], [4], [1])], "partitions": [part(1, [1, 2], [1, 2, 4])]}
"""Partition t-0 goes from 1, 2 to 2, 4; broker 1 leads."""


def backlog(spark: SparkSession, log_dirs: list[Item], **more: Any) -> dict[tuple[str, int], Row]:
    """The table's rows of one partition by kind and replica; the reassignment is MOVE unless given."""
    return rows_by(compute(spark, TABLE, log_dirs=log_dirs, **MOVE | more), "kind", "replica_id")


def test_a_move_and_what_it_removes(spark: SparkSession) -> None:
    """Every column: one row for the added replica, one for the removed replica."""
    computed = compute(spark, TABLE, log_dirs=[held(1, 1000), held(2, 1000), held(4, 300, "/d2")], **MOVE)
    head = (CENSUS, CLUSTER, at(2), "t", 0, "id-of-t")
    lists = ([1, 2], [2, 4], [4], [1])
    unread = "broker {} did not answer DescribeConfigs"
    throttles = (None, None, unread.format(1), None, unread.format(4))
    first = (None, None, None, "no previous census of this copy to compare with", None, None)
    adding = (*head, "move", 4, 1, "/d2", None, *lists, False, 0, 1, 1000, 300, 300, 700, *first, *throttles)
    removing = (*head, "remove", 1, None, "/d1", None, *lists, True, 0, 1, 0, 0, 0, 0, *[None] * 11)
    expected = spark.createDataFrame([adding, removing], TABLE.computed)
    assertDataFrameEqual(computed, expected, ignoreNullable=True)


def test_offset_lag_is_not_taken_for_progress(spark: SparkSession) -> None:
    """A current replica's OffsetLag is 0 from its first byte on: only sizes show progress."""
    rows = backlog(spark, [held(1, 1000), held(4, 1, offset_lag=0)])
    assert rows["move", 4].bytes_left == 999


def test_replica_that_is_not_there_yet_has_copied_nothing(spark: SparkSession) -> None:
    """Its broker answered, with dirs but without this partition: 0 bytes done, everything left."""
    row = backlog(spark, [held(1, 1000), empty(4)])["move", 4]
    assert (row.bytes_done, row.bytes_left, row.bytes_left_reason, row.log_dir) == (0, 1000, None, None)


def test_copy_larger_than_its_source_has_nothing_left(spark: SparkSession) -> None:
    """Compaction and retention make the sizes differ: bytes left never go below 0."""
    row = backlog(spark, [held(1, 1000), held(4, 1200)])["move", 4]
    assert (row.bytes_left, row.bytes_done, row.copied_bytes, row.in_isr) == (0, 1000, 1200, False)
    assert (row.eta_seconds, row.eta_reason) == (None, LARGER)


def test_replica_in_sync_has_nothing_left_whatever_its_size(spark: SparkSession) -> None:
    """A replica in the ISR is done; retention may have left it smaller than the leader."""
    row = backlog(spark, [held(1, 1000), held(4, 400)], partitions=[part(1, [1, 2, 4], [1, 2, 4])])["move", 4]
    assert (row.in_isr, row.adding_in_isr, row.adding_total) == (True, 1, 1)
    assert (row.bytes_left, row.bytes_done, row.bytes_left_reason) == (0, 1000, None)


@pytest.mark.parametrize(
    ("log_dirs", "missing", "why"),
    [
        (
            [held(1, 1000)],
            [missing_read("DescribeLogDirs", "log_dirs", 4, "BROKER_NOT_ALIVE")],
            "DescribeLogDirs was not read from broker 4 (BROKER_NOT_ALIVE)",
        ),
        ([held(1, 1000)], [], "broker 4 did not answer DescribeLogDirs"),
        (
            [held(1, 1000), empty(4), empty(4, "/d2", 56)],
            [],
            "broker 4: log dir /d2 is not readable (KAFKA_STORAGE_ERROR)",
        ),
        (
            [held(4, 300)],
            [missing_read("DescribeLogDirs", "log_dirs", 1, "CONNECTION_FAILED")],
            "DescribeLogDirs was not read from broker 1 (CONNECTION_FAILED)",
        ),
        ([held(4, 300), empty(1)], [], "broker 1 lists no current replica"),
    ],
)
def test_bytes_left_are_null_where_a_size_is_not_known(
    spark: SparkSession, log_dirs: list[Item], missing: list[MissingRead], why: str
) -> None:
    """A broker that did not answer, an offline dir that may hold the replica, a leader without its replica."""
    row = backlog(spark, log_dirs, missing=missing)["move", 4]
    assert (row.bytes_left, row.bytes_done, row.bytes_left_reason) == (None, None, why)


def test_known_replica_stays_known_beside_an_offline_dir(spark: SparkSession) -> None:
    """Another dir of its broker is offline, but the replica was found."""
    row = backlog(spark, [held(1, 1000), held(4, 300), empty(4, "/d2", 56)])["move", 4]
    assert (row.bytes_left, row.bytes_left_reason) == (700, None)


@pytest.mark.parametrize(
    ("partitions", "missing", "why", "in_isr"),
    [
        ([part(-1, [2], [1, 2, 4])], [], "the partition has no leader to copy from", False),
        ([], [], "DescribeTopicPartitions did not describe the partition", None),
        (
            [],
            [missing_read("DescribeTopicPartitions", "topics", None, "REQUEST_TIMED_OUT")],
            "DescribeTopicPartitions was not read (REQUEST_TIMED_OUT)",
            None,
        ),
    ],
)
def test_bytes_left_are_null_without_a_leader(
    spark: SparkSession, partitions: list[Item], missing: list[MissingRead], why: str, in_isr: bool | None
) -> None:
    """The listed reassignment stays a row, with its lists."""
    row = backlog(spark, [held(1, 1000), held(4, 300)], partitions=partitions, missing=missing)["move", 4]
    assert (row.bytes_left, row.bytes_left_reason, row.in_isr) == (None, why, in_isr)
    assert (row.original_replicas, row.target_replicas) == ([1, 2], [2, 4])


def test_reassignment_that_only_shrinks_is_a_row(spark: SparkSession) -> None:
    """Nothing is copied, but the reassignment is listed."""
    rows = backlog(spark, [], reassignments=[move([1, 2, 3], [], [3])], partitions=[part(1, [1, 2, 3], [1, 2, 3])])
    assert set(rows) == {("remove", 3)}
    row = rows["remove", 3]
    assert (row.bytes_left, row.bytes_total, row.eta_seconds, row.stalled, row.target_replicas) == (
        0,
        0,
        None,
        None,
        [1, 2],
    )


def test_echo_of_an_error_answer_is_no_reassignment(spark: SparkSession) -> None:
    """An error answer of ListPartitionReassignments echoes the request with empty replicas."""
    assert backlog(spark, [held(1, 1000)], reassignments=[move([], [], [])]) == {}


def test_future_replica_is_a_row_of_its_own(spark: SparkSession) -> None:
    """A move between log dirs of one broker: the partition twice, once as a future replica."""
    future = held(2, 400, "/d2", is_future=True, offset_lag=60)
    rows = backlog(spark, [held(2, 1000), future], reassignments=[], partitions=[part(1, [1, 2], [1, 2])])
    row = rows["log_dir_move", 2]
    assert set(rows) == {("log_dir_move", 2)}
    assert (row.source_id, row.log_dir, row.future_log_dir) == (2, "/d1", "/d2")
    # Its current replica is in the ISR, which proves nothing about the copy.
    assert (row.bytes_total, row.bytes_done, row.bytes_left, row.in_isr) == (1000, 400, 600, True)
    assert (row.original_replicas, row.target_replicas, row.adding_replicas, row.adding_total) == (
        [1, 2],
        [1, 2],
        [],
        0,
    )


def test_future_replica_is_never_counted_as_the_replica(spark: SparkSession) -> None:
    """Neither a leader's future copy nor a target's counts as its current replica."""
    log_dirs = [held(1, 1000), held(1, 5000, "/d2", is_future=True), held(4, 300), held(4, 250, "/d2", is_future=True)]
    rows = backlog(spark, log_dirs)
    assert (rows["move", 4].bytes_total, rows["move", 4].bytes_left) == (1000, 700)
    assert (rows["log_dir_move", 4].bytes_total, rows["log_dir_move", 4].bytes_left) == (300, 50)
    assert rows["log_dir_move", 1].bytes_left == 0


def test_future_replica_whose_current_dir_is_offline_is_null_with_the_reason(spark: SparkSession) -> None:
    """The current replica cannot be seen, so the bytes left are unknown."""
    log_dirs = [held(2, 400, "/d2", is_future=True), empty(2, "/d1", 56)]
    row = backlog(spark, log_dirs, reassignments=[])["log_dir_move", 2]
    assert (row.bytes_left, row.log_dir) == (None, None)
    assert row.bytes_left_reason == "broker 2: log dir /d1 is not readable (KAFKA_STORAGE_ERROR)"


def before(left: int | None, done: int | None, kind: str = "move", **columns: Any) -> Item:
    """A row of the previous census, 98 seconds before noon: 100 seconds before the current answers about log dirs."""
    key = {"topic": "t", "partition": 0, "kind": kind, "replica_id": 4}
    known = {"census_id": BEFORE, "cluster_id": CLUSTER, "observed_at": at(-98), "bytes_left": left, "bytes_done": done}
    return {**key, **known, **columns}


@pytest.mark.parametrize(
    ("left", "done", "rate", "eta", "stalled"),
    [
        (1000, 0, 3.0, 234, False),  # 300 bytes in 100 s, 700 to go
        (700, 300, 0.0, None, True),  # no progress
        (500, 100, -2.0, None, False),  # the leader grows faster than the copy: moving, but without an end
        (1200, 300, 0.0, None, True),  # the leader lost 500 bytes by retention: nothing was copied
        (1000, 200, 1.0, 700, False),  # 100 bytes were copied, 200 went by retention
        (600, 400, -1.0, None, True),  # the copy lost 100 bytes by retention, and has more left
        (900, 400, None, None, None),  # it lost 100, and has less left: the number of copied bytes is unknown
        (None, None, None, None, None),  # unknown
    ],
)
def test_rate_eta_and_stalled_come_from_the_census_before(
    spark: SparkSession, left: int | None, done: int | None, rate: float | None, eta: int | None, stalled: bool | None
) -> None:
    """Bytes that the target gained, or fewer if more is left than before; an ETA only if bytes left fall this way."""
    row = backlog(spark, [held(1, 1000), held(4, 300)], previous=[before(left, done)])["move", 4]
    assert (row.bytes_per_second, row.eta_seconds, row.stalled) == (rate, eta, stalled)
    assert row.previous_census_id == BEFORE


@pytest.mark.parametrize(
    ("then", "now", "stalled"),
    [
        ({"copied_bytes": 1200}, 1200, True),  # a compacted leader: nothing was copied
        ({"copied_bytes": 1100}, 1200, False),
        ({"copied_bytes": 1300}, 1200, None),  # the copy was compacted, too: unknown
        ({}, 1200, True),  # a row of a release that has no size of the copy
        ({"bytes_left": 600, "bytes_done": 1400, "copied_bytes": 1400}, 1500, False),
    ],
)
def test_a_copy_that_is_not_smaller_than_its_source_has_not_ended(
    spark: SparkSession, then: dict[str, int], now: int, stalled: bool | None
) -> None:
    """Only the ISR ends a move: without it there is no ETA, and a copy that gains nothing is stalled."""
    previous = [before(0, 1000, **{key: value for key, value in then.items() if key == "copied_bytes"}) | then]
    row = backlog(spark, [held(1, 1000), held(4, now)], previous=previous)["move", 4]
    assert (row.bytes_left, row.eta_seconds, row.eta_reason, row.stalled) == (0, None, LARGER, stalled)
    synced = part(1, [1, 2, 4], [1, 2, 4])
    row = backlog(spark, [held(1, 1000), held(4, now)], previous=previous, partitions=[synced])["move", 4]
    assert (row.bytes_left, row.eta_seconds, row.eta_reason, row.stalled) == (0, 0, None, False)


def test_a_future_replica_has_not_ended_while_it_is_there(spark: SparkSession) -> None:
    """Once it has caught up it becomes the current one, whatever the ISR has."""
    log_dirs = [held(4, 400), held(4, 400, "/d2", is_future=True)]
    same = before(0, 400, kind="log_dir_move", future_log_dir="/d2", copied_bytes=400)
    row = backlog(spark, log_dirs, reassignments=[], previous=[same])["log_dir_move", 4]
    why = "the copy is not smaller than its source, and not the current replica yet"
    assert (row.bytes_left, row.eta_seconds, row.eta_reason, row.stalled) == (0, None, why, True)


def test_first_sight_has_no_rate(spark: SparkSession) -> None:
    """Without a row of the same replica and kind there is nothing to compare with."""
    others = [before(1700, 0, replica_id=5), before(1700, 0, partition=1), before(0, 0, kind="remove", replica_id=1)]
    rows = backlog(spark, [held(1, 1000), held(4, 300)], previous=others)
    row = rows["move", 4]
    assert (row.bytes_per_second, row.eta_seconds, row.stalled, row.previous_census_id) == (None,) * 4
    done = backlog(spark, [held(1, 1000), held(4, 1000)])["move", 4]
    assert (done.bytes_left, done.eta_seconds, done.eta_reason, done.stalled) == (0, None, LARGER, None)
    gone = rows["remove", 1]
    assert (gone.bytes_per_second, gone.stalled, gone.previous_census_id) == (None, None, BEFORE)


def test_finished_copy_is_neither_stalled_nor_late(spark: SparkSession) -> None:
    """It is in the ISR: the ETA is now."""
    synced = part(1, [1, 2, 4], [1, 2, 4])
    row = backlog(spark, [held(1, 1000), held(4, 1000)], previous=[before(0, 1000)], partitions=[synced])["move", 4]
    assert (row.bytes_left, row.eta_seconds, row.stalled) == (0, 0, False)


def test_log_dir_move_to_another_dir_is_another_copy(spark: SparkSession) -> None:
    """The previous census saw a move to another dir, whose progress does not count."""
    log_dirs = [held(4, 1000), held(4, 400, "/d2", is_future=True)]
    elsewhere = [before(900, 100, kind="log_dir_move", future_log_dir="/d3")]
    same = [before(900, 100, kind="log_dir_move", future_log_dir="/d2")]
    row = backlog(spark, log_dirs, reassignments=[], previous=elsewhere)["log_dir_move", 4]
    assert (row.bytes_per_second, row.previous_census_id) == (None, None)
    row = backlog(spark, log_dirs, reassignments=[], previous=same)["log_dir_move", 4]
    assert (row.bytes_per_second, row.eta_seconds, row.previous_census_id) == (3.0, 200, BEFORE)


def test_topic_that_was_made_again_is_another_copy(spark: SparkSession) -> None:
    """Fewer bytes left than before, but for another topic of that name; without topic ids the name decides."""
    for topic_id, rate in (("id-of-another-t", None), ("id-of-t", 3.0), (None, 3.0)):
        previous = [before(1000, 0, topic_id=topic_id)]
        row = backlog(spark, [held(1, 1000), held(4, 300)], previous=previous)["move", 4]
        assert (row.bytes_per_second, row.previous_census_id is None) == (rate, rate is None)


LEADER_RATE, FOLLOWER_RATE = "leader.replication.throttled.rate", "follower.replication.throttled.rate"
LOG_DIR_RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
DYNAMIC_BROKER, DYNAMIC_DEFAULT, STATIC, DEFAULT = 2, 3, 4, 5
NO_LIMIT = 2**63 - 1


def broker(node: int, source: int = DYNAMIC_BROKER, release: str | None = "4.3", **rates: int) -> list[Item]:
    """The config of a broker of that release, reported by itself: min.insync.replicas, and rates where they are set."""
    names = {"leader": LEADER_RATE, "follower": FOLLOWER_RATE, "log_dir": LOG_DIR_RATE}
    values = {"min.insync.replicas": 1} | {names[kind]: rate for kind, rate in rates.items()}
    of = {"resource_type": "broker", "resource_name": str(node), "error_code": 0, "source": source}
    of["release_at_least"] = release
    return [item(node, 1, **of, name=name, value=str(value)) for name, value in values.items()]


def listed(leaders: str, followers: str, topic: str = "t") -> list[Item]:
    """A topic's lists of throttled replicas; a topic without them has empty ones."""
    of = {"resource_type": "topic", "resource_name": topic, "error_code": 0, "source": 1}
    lists = {"leader": leaders, "follower": followers}
    return [
        item(1, 1, **of, name=f"{kind}.replication.throttled.replicas", value=value) for kind, value in lists.items()
    ]


def throttles(row: Row) -> tuple[int | None, int | None, int | None]:
    """The rates of the copy, of its source and of its target."""
    at_source, at_target = row.source_throttle_bytes_per_second, row.target_throttle_bytes_per_second
    return row.throttle_bytes_per_second, at_source, at_target


@pytest.mark.parametrize(
    ("leaders", "followers", "expected"),
    [
        ("*", "*", (50, 100, 50)),
        ("0:1", "0:4", (50, 100, 50)),
        ("3:7, 0:1", "3:7,0:4,5:4", (50, 100, 50)),
        ("0:1", "", (100, 100, None)),
        ("", "0:4", (50, None, 50)),
        ("1:1,0:4", "0:1,10:4", (None, None, None)),  # other partitions, and brokers of the other end
        ("", "", (None, None, None)),
    ],
)
def test_rates_hold_back_what_the_topic_lists(
    spark: SparkSession, leaders: str, followers: str, expected: tuple[int | None, ...]
) -> None:
    """The leader's rate at the source, the follower's at the target, and the lower of the two for the copy."""
    configs = [*broker(1, leader=100, follower=7), *broker(4, leader=3, follower=50)]
    log_dirs, lists = [held(1, 1000), held(4, 300)], listed(leaders, followers)
    rows = backlog(spark, log_dirs, topic_configs=lists, broker_configs=configs)
    assert throttles(rows["move", 4]) == expected
    reasons = [(row.source_throttle_reason, row.target_throttle_reason) for row in rows.values()]
    assert (reasons, throttles(rows["remove", 1])) == ([(None, None)] * 2, (None, None, None))


def test_only_dynamic_rates_are_in_force(spark: SparkSession) -> None:
    """Brokers do not read rates from server.properties; a cluster-wide rate counts; Kafka's default is no throttle."""
    log_dirs, lists = [held(1, 1000), held(4, 300)], listed("*", "*")
    for source, rate, expected in (
        (DYNAMIC_BROKER, 9, 9),
        (DYNAMIC_DEFAULT, 9, 9),
        (DYNAMIC_BROKER, 0, 0),
        (STATIC, 9, None),
        (DEFAULT, NO_LIMIT, None),
        (DYNAMIC_BROKER, NO_LIMIT, None),
    ):
        configs = [*broker(1, source, leader=rate), *broker(4)]
        row = backlog(spark, log_dirs, topic_configs=lists, broker_configs=configs)["move", 4]
        assert throttles(row) == (expected, expected, None), (source, rate)
        assert (row.source_throttle_reason, row.target_throttle_reason) == (None, None)


def test_rate_for_all_brokers_is_in_force_from_3_9_on(spark: SparkSession) -> None:
    """KAFKA-10190; before, BrokerConfigHandler read only the broker's own rates. Each end follows its own release."""
    log_dirs, lists = [held(1, 1000), held(4, 300)], listed("*", "*")
    unknown = (
        f"{LEADER_RATE} is set for all brokers, which counts from 3.9 on, and the API ranges of broker 1 "
        "prove no release"
    )
    for release, rate, why in (("3.9", 9, None), ("3.8", None, None), ("2.8", None, None), (None, None, unknown)):
        configs = [*broker(1, DYNAMIC_DEFAULT, release, leader=9), *broker(4, DYNAMIC_DEFAULT, follower=7)]
        row = backlog(spark, log_dirs, topic_configs=lists, broker_configs=configs)["move", 4]
        assert throttles(row) == (None if why else 7, rate, 7), release
        assert (row.source_throttle_reason, row.target_throttle_reason) == (why, None)
        own = [*broker(1, release=release, leader=9), *broker(4)]
        row = backlog(spark, log_dirs, topic_configs=lists, broker_configs=own)["move", 4]
        assert (throttles(row), row.source_throttle_reason) == ((9, 9, None), None)


def test_object_storage_is_no_log_dir(spark: SparkSession) -> None:
    """Redpanda lists a partition's remote part as a dir of the same broker, larger than the local one."""
    log_dirs = [held(1, 1000), held(1, 9000, "remote://bucket"), held(4, 300), held(4, 9000, "remote://bucket")]
    row = backlog(spark, log_dirs)["move", 4]
    assert (row.bytes_total, row.bytes_left, row.log_dir) == (1000, 700, "/d1")


def test_log_dir_move_is_held_back_by_its_broker_alone(spark: SparkSession) -> None:
    """No topic lists it, and no rate between brokers applies."""
    log_dirs = [held(4, 1000), held(4, 400, "/d2", is_future=True)]
    configs = broker(4, leader=1, follower=2, log_dir=30)
    row = backlog(spark, log_dirs, reassignments=[], broker_configs=configs)["log_dir_move", 4]
    assert throttles(row) == (30, None, 30)
    assert (row.source_throttle_reason, row.target_throttle_reason) == (None, None)


def test_throttle_is_null_with_the_reason_where_configs_were_not_read(spark: SparkSession) -> None:
    """The config of a broker or of the topic; a value that the other answer alone decides is known."""
    log_dirs, lists = [held(1, 1000), held(4, 300)], listed("*", "*")
    denied = item(4, 1, resource_type="broker", resource_name="4", error_code=31)
    stopped = [missing_read("DescribeConfigs", "brokers", 4, "BROKER_NOT_ALIVE")]
    unread = [missing_read("DescribeConfigs", "topics", None, "DEADLINE_EXCEEDED")]
    both = [*broker(1, leader=100), *broker(4)]
    not_denied = item(1, 1, resource_type="topic", resource_name="t", error_code=29)
    no_broker_4 = "DescribeConfigs was not read from broker 4 (BROKER_NOT_ALIVE)"
    for configs, topic, missing, source, target in (
        (broker(1, leader=100), lists, stopped, None, no_broker_4),
        (
            [*broker(1, leader=100), denied],
            lists,
            [],
            None,
            "DescribeConfigs answered CLUSTER_AUTHORIZATION_FAILED for broker 4",
        ),
        (broker(1, leader=100), listed("*", ""), stopped, None, None),
        (both, [], unread, "DescribeConfigs was not read (DEADLINE_EXCEEDED)", None),
        (both, [not_denied], [], "DescribeConfigs answered TOPIC_AUTHORIZATION_FAILED for this topic", None),
    ):
        row = backlog(spark, log_dirs, topic_configs=topic, broker_configs=configs, missing=missing)["move", 4]
        assert (row.source_throttle_reason, row.target_throttle_reason) == (source, target)
        known = None if source else 100
        assert throttles(row) == (None if source or target else known, known, None)


def test_throttle_of_a_copy_without_a_leader_is_not_known(spark: SparkSession) -> None:
    """There is no source whose rate could be read: the reason is that of the bytes."""
    row = backlog(
        spark,
        [held(4, 300)],
        partitions=[part(-1, [2], [1, 2, 4])],
        topic_configs=listed("*", "*"),
        broker_configs=broker(4, follower=5),
    )["move", 4]
    assert throttles(row) == (None, None, 5)
    assert row.source_throttle_reason == row.bytes_left_reason == "the partition has no leader to copy from"
