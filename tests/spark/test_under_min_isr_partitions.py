"""Every partition has exactly one status against its effective minimum ISR, and nothing bad is lost on the way."""

from typing import Any

from pyspark.sql import Row, SparkSession
from pyspark.testing import assertDataFrameEqual

from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS
from spark.landed_items import CENSUS, CLUSTER, Item, at, compute, gap, item, rows_by

TABLE = UNDER_MIN_ISR_PARTITIONS
OFFSETS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
MIN_ISR = "min.insync.replicas"
TOPIC, DYNAMIC_BROKER, DYNAMIC_DEFAULT, STATIC, DEFAULT = 1, 2, 3, 4, 5


def part(topic: str, replicas: list[int], isr: list[int], **columns: Any) -> Item:
    """A partition, led by the first in sync unless said otherwise."""
    plain = {
        "topic": topic,
        "topic_id": f"id-of-{topic}",
        "is_internal": topic == OFFSETS,
        "error_code": 0,
        "partition": 0,
        "leader_id": isr[0] if isr else -1,
        "replicas": replicas,
        "isr": isr,
        "eligible_leader_replicas": [],
        "last_known_elr": [],
        "offline_replicas": [],
        "elr_known": True,
    }
    return item(**plain | columns)


def config(kind: str, name: str | int, value: int | None, source: int, asked: int = 1, received: int = 0) -> Item:
    """min.insync.replicas of a topic or a broker, as broker `asked` answered."""
    said = {"error_code": 0, "name": MIN_ISR, "value": None if value is None else str(value), "source": source}
    return item(asked, received, resource_type=kind, resource_name=str(name), **said)


def move(topic: str, replicas: list[int], adding: list[int], removing: list[int], received: int = 0) -> Item:
    """A running reassignment of partition 0."""
    lists = {"replicas": replicas, "adding_replicas": adding, "removing_replicas": removing}
    return item(1, received, topic=topic, partition=0, **lists)


def judge(spark: SparkSession, *partitions: Item, min_isr: int = 2, **more: Any) -> dict[Any, Row]:
    """The table by topic and partition; every topic's own minimum is `min_isr` unless configs are given."""
    topics = {str(partition["topic"]) for partition in partitions}
    roles = {"topic_configs": [config("topic", topic, min_isr, TOPIC) for topic in topics]} | more
    return rows_by(compute(spark, TABLE, partitions=list(partitions), **roles), "topic", "partition")


def test_empty_inputs_give_the_tables_columns(spark: SparkSession) -> None:
    """Names and types are the declared ones, and an empty cluster has no rows."""
    computed = compute(spark, TABLE)
    assert computed.dtypes == [(field.name, field.dataType.simpleString()) for field in TABLE.schema]
    assert computed.count() == 0


def test_a_healthy_partition(spark: SparkSession) -> None:
    """Every column of the plainest row."""
    computed = compute(
        spark,
        TABLE,
        partitions=[part("t", [1, 2, 3], [1, 2, 3])],
        topic_configs=[config("topic", "t", 2, TOPIC, received=4)],
    )
    head = (CENSUS, CLUSTER, at(4), "t", 0, "id-of-t", False, "OK", None, 1)
    lists = ([1, 2, 3], [1, 2, 3], [], [], True, [], [], [])
    numbers = (3, 3, 2, "topic", None, 2, "topic", 3, 0, False, False, True, True, 0, *[None] * 4)
    expected = spark.createDataFrame([(*head, *lists, *numbers)], TABLE.schema)
    assertDataFrameEqual(computed, expected, ignoreNullable=True)


def test_statuses_are_told_apart(spark: SparkSession) -> None:
    """Fewer than the minimum, just the minimum, above it with one missing, nothing missing, nobody leading."""
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
    """The minimum is capped by the partition's replicas (the raw rule of kafka-topics says it is under)."""
    row = judge(spark, part("t", [1], [1]))["t", 0]
    assert (row.min_isr_raw, row.min_isr_effective, row.status, row.ready_for_acks_all) == (2, 1, "OK", True)
    assert (row.under_by_raw_rule, row.at_min_isr) == (True, True)
    assert (row.min_isr_source, row.min_isr_effective_source) == ("topic", "replication_factor")


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
    """Replicas that are not there yet cannot be missing, nor hide that another is."""
    row = judge(spark, part("t", [1, 2, 3, 4], [1, 2, 3]), reassignments=[move("t", [1, 2, 3, 4, 5], [5], [])])["t", 0]
    assert (row.status, row.missing_replicas, row.adding_replicas) == ("UNDER_REPLICATED", 1, [])


