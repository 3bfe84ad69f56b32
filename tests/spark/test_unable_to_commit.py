"""Groups and transactional ids that cannot commit are counted at the partition that they hash to, or are unknown."""

from typing import Any

from pyspark.sql import SparkSession

from spark.landed_items import REDPANDA, Item, at, item, missing_read
from spark.partition_items import OFFSETS, TRANSACTIONS, judge, part


def offsets(isr: list[int], **columns: Any) -> list[Item]:
    """__consumer_offsets with two partitions: 0 as given, 1 healthy."""
    return [part(OFFSETS, [1, 2, 3], isr, **columns), part(OFFSETS, [1, 2, 3], [2, 1, 3], partition=1)]


def group(group_id: str, broker: int = 1, received: int = 7) -> Item:
    """A group in a broker's ListGroups; "b", "d" and "f" hash to partition 0 of 2, "c" to 1."""
    return item(broker, received, group_id=group_id)


GROUPS = [group("b"), group("d"), group("f"), group("f", broker=2), group("c", broker=2)]


def test_groups_that_cannot_commit_are_counted_where_their_partition_is_under(spark: SparkSession) -> None:
    """Each group counts once, though two brokers list it; 0 on the healthy partition, null for other topics."""
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
    stopped = [missing_read("ListGroups", "groups", 3, "BROKER_NOT_ALIVE")]
    row = judge(spark, *offsets([1]), groups=GROUPS, missing=stopped)[OFFSETS, 0]
    assert (row.groups_unable_to_commit, row.groups_unable_to_commit_reason) == (3, None)
    refused = [*stopped, missing_read("ListGroups", "groups", 1, "COORDINATOR_LOAD_IN_PROGRESS")]
    rows = judge(spark, *offsets([1]), groups=GROUPS, missing=refused)
    row = rows[OFFSETS, 0]
    assert (row.status, row.groups_unable_to_commit) == ("UNDER", None)
    assert row.groups_unable_to_commit_reason == "ListGroups was not read from broker 1 (COORDINATOR_LOAD_IN_PROGRESS)"
    assert rows[OFFSETS, 1].groups_unable_to_commit == 0


def test_groups_are_null_where_readiness_is_unknown(spark: SparkSession) -> None:
    """The reason of the partition is the reason for the groups, too."""
    row = judge(spark, *offsets([1]), groups=GROUPS, topic_configs=[])[OFFSETS, 0]
    assert (row.status, row.groups_unable_to_commit) == ("UNKNOWN", None)
    assert row.groups_unable_to_commit_reason == row.reason


def transactions(isr: list[int], **columns: Any) -> list[Item]:
    """__transaction_state with two partitions: 0 as given, 1 healthy."""
    return [part(TRANSACTIONS, [1, 2, 3], isr, **columns), part(TRANSACTIONS, [1, 2, 3], [2, 1, 3], partition=1)]


def transactional_id(name: str, broker: int = 1) -> Item:
    """An id in a broker's ListTransactions, hashed as group ids are."""
    return item(broker, 8, transactional_id=name, producer_id=1, transaction_state="Empty")


IDS = [transactional_id("b"), transactional_id("d"), transactional_id("d", broker=2), transactional_id("c", broker=2)]


def test_transactional_ids_that_cannot_commit_are_counted_at_their_own_topic(spark: SparkSession) -> None:
    """Hashed like groups, but over __transaction_state: neither topic counts the other's ids."""
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
    loading = [missing_read("ListTransactions", "transactions", 1, "COORDINATOR_LOAD_IN_PROGRESS")]
    by_case = {
        "no leader": judge(spark, *transactions([], leader_id=-1), transactions=IDS),
        "not read": judge(spark, *transactions([1]), *offsets([1]), transactions=IDS, groups=GROUPS, missing=loading),
        "no minimum": judge(spark, *transactions([1]), transactions=IDS, topic_configs=[]),
    }
    reported = {case: rows[TRANSACTIONS, 0].transactional_ids_unable_to_commit_reason for case, rows in by_case.items()}
    assert reported == {
        "no leader": "no leader: its transactional ids are listed by no broker",
        "not read": "ListTransactions was not read from broker 1 (COORDINATOR_LOAD_IN_PROGRESS)",
        "no minimum": by_case["no minimum"][TRANSACTIONS, 0].reason,
    }
    assert {rows[TRANSACTIONS, 0].transactional_ids_unable_to_commit for rows in by_case.values()} == {None}
    assert by_case["not read"][OFFSETS, 0].groups_unable_to_commit == 3


def test_groups_are_null_where_their_broker_hashes_by_another_number_of_partitions(spark: SparkSession) -> None:
    """A broker counts added partitions after its restart: "c" now hashes to another broker's partition."""
    rows = judge(spark, *offsets([1]), groups=[group("b"), group("c")])
    row = rows[OFFSETS, 0]
    assert (row.status, row.groups_unable_to_commit) == ("UNDER", None)
    assert row.groups_unable_to_commit_reason == (
        "1 groups that broker 1 lists hash to partitions of other brokers: it may know another number of partitions "
        "of __consumer_offsets"
    )
    assert rows[OFFSETS, 1].groups_unable_to_commit == 0


def test_groups_of_redpanda_are_null(spark: SparkSession) -> None:
    """Our hash does not give their partitions: matches are coincidences."""
    partitions = [dict(one) | {"cluster_id": REDPANDA} for one in offsets([1])]
    row = judge(spark, *partitions, groups=[group("b")])[OFFSETS, 0]
    assert (row.status, row.groups_unable_to_commit) == ("UNDER", None)
    assert row.groups_unable_to_commit_reason == "the formula does not apply: Redpanda places ids by a hash of its own"


def test_groups_are_counted_where_they_are_listed(spark: SparkSession) -> None:
    """A group that only another broker lists is not at this partition, whatever its hash."""
    assert (
        judge(spark, *offsets([1]), groups=[group("b"), group("d", broker=3)])[OFFSETS, 0].groups_unable_to_commit == 1
    )


def test_no_listed_group_is_zero_where_the_list_was_read(spark: SparkSession) -> None:
    """An UNDER partition without groups: no group is unable to commit."""
    assert judge(spark, *offsets([1]), groups=[])[OFFSETS, 0].groups_unable_to_commit == 0
