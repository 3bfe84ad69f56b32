"""Every partition has exactly one status against its effective minimum ISR, and no bad partition is lost."""

import pytest
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual

from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS as TABLE
from spark.landed_items import CENSUS, CLUSTER, Item, at, compute, item, missing_read
from spark.partition_items import (
    DEFAULT,
    DYNAMIC_BROKER,
    DYNAMIC_DEFAULT,
    STATIC,
    TOPIC,
    config,
    judge,
    move,
    of_release,
    part,
)


def test_a_healthy_partition(spark: SparkSession) -> None:
    """Every column of the simplest row."""
    computed = compute(
        spark,
        TABLE,
        partitions=[part("t", [1, 2, 3], [1, 2, 3])],
        topic_configs=[config("topic", "t", 2, TOPIC, received=4)],
    )
    head = (CENSUS, CLUSTER, at(4), "t", 0, "id-of-t", False, "OK", None, 1)
    lists = ([1, 2, 3], [1, 2, 3], [], [], True, [], [], [])
    numbers = (3, 3, 2, "topic", None, 2, "topic", 3, 0, False, False, True, True, 0, *[None] * 4)
    expected = spark.createDataFrame([(*head, *lists, *numbers)], TABLE.computed)
    assertDataFrameEqual(computed, expected, ignoreNullable=True)


def test_statuses_are_reported_apart(spark: SparkSession) -> None:
    """Below the minimum, at the minimum, above it with one missing, nothing missing, no leader."""
    rows = judge(
        spark,
        part("under", [1, 2, 3], [1]),
        part("at", [1, 2, 3], [1, 2]),
        part("under-replicated", [1, 2, 3, 4], [1, 2, 3]),
        part("ok", [1, 2, 3], [1, 2, 3]),
        part("offline", [1, 2, 3], [3], leader_id=-1),
    )
    assert {topic: (row.status, row.ready_for_acks_all, row.reason) for (topic, _), row in rows.items()} == {
        "under": ("UNDER", False, "1 in sync, 2 needed for an acks=all write"),
        "at": ("AT", True, "2 in sync, 2 needed, 1 missing"),
        "under-replicated": ("UNDER_REPLICATED", True, "3 in sync, 2 needed, 1 missing"),
        "ok": ("OK", True, None),
        "offline": ("OFFLINE", False, "no leader; replicas 1, 2, 3"),
    }
    assert rows["offline", 0].available is False
    assert rows["offline", 0].under_by_raw_rule is True


def test_one_replica_with_minimum_two_takes_writes(spark: SparkSession) -> None:
    """The minimum is capped by the partition's replicas (by the raw rule of kafka-topics it is under)."""
    row = judge(spark, part("t", [1], [1]))["t", 0]
    assert (row.min_isr_raw, row.min_isr_effective, row.status, row.ready_for_acks_all) == (2, 1, "OK", True)
    assert (row.under_by_raw_rule, row.at_min_isr) == (True, True)
    assert (row.min_isr_source, row.min_isr_effective_source) == ("topic", "replication_factor")


@pytest.mark.parametrize(
    ("release", "effective", "source", "status", "ready"),
    [
        ("2.8", 2, "topic", "UNDER", False),
        ("3.5", 2, "topic", "UNDER", False),  # a broker of 3.6 proves no later release
        ("3.7", 1, "replication_factor", "OK", True),
        ("4.3", 1, "replication_factor", "OK", True),
        (None, None, "unknown", "UNKNOWN", None),
    ],
)
def test_leader_before_3_7_enforces_the_raw_minimum(
    spark: SparkSession, release: str | None, effective: int | None, source: str, status: str, ready: bool | None
) -> None:
    """One replica with minimum 2 refuses every acks=all write there; Partition.effectiveMinIsr is of 3.7."""
    row = judge(spark, part("t", [1], [1]), broker_configs=[of_release(1, release)])["t", 0]
    assert (row.min_isr_raw, row.min_isr_effective, row.min_isr_effective_source) == (2, effective, source)
    assert (row.status, row.ready_for_acks_all) == (status, ready)
    here = "broker 1 caps the minimum of 2 at 1 replicas"
    assert row.reason == {
        "OK": None,
        "UNDER": "1 in sync, 2 needed for an acks=all write: "
        "broker 1 is older than 3.7 and does not cap the minimum at 1 replicas",
        "UNKNOWN": f"whether {here} is not known: the API ranges of broker 1 prove no release",
    }.get(status)