def test_empty_isr_with_eligible_replicas_is_kept(spark: SparkSession) -> None:
    """The worst rows have no leader and nobody in sync; joins must not lose them."""
    elr = {"eligible_leader_replicas": [2], "last_known_elr": [1], "offline_replicas": [1, 2]}
    row = judge(spark, part("t", [1, 2], [], **elr))["t", 0]
    assert (row.status, row.leader_id, row.isr, row.isr_size, row.missing_replicas) == ("OFFLINE", None, [], 0, 2)
    assert (row.eligible_leader_replicas, row.last_known_elr, row.offline_replicas) == ([2], [1], [1, 2])
    assert (row.available, row.ready_for_acks_all, row.at_min_isr) == (False, False, False)


def test_fully_replicated_at_its_minimum_is_ok_and_at_min_isr(spark: SparkSession) -> None:
    """Kafka's AtMinIsr counts it; nothing is missing, so the status is OK."""
    row = judge(spark, part("t", [1, 2], [1, 2]))["t", 0]
    assert (row.status, row.at_min_isr) == ("OK", True)


def test_minimum_of_the_leader_counts_where_the_topic_has_none(spark: SparkSession) -> None:
    """The answering broker shows its own value; the leader's own, of whatever source, is what is enforced."""
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
        assert (row.min_isr_raw, row.min_isr_source, row.min_isr_node_id) == (2, "dynamic_broker", 2)
        assert (row.status, row.observed_at) == ("UNDER", at(5).replace(tzinfo=None))
    own = rows["own", 0]
    assert (own.min_isr_raw, own.min_isr_source, own.min_isr_node_id, own.status) == (1, "topic", None, "AT")


def test_every_source_of_a_minimum_is_named(spark: SparkSession) -> None:
    """Kafka's ConfigSource as a word, of the leader's own answer; a number that we do not know stays unknown."""
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
    told = {topic: row.min_isr_source for (topic, _), row in rows.items()}
    assert told == {f"led-by-{leader}": word for leader, word in sources.items()} | {
        "led-by-77": "unknown",
        "own": "topic",
    }
    assert all(row.min_isr_effective_source == row.min_isr_source for row in rows.values())


def test_other_configs_of_a_topic_are_not_its_minimum(spark: SparkSession) -> None:
    """DescribeConfigs answers other keys in the same rows; one alone is no answer about the minimum."""
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
    """A reader sees from min_isr_node_id that the value is not the leader's own."""
    configs = [config("topic", topic, 2, STATIC, asked=9) for topic in ("led", "leaderless")]
    rows = judge(
        spark,
        part("led", [2, 3], [2]),
        part("leaderless", [2, 3], []),
        topic_configs=configs,
        gaps=[gap("DescribeConfigs", "brokers", 2, "CONNECTION_FAILED")],
    )
    assert {(row.min_isr_raw, row.min_isr_source, row.min_isr_node_id) for row in rows.values()} == {(2, "static", 9)}
    assert (rows["led", 0].status, rows["leaderless", 0].status) == ("UNDER", "OFFLINE")


def test_unread_minimum_is_unknown_with_its_reason_but_offline_stays_offline(spark: SparkSession) -> None:
    """Null with a reason, and no guess from the leader: the topic may have a value of its own."""
    denied = item(resource_type="topic", resource_name="denied", error_code=29)
    rows = judge(
        spark,
        part("denied", [1, 2], [1]),
        part("unread", [1, 2], [1]),
        part("offline", [1, 2], []),
        topic_configs=[denied],
        broker_configs=[config("broker", 1, 1, STATIC)],
        gaps=[gap("DescribeConfigs", "topics", None, "DEADLINE_EXCEEDED")],
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
    """Without them a replica out of sync may be one being added; what does not hang on that is still told."""
    rows = judge(
        spark,
        part("doubtful", [1, 2, 3], [1, 2]),
        part("under", [1, 2, 3], [1]),
        part("ok", [1, 2], [1, 2]),
        gaps=[gap("ListPartitionReassignments", "cluster", None, "CLUSTER_AUTHORIZATION_FAILED")],
    )
    assert {topic: (row.status, row.missing_replicas) for (topic, _), row in rows.items()} == {
        "doubtful": ("UNKNOWN", None),
        "under": ("UNDER", None),
        "ok": ("OK", 0),
    }
    assert rows["doubtful", 0].reason == "ListPartitionReassignments was not read (CLUSTER_AUTHORIZATION_FAILED)"
    assert {row.target_replication_factor for row in rows.values()} == {None}


def test_topic_that_could_not_be_described_is_a_row(spark: SparkSession) -> None:
    """Deleted meanwhile, denied, or answered without partitions: partition -1, UNKNOWN, never an absence."""
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


def offsets(isr: list[int], **columns: Any) -> list[Item]:
    """__consumer_offsets with two partitions: 0 as said, 1 healthy."""
    return [part(OFFSETS, [1, 2, 3], isr, **columns), part(OFFSETS, [1, 2, 3], [2, 1, 3], partition=1)]


def group(group_id: str, broker: int = 1, received: int = 7) -> Item:
    """A group in a broker's ListGroups; "b", "d" and "f" hash to partition 0 of 2, "c" to 1."""
    return item(broker, received, group_id=group_id)


GROUPS = [group("b"), group("d"), group("f"), group("f", broker=2), group("c")]


def test_groups_that_cannot_commit_are_counted_where_their_partition_is_under(spark: SparkSession) -> None:
    """Each group once though two brokers list it; 0 on the healthy partition, null for other topics."""
    rows = judge(spark, *offsets([1]), part("t", [1, 2], [1]), groups=GROUPS)
    counted = {key: (row.groups_unable_to_commit, row.groups_unable_to_commit_reason) for key, row in rows.items()}
    assert counted == {(OFFSETS, 0): (3, None), (OFFSETS, 1): (0, None), ("t", 0): (None, None)}
    assert rows[OFFSETS, 0].observed_at == at(7).replace(tzinfo=None)


def test_groups_of_a_leaderless_partition_are_not_counted_as_none(spark: SparkSession) -> None:
    """They vanish from ListGroups without an error: 0 would be a short answer that looks complete."""
    row = judge(spark, *offsets([], leader_id=-1), groups=[group("c")])[OFFSETS, 0]
    assert (row.status, row.groups_unable_to_commit) == ("OFFLINE", None)
    assert row.groups_unable_to_commit_reason == "no leader: its groups are listed by no broker"


def test_groups_are_null_where_the_leaders_list_was_not_read(spark: SparkSession) -> None:
    """Only the leader lists a partition's groups: another broker's missing list does not matter."""
    stopped = [gap("ListGroups", "groups", 3, "BROKER_NOT_ALIVE")]
    row = judge(spark, *offsets([1]), groups=GROUPS, gaps=stopped)[OFFSETS, 0]
    assert (row.groups_unable_to_commit, row.groups_unable_to_commit_reason) == (3, None)
    refused = [*stopped, gap("ListGroups", "groups", 1, "COORDINATOR_LOAD_IN_PROGRESS")]
    rows = judge(spark, *offsets([1]), groups=GROUPS, gaps=refused)
    row = rows[OFFSETS, 0]
    assert (row.status, row.groups_unable_to_commit) == ("UNDER", None)
    assert row.groups_unable_to_commit_reason == "ListGroups was not read from broker 1 (COORDINATOR_LOAD_IN_PROGRESS)"
    assert rows[OFFSETS, 1].groups_unable_to_commit == 0


def test_groups_are_null_where_readiness_is_unknown(spark: SparkSession) -> None:
    """The partition's own reason is theirs."""
    row = judge(spark, *offsets([1]), groups=GROUPS, topic_configs=[])[OFFSETS, 0]
    assert (row.status, row.groups_unable_to_commit) == ("UNKNOWN", None)
    assert row.groups_unable_to_commit_reason == row.reason


def transactions(isr: list[int], **columns: Any) -> list[Item]:
    """__transaction_state with two partitions: 0 as said, 1 healthy."""
    return [part(TRANSACTIONS, [1, 2, 3], isr, **columns), part(TRANSACTIONS, [1, 2, 3], [2, 1, 3], partition=1)]


def transactional_id(name: str, broker: int = 1) -> Item:
    """An id in a broker's ListTransactions, hashed as group ids are."""
    return item(broker, 8, transactional_id=name, producer_id=1, transaction_state="Empty")


IDS = [transactional_id("b"), transactional_id("d"), transactional_id("d", broker=2), transactional_id("c")]


def test_transactional_ids_that_cannot_commit_are_counted_at_their_own_topic(spark: SparkSession) -> None:
    """Hashed as groups are, but over __transaction_state: neither topic counts the other's ids."""
    rows = judge(spark, *offsets([1]), *transactions([1]), part("t", [1, 2], [1]), groups=GROUPS, transactions=IDS)
    counted = {key: (row.groups_unable_to_commit, row.transactional_ids_unable_to_commit) for key, row in rows.items()}
    assert counted == {
        (OFFSETS, 0): (3, None),
        (OFFSETS, 1): (0, None),
        (TRANSACTIONS, 0): (None, 2),
        (TRANSACTIONS, 1): (None, 0),
        ("t", 0): (None, None),
    }
    assert {row.transactional_ids_unable_to_commit_reason for row in rows.values()} == {None}
    assert rows[TRANSACTIONS, 0].observed_at == at(8).replace(tzinfo=None)


def test_transactional_ids_are_null_with_the_reason_where_they_are_not_known(spark: SparkSession) -> None:
    """No leader that lists them, its list not read, or its partition's minimum not known; other topics have none."""
    loading = [gap("ListTransactions", "transactions", 1, "COORDINATOR_LOAD_IN_PROGRESS")]
    by_case = {
        "no leader": judge(spark, *transactions([], leader_id=-1), transactions=IDS),
        "not read": judge(spark, *transactions([1]), *offsets([1]), transactions=IDS, groups=GROUPS, gaps=loading),
        "no minimum": judge(spark, *transactions([1]), transactions=IDS, topic_configs=[]),
    }
    told = {case: rows[TRANSACTIONS, 0].transactional_ids_unable_to_commit_reason for case, rows in by_case.items()}
    assert told == {
        "no leader": "no leader: its transactional ids are listed by no broker",
        "not read": "ListTransactions was not read from broker 1 (COORDINATOR_LOAD_IN_PROGRESS)",
        "no minimum": by_case["no minimum"][TRANSACTIONS, 0].reason,
    }
    assert {rows[TRANSACTIONS, 0].transactional_ids_unable_to_commit for rows in by_case.values()} == {None}
    assert by_case["not read"][OFFSETS, 0].groups_unable_to_commit == 3


def test_no_listed_group_is_zero_where_the_list_was_read(spark: SparkSession) -> None:
    """An UNDER partition without groups: nobody is unable to commit."""
    assert judge(spark, *offsets([1]), groups=[])[OFFSETS, 0].groups_unable_to_commit == 0


def told(topic: str, min_isr: int | None, received: int = 0) -> Item:
    """A topic as Metadata lists it, with KIP-637's field where a broker has it."""
    columns = {"topic": topic, "partition_count": 1, "error_code": 0, "min_insync_replicas": min_isr}
    return item(2, received, **columns)


def test_min_isr_of_metadata_is_preferred(spark: SparkSession) -> None:
    """KIP-637's field is one answer with the topic's state; DescribeConfigs is used where a broker has none."""
    rows = judge(
        spark,
        part("told", [1, 2, 3], [1, 2]),
        part("not-told", [1, 2, 3], [1, 2]),
        topics=[told("told", 3, received=7), told("not-told", None)],
    )
    seen = {topic: (row.min_isr_raw, row.min_isr_source, row.status) for (topic, _), row in rows.items()}
    assert seen == {"told": (3, "metadata", "UNDER"), "not-told": (2, "topic", "AT")}
    assert (rows["told", 0].min_isr_node_id, rows["told", 0].observed_at.second) == (2, 7)


def test_min_isr_of_metadata_stands_in_for_configs_that_were_refused(spark: SparkSession) -> None:
    """It needs DESCRIBE only; DESCRIBE_CONFIGS may be missing."""
    refused = item(1, resource_type="topic", resource_name="t", error_code=29)
    row = judge(spark, part("t", [1, 2], [1]), topics=[told("t", 2)], topic_configs=[refused])["t", 0]
    assert (row.min_isr_raw, row.status) == (2, "UNDER")


def test_both_ways_to_learn_the_minimum_agree(spark: SparkSession) -> None:
    """The same topics, told by Metadata or by DescribeConfigs: the same rows but for where it is from."""
    partitions = [part("a", [1, 2, 3], [1]), part("b", [1, 2, 3], [1, 2]), part("c", [1], [1])]
    configs = [config("topic", name, 2, TOPIC) for name in "abc"]
    by_config = judge(spark, *partitions, topic_configs=configs)
    by_metadata = judge(spark, *partitions, topic_configs=[], topics=[told(name, 2) for name in "abc"])
    where_from = ("min_isr_source", "min_isr_effective_source", "min_isr_node_id")
    columns = [name for name in TABLE.columns if name not in where_from]
    assert [[row[name] for name in columns] for row in by_config.values()] == [
        [row[name] for name in columns] for row in by_metadata.values()
    ]