def test_release_of_the_leader_decides_in_a_mixed_cluster(spark: SparkSession) -> None:
    """Not that of another replica, nor that of the broker that answered."""
    rows = judge(
        spark,
        part("old", [1, 2], [1, 2]),
        part("new", [2, 1], [2, 1]),
        min_isr=3,
        broker_configs=[of_release(1, "3.5"), of_release(2, "3.7")],
    )
    assert {topic: (row.min_isr_effective, row.status) for (topic, _), row in rows.items()} == {
        "old": (3, "UNDER"),
        "new": (2, "OK"),
    }


def test_unknown_release_of_the_leader_matters_only_above_the_number_of_replicas(spark: SparkSession) -> None:
    """Every release enforces a minimum within the replicas; with a replica out of sync both rules refuse."""
    stopped = [missing_read("DescribeConfigs", "brokers", 1, "CONNECTION_FAILED")]
    within, above = part("within", [1, 2, 3], [1, 2]), part("above", [1, 2], [1, 2])
    lacking, leaderless = part("lacking", [1, 2], [1]), part("leaderless", [1, 2], [])
    minima = {"within": 2, "above": 3, "lacking": 3, "leaderless": 3}
    configs = [config("topic", topic, value, TOPIC) for topic, value in minima.items()]
    partitions = [within, above, lacking, leaderless]
    for missing, why in (
        (stopped, "DescribeConfigs was not read from broker 1 (CONNECTION_FAILED)"),
        ([], "broker 1 did not answer DescribeConfigs"),
    ):
        rows = judge(spark, *partitions, topic_configs=configs, broker_configs=[], missing=missing)
        assert {topic: (row.status, row.ready_for_acks_all, row.reason) for (topic, _), row in rows.items()} == {
            "within": ("AT", True, "2 in sync, 2 needed, 1 missing"),
            "above": ("UNKNOWN", None, f"whether broker 1 caps the minimum of 3 at 2 replicas is not known: {why}"),
            "lacking": ("UNDER", False, "1 in sync, 2 or more needed for an acks=all write"),
            "leaderless": ("OFFLINE", False, "no leader; replicas 1, 2"),
        }
        assert {topic: row.min_isr_effective for (topic, _), row in rows.items()} == {
            "within": 2,
            "above": None,
            "lacking": None,
            "leaderless": None,
        }


def test_leader_without_the_listener_that_was_asked_is_not_offline(spark: SparkSession) -> None:
    """Metadata answers LISTENER_NOT_FOUND (72) for it, and LEADER_NOT_AVAILABLE (5) where there is no leader."""
    hidden, none = {"leader_id": -1, "partition_error_code": 72}, {"leader_id": -1, "partition_error_code": 5}
    rows = judge(spark, part("hidden", [1, 2], [1, 2], **hidden), part("offline", [1, 2], [1], **none))
    row = rows["hidden", 0]
    assert (row.status, row.reason) == ("UNKNOWN", "the leader has no listener of the name that was asked")
    assert (row.available, row.ready_for_acks_all, row.at_min_isr, row.under_by_raw_rule) == (None, None, None, None)
    assert (rows["offline", 0].status, rows["offline", 0].available) == ("OFFLINE", False)


def test_each_partition_is_capped_by_its_own_replicas(spark: SparkSession) -> None:
    """Partitions of one topic may differ in their number of replicas."""
    rows = judge(spark, part("t", [1, 2, 3], [1]), part("t", [1], [1], partition=1))
    assert {key: (row.min_isr_effective, row.status) for key, row in rows.items()} == {
        ("t", 0): (2, "UNDER"),
        ("t", 1): (1, "OK"),
    }


def test_adding_replicas_count_for_the_minimum_but_are_not_missing(spark: SparkSession) -> None:
    """A move raises what brokers require, and KIP-352 leaves its new replicas out of under-replicated."""
    rows = judge(
        spark,
        part("grows", [1, 2], [1]),
        part("moves", [1, 2, 3, 4], [1, 2, 3]),
        part("moves-and-lost-one", [1, 2, 3, 4], [1, 2]),
        reassignments=[
            move("grows", [1, 2], [2], []),
            move("moves", [1, 2, 3, 4], [4], [1]),
            move("moves-and-lost-one", [1, 2, 3, 4], [4], []),
        ],
    )
    grows, moves = rows["grows", 0], rows["moves", 0]
    assert (grows.min_isr_effective, grows.status, grows.missing_replicas) == (2, "UNDER", 0)
    assert (moves.status, moves.missing_replicas, moves.adding_replicas, moves.removing_replicas) == ("OK", 0, [4], [1])
    assert (moves.replication_factor, moves.target_replication_factor) == (4, 3)
    assert (rows["moves-and-lost-one", 0].status, rows["moves-and-lost-one", 0].missing_replicas) == ("AT", 1)


def test_move_that_began_after_the_description_takes_nothing_away(spark: SparkSession) -> None:
    """Replicas that do not exist yet cannot be missing, nor hide that another one is."""
    row = judge(spark, part("t", [1, 2, 3, 4], [1, 2, 3]), reassignments=[move("t", [1, 2, 3, 4, 5], [5], [])])["t", 0]
    assert (row.status, row.missing_replicas, row.adding_replicas) == ("UNDER_REPLICATED", 1, [])


def test_move_that_ended_after_the_description_is_in_the_listing_before(spark: SparkSession) -> None:
    """Listed, described, ended: the added replica that was not in sync yet does not count as missing."""
    moving = part("t", [2, 3, 4, 1], [1, 2, 3])
    row = judge(spark, moving, reassignments_before=[move("t", [2, 3, 4, 1], [4], [1])])["t", 0]
    assert (row.status, row.missing_replicas, row.adding_replicas, row.removing_replicas) == ("OK", 0, [4], [1])
    assert judge(spark, moving)["t", 0].status == "UNDER_REPLICATED"


def test_move_that_ended_before_the_description_hides_no_missing_replica(spark: SparkSession) -> None:
    """The removed replica is gone, so the added one is an ordinary replica; so is one of a cancelled move."""
    ended, cancelled = part("ended", [2, 3, 4], [2, 3]), part("cancelled", [1, 2, 3], [1, 2])
    listed = [move("ended", [2, 3, 4, 1], [4], [1]), move("cancelled", [1, 2, 3, 4], [4], [])]
    rows = judge(spark, ended, cancelled, reassignments_before=listed)
    assert {topic: (row.status, row.adding_replicas) for (topic, _), row in rows.items()} == {
        "ended": ("AT", []),
        "cancelled": ("AT", []),
    }


def test_move_that_took_the_place_of_another_adds_what_the_description_has(spark: SparkSession) -> None:
    """Each listing counts for the replicas of its own moment; both may have the same."""
    first, second = move("t", [1, 2, 3, 4], [4], []), move("t", [1, 2, 3, 5], [5], [], received=9)
    now = part("t", [1, 2, 3, 5], [1, 2, 3])
    rows = judge(spark, now, reassignments_before=[first], reassignments=[second])
    assert (rows["t", 0].adding_replicas, rows["t", 0].status) == ([5], "OK")
    rows = judge(spark, now, reassignments_before=[second], reassignments=[second])
    assert (rows["t", 0].adding_replicas, rows["t", 0].missing_replicas) == ([5], 0)


def test_empty_isr_with_eligible_replicas_is_kept(spark: SparkSession) -> None:
    """The worst rows have no leader and no replica in sync; joins must not lose them."""
    elr = {"eligible_leader_replicas": [2], "last_known_elr": [1], "offline_replicas": [1, 2]}
    row = judge(spark, part("t", [1, 2], [], **elr))["t", 0]
    assert (row.status, row.leader_id, row.isr, row.isr_size, row.missing_replicas) == ("OFFLINE", None, [], 0, 2)
    assert (row.eligible_leader_replicas, row.last_known_elr, row.offline_replicas) == ([2], [1], [1, 2])
    assert (row.available, row.ready_for_acks_all, row.at_min_isr) == (False, False, False)


def test_fully_replicated_at_its_minimum_is_ok_and_at_min_isr(spark: SparkSession) -> None:
    """Kafka's AtMinIsr counts it; no replica is missing, so the status is OK."""
    row = judge(spark, part("t", [1, 2], [1, 2]))["t", 0]
    assert (row.status, row.at_min_isr) == ("OK", True)


def test_minimum_of_the_leader_counts_where_the_topic_has_none(spark: SparkSession) -> None:
    """The answering broker reports its own value; the leader's value, of any source, is enforced."""
    shown = {"static": STATIC, "default": DEFAULT, "dynamic": DYNAMIC_BROKER, "cluster": DYNAMIC_DEFAULT}
    rows = judge(
        spark,
        *[part(topic, [2, 3], [2]) for topic in shown],
        part("own", [2, 3], [2]),
        topic_configs=[
            *[config("topic", topic, 1, source, asked=9) for topic, source in shown.items()],
            config("topic", "own", 1, TOPIC, asked=9),
        ],
        broker_configs=[config("broker", 2, 2, DYNAMIC_BROKER, asked=2, received=5), config("broker", 3, 3, STATIC)],
    )
    for topic in shown:
        row = rows[topic, 0]
        assert (row.min_isr_raw, row.min_isr_source, row.min_isr_broker_id) == (2, "dynamic_broker", 2)
        assert (row.status, row.observed_at) == ("UNDER", at(5).replace(tzinfo=None))
    own = rows["own", 0]
    assert (own.min_isr_raw, own.min_isr_source, own.min_isr_broker_id, own.status) == (1, "topic", None, "AT")


def test_every_source_of_a_minimum_is_named(spark: SparkSession) -> None:
    """Kafka's ConfigSource as a word, from the leader's own answer; an unknown number becomes unknown."""
    sources = {
        DYNAMIC_BROKER: "dynamic_broker",
        DYNAMIC_DEFAULT: "dynamic_default",
        STATIC: "static",
        DEFAULT: "default",
    }
    rows = judge(
        spark,
        *[part(f"led-by-{leader}", [leader], [leader]) for leader in (*sources, 77)],
        part("own", [2], [2]),
        topic_configs=[
            *[config("topic", f"led-by-{leader}", 1, DEFAULT) for leader in (*sources, 77)],
            config("topic", "own", 1, TOPIC),
        ],
        broker_configs=[config("broker", leader, 1, leader, asked=leader) for leader in (*sources, 77)],
    )
    reported = {topic: row.min_isr_source for (topic, _), row in rows.items()}
    assert reported == {f"led-by-{leader}": word for leader, word in sources.items()} | {
        "led-by-77": "unknown",
        "own": "topic",
    }
    assert all(row.min_isr_effective_source == row.min_isr_source for row in rows.values())


def test_other_configs_of_a_topic_are_not_its_minimum(spark: SparkSession) -> None:
    """DescribeConfigs answers other keys in the same rows; another key alone is no answer about the minimum."""
    other = {"error_code": 0, "name": "leader.replication.throttled.replicas", "value": "9", "source": TOPIC}
    rows = judge(
        spark,
        part("both", [1, 2], [1]),
        part("only-other", [1, 2], [1]),
        topic_configs=[
            config("topic", "both", 1, TOPIC),
            *[item(1, 9, resource_type="topic", resource_name=name, **other) for name in ("both", "only-other")],
        ],
    )
    assert (rows["both", 0].min_isr_raw, rows["both", 0].status) == (1, "AT")
    row = rows["only-other", 0]
    assert (row.status, row.reason) == ("UNKNOWN", "DescribeConfigs answered no min.insync.replicas for this topic")


def test_unread_leader_falls_back_to_the_answering_broker_and_names_it(spark: SparkSession) -> None:
    """min_isr_broker_id shows a reader that the value is not the leader's own."""
    configs = [config("topic", topic, 2, STATIC, asked=9) for topic in ("led", "leaderless")]
    rows = judge(
        spark,
        part("led", [2, 3], [2]),
        part("leaderless", [2, 3], []),
        topic_configs=configs,
        broker_configs=[],
        missing=[missing_read("DescribeConfigs", "brokers", 2, "CONNECTION_FAILED")],
    )
    assert {(row.min_isr_raw, row.min_isr_source, row.min_isr_broker_id) for row in rows.values()} == {(2, "static", 9)}
    assert (rows["led", 0].status, rows["leaderless", 0].status) == ("UNDER", "OFFLINE")


def test_unread_minimum_is_unknown_with_its_reason_but_offline_stays_offline(spark: SparkSession) -> None:
    """Null with a reason, and not the leader's value as a guess: the topic may have its own value."""
    denied = item(resource_type="topic", resource_name="denied", error_code=29)
    rows = judge(
        spark,
        part("denied", [1, 2], [1]),
        part("unread", [1, 2], [1]),
        part("offline", [1, 2], []),
        topic_configs=[denied],
        broker_configs=[config("broker", 1, 1, STATIC)],
        missing=[missing_read("DescribeConfigs", "topics", None, "DEADLINE_EXCEEDED")],
    )
    assert {topic: (row.status, row.reason) for (topic, _), row in rows.items()} == {
        "denied": ("UNKNOWN", "DescribeConfigs answered TOPIC_AUTHORIZATION_FAILED for this topic"),
        "unread": ("UNKNOWN", "DescribeConfigs was not read (DEADLINE_EXCEEDED)"),
        "offline": ("OFFLINE", "no leader; replicas 1, 2"),
    }
    row = rows["denied", 0]
    assert (row.min_isr_raw, row.min_isr_effective) == (None, None)
    assert (row.min_isr_source, row.min_isr_effective_source) == ("unknown", "unknown")
    assert (row.ready_for_acks_all, row.under_by_raw_rule, row.at_min_isr, row.available) == (None, None, None, True)


def test_missing_reassignments_leave_only_the_doubtful_unknown(spark: SparkSession) -> None:
    """Without reassignments, a replica out of sync may be one being added; columns that do not depend on that stay."""
    partitions = [part("doubtful", [1, 2, 3], [1, 2]), part("under", [1, 2, 3], [1]), part("ok", [1, 2], [1, 2])]
    missing = [
        missing_read("ListPartitionReassignments", scope, None, "CLUSTER_AUTHORIZATION_FAILED")
        for scope in ("before", "cluster")
    ]
    rows = judge(spark, *partitions, missing=missing)
    assert judge(spark, *partitions, missing=missing[:1])["doubtful", 0].status == "UNKNOWN"
    assert judge(spark, *partitions, missing=missing[1:])["doubtful", 0].status == "UNKNOWN"
    assert {topic: (row.status, row.missing_replicas) for (topic, _), row in rows.items()} == {
        "doubtful": ("UNKNOWN", None),
        "under": ("UNDER", None),
        "ok": ("OK", 0),
    }
    assert rows["doubtful", 0].reason == "ListPartitionReassignments was not read (CLUSTER_AUTHORIZATION_FAILED)"
    assert {row.target_replication_factor for row in rows.values()} == {None}


def test_topic_that_could_not_be_described_is_a_row(spark: SparkSession) -> None:
    """Deleted meanwhile, denied, or answered without partitions: partition -1, UNKNOWN, never without a row."""
    nothing = {"partition": None, "leader_id": None, "replicas": None, "isr": None, "elr_known": None}
    gone, empty = part("gone", [], []), part("empty", [], [])
    rows = judge(spark, {**gone, **nothing, "error_code": 3}, {**empty, **nothing})
    gone = rows["gone", -1]
    assert (gone.status, gone.error_code, gone.replicas, gone.isr_size, gone.available) == (
        "UNKNOWN",
        3,
        [],
        None,
        None,
    )
    assert gone.reason == "DescribeTopicPartitions answered UNKNOWN_TOPIC_OR_PARTITION for this topic"
    assert (gone.min_isr_raw, gone.min_isr_effective, gone.min_isr_source) == (None, None, "unknown")
    assert rows["empty", -1].reason == "DescribeTopicPartitions answered no partition for this topic"


def reported(topic: str, min_isr: int | None, received: int = 0) -> Item:
    """A topic as Metadata lists it, with KIP-637's field where a broker has it."""
    columns = {"topic": topic, "partition_count": 1, "error_code": 0, "min_insync_replicas": min_isr}
    return item(2, received, **columns)


def test_min_isr_of_metadata_is_preferred(spark: SparkSession) -> None:
    """KIP-637's field is one answer with the topic's state; DescribeConfigs is used where a broker lacks the field."""
    rows = judge(
        spark,
        part("reported", [1, 2, 3], [1, 2]),
        part("not-reported", [1, 2, 3], [1, 2]),
        topics=[reported("reported", 3, received=7), reported("not-reported", None)],
    )
    seen = {topic: (row.min_isr_raw, row.min_isr_source, row.status) for (topic, _), row in rows.items()}
    assert seen == {"reported": (3, "metadata", "UNDER"), "not-reported": (2, "topic", "AT")}
    assert (rows["reported", 0].min_isr_broker_id, rows["reported", 0].observed_at.second) == (2, 7)


def test_min_isr_of_metadata_stands_in_for_configs_that_were_refused(spark: SparkSession) -> None:
    """The field needs DESCRIBE only; DESCRIBE_CONFIGS may be missing."""
    refused = item(1, resource_type="topic", resource_name="t", error_code=29)
    row = judge(spark, part("t", [1, 2], [1]), topics=[reported("t", 2)], topic_configs=[refused])["t", 0]
    assert (row.min_isr_raw, row.status) == (2, "UNDER")


def test_both_ways_to_learn_the_minimum_agree(spark: SparkSession) -> None:
    """The same topics from Metadata or from DescribeConfigs: the same rows except for the source."""
    partitions = [part("a", [1, 2, 3], [1]), part("b", [1, 2, 3], [1, 2]), part("c", [1], [1])]
    configs = [config("topic", name, 2, TOPIC) for name in "abc"]
    by_config = judge(spark, *partitions, topic_configs=configs)
    by_metadata = judge(spark, *partitions, topic_configs=[], topics=[reported(name, 2) for name in "abc"])
    where_from = ("min_isr_source", "min_isr_effective_source", "min_isr_broker_id")
    columns = [name for name in TABLE.computed.names if name not in where_from]
    assert [[row[name] for name in columns] for row in by_config.values()] == [
        [row[name] for name in columns] for row in by_metadata.values()
    ]
