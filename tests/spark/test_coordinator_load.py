"""Coordinated ids are counted once at their broker, and the takeover without that broker follows Kafka's own rule."""

from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from kafka_census.tables.coordinator_load import COORDINATOR_LOAD
from spark.landed_items import Item, at, compute, item, missing_read, rows_by

TABLE = COORDINATOR_LOAD
OFFSETS, STATE = "__consumer_offsets", "__transaction_state"


def partition(topic: str, number: int, leader: int, replicas: list[int], **more: Any) -> Item:
    """A partition with all of its replicas in sync by default."""
    known = {"isr": replicas, "eligible_leader_replicas": [], "error_code": 0}
    return item(1, 1, topic=topic, partition=number, leader_id=leader, replicas=replicas, **known | more)


def broker(node: int, *, fenced: bool = False) -> Item:
    """A broker that DescribeCluster names."""
    return item(1, 0, node_id=node, is_fenced=fenced)


def group(name: str, coordinator: int | None, number: int | None, partitions: int = 2, received: int = 3) -> Item:
    """A row of group_coordinator_placement."""
    placement = {"offsets_partition": number, "offsets_partitions": partitions, "found_coordinator": coordinator}
    return _row(received) | {"group_id": name} | placement


def transactional(name: str, coordinator: int | None, number: int | None) -> Item:
    """A row of transaction_coordinator_placement."""
    placement = {"transactions_partition": number, "transactions_partitions": 2, "found_coordinator": coordinator}
    return _row(4) | {"transactional_id": name} | placement


def _row(received: int) -> dict[str, Any]:
    page = dict(item())
    return {"census_id": page["census_id"], "cluster_id": page["cluster_id"], "observed_at": at(received)}


def member(name: str, member_id: str | None, error_code: int = 0) -> Item:
    """A member of a group as in a describing RPC; None is a group without members."""
    return item(1, 5, group_id=name, error_code=error_code, member_id=member_id)


CLUSTER: dict[str, list[Item]] = {
    "brokers": [broker(1), broker(2), broker(3)],
    "partitions": [
        partition(OFFSETS, 0, 1, [1, 2, 3]),
        partition(OFFSETS, 1, 2, [2, 3, 1]),
        partition(STATE, 0, 1, [1, 3, 2]),
        partition(STATE, 1, 1, [1, 2, 3]),
    ],
}


def load(spark: SparkSession, **roles: Any) -> dict[int, Row]:
    """The table by broker."""
    rows = rows_by(compute(spark, TABLE, **CLUSTER | roles), "broker_id")
    for row in rows.values():
        for ids in ("groups", "transactional_ids"):
            if row[ids] is not None:
                moved = sum(each[ids] for each in row.if_lost)
                assert row[ids] == moved + row[f"{ids}_stranded"] + row[f"{ids}_unforeseen"]
    return rows


def test_what_a_broker_has_and_who_would_get_it(spark: SparkSession) -> None:
    """Each partition goes to its own next replica; members of all four types of group are counted once each."""
    rows = load(
        spark,
        groups=[group("a", 1, 0), group("b", 1, 0), group("c", 1, 0), group("d", 2, 1)],
        transactions=[transactional("t", 1, 0), transactional("u", 1, 1), transactional("v", 1, 1)],
        classic_groups=[member("a", "m"), member("a", "n"), member("a", "n")],
        consumer_groups=[member("b", "m")],
        share_groups=[member("c", None)],
        streams_groups=[member("d", "m")],
    )
    one, two, three = rows[1], rows[2], rows[3]
    assert (one.groups, one.members, one.groups_undescribed, one.members_reason) == (3, 3, 0, None)
    assert (one.transactional_ids, one.offsets_partitions_led, one.transactions_partitions_led) == (3, 1, 2)
    assert [tuple(each) for each in one.if_lost] == [(2, 3, 2), (3, 0, 1)]
    assert [tuple(each) for each in two.if_lost] == [(3, 1, 0)]
    assert (one.groups_expected, two.groups_expected, three.groups_expected) == (2.0, 2.0, 0.0)
    assert (one.transactional_ids_expected, two.transactional_ids_expected) == (3.0, 0.0)
    assert (three.groups, three.transactional_ids, three.members, three.if_lost) == (0, 0, 0, [])
    assert {row.broker_state for row in rows.values()} == {"alive"}
    assert one.observed_at == at(5).replace(tzinfo=None)


def test_next_is_in_sync_else_eligible_and_alive_else_nobody(spark: SparkSession) -> None:
    """The order is that of the assignment; a fenced broker may be eligible, and cannot be elected.

    A replica out of sync is not elected either: no unclean election and no last known leader is foreseen.
    """
    partitions = [
        partition(OFFSETS, 0, 1, [1, 2, 3], isr=[1, 3]),
        partition(OFFSETS, 1, 1, [1, 2, 4, 3], isr=[1], eligible_leader_replicas=[3, 4]),
        partition(OFFSETS, 2, 1, [1, 4], isr=[1], eligible_leader_replicas=[4]),
        partition(OFFSETS, 3, 1, [1, 2], isr=[1], last_known_elr=[2]),
        partition(OFFSETS, 4, -1, [2], isr=[]),
    ]
    names = [group(f"g{number}", 1, number, 5) for number in (0, 1, 2, 2, 3)]
    groups = [*names, group("lost", None, 4, 5)]
    rows = load(
        spark,
        brokers=[broker(1), broker(2), broker(3), broker(4, fenced=True)],
        partitions=partitions,
        groups=groups,
    )
    assert [tuple(each) for each in rows[1].if_lost] == [(3, 2, 0)]
    assert (rows[1].groups, rows[1].groups_stranded, rows[1].offsets_partitions_led) == (5, 3, 4)
    assert {row.groups_unplaced for row in rows.values()} == {1}
    assert rows[4].broker_state == "fenced"


def test_a_group_off_its_formula_is_not_foreseen(spark: SparkSession) -> None:
    """The topic grew: broker 1 coordinates a group whose partition by formula is led by another broker."""
    row = load(spark, groups=[group("a", 1, 0), group("b", 1, 1), group("c", 1, None)])[1]
    assert (row.groups, row.groups_unforeseen, row.groups_stranded) == (3, 2, 0)
    assert [tuple(each) for each in row.if_lost] == [(2, 1, 0), (3, 0, 0)]


def test_brokers_are_known_from_every_answer(spark: SparkSession) -> None:
    """A stopped broker is only in replica lists of some topic; a coordinator may be in no other answer."""
    partitions = [*CLUSTER["partitions"], partition("orders", 0, 2, [2, 8])]
    rows = load(spark, partitions=partitions, groups=[group("a", 9, 0)])
    assert {node: row.broker_state for node, row in rows.items()} == {
        **dict.fromkeys((1, 2, 3), "alive"),
        **dict.fromkeys((8, 9), "not_alive"),
    }
    assert (rows[8].groups, rows[9].groups, rows[9].groups_unforeseen) == (0, 1, 1)
    missing = [missing_read("DescribeCluster", "cluster", None, "DEADLINE_EXCEEDED")]
    assert {row.broker_state for row in load(spark, brokers=[], missing=missing).values()} == {"unknown"}


def test_a_list_that_was_not_read_is_not_an_empty_one(spark: SparkSession) -> None:
    """A leader that did not list its groups has an unknown number; a broker that leads nothing has 0."""
    missing = [
        missing_read("ListGroups", "groups", 1, "CONNECTION_FAILED"),
        missing_read("ListGroups", "groups", 3, "BROKER_NOT_ALIVE"),
        missing_read("ListTransactions", "transactions", 3, "BROKER_NOT_ALIVE"),
    ]
    rows = load(spark, transactions=[transactional("t", 1, 0)], missing=missing)
    one, three = rows[1], rows[3]
    assert one.groups_reason == one.members_reason == "ListGroups was not read from broker 1 (CONNECTION_FAILED)"
    assert (one.groups, one.groups_stranded, one.groups_unforeseen, one.members) == (None,) * 4
    assert [tuple(each) for each in one.if_lost] == [(2, None, 0), (3, None, 1)]
    assert (three.groups, three.groups_reason, three.transactional_ids) == (0, None, 0)


@pytest.mark.parametrize(
    ("state", "missing", "why"),
    [
        ([item(topic=STATE, error_code=29)], [], f"{STATE} was not described: TOPIC_AUTHORIZATION_FAILED"),
        (
            [],
            [missing_read("DescribeTopicPartitions", "topics", 2, "REQUEST_TIMED_OUT")],
            "DescribeTopicPartitions was not read from broker 2 (REQUEST_TIMED_OUT)",
        ),
        ([], [], f"{STATE} is not described: it does not exist or is not visible to this principal"),
    ],
)
def test_a_topic_that_was_not_described_has_leaders_that_nobody_knows(
    spark: SparkSession, state: list[Item], missing: list[Any], why: str
) -> None:
    """Nulls with the reason, only for that topic."""
    partitions = [*CLUSTER["partitions"][:2], *state]
    row = load(spark, partitions=partitions, transactions=[transactional("t", 1, 0)], missing=missing)[1]
    assert (row.transactions_partitions_led, row.transactions_partitions_led_reason) == (None, why)
    assert (row.transactional_ids_expected, row.transactional_ids, row.transactional_ids_unforeseen) == (None, 1, 1)
    assert (row.offsets_partitions_led, row.offsets_partitions_led_reason) == (1, None)


def test_members_say_how_many_groups_they_lack(spark: SparkSession) -> None:
    """A sum over some groups has the number of the others beside it, and a sum over none is null."""
    groups = [group("a", 1, 0), group("b", 1, 0), group("c", 1, 0), group("d", 2, 1)]
    missing = [missing_read("ConsumerGroupDescribe", "groups", 1, "CONNECTION_FAILED")]
    rows = load(spark, groups=groups, classic_groups=[member("a", "m"), member("b", None, 30)], missing=missing)
    assert (rows[1].members, rows[1].groups_undescribed) == (1, 2)
    assert rows[1].members_reason == (
        "2 of its groups not described: GROUP_AUTHORIZATION_FAILED, no answer; "
        "ConsumerGroupDescribe was not read from broker 1 (CONNECTION_FAILED)"
    )
    assert (rows[2].members, rows[2].members_reason) == (None, "1 of its groups not described: no answer")


def test_skew_is_of_the_cluster_and_says_when_there_is_too_little(spark: SparkSession) -> None:
    """Thirty groups on one of two partitions are no coincidence; one transactional id proves nothing."""
    rows = load(spark, groups=[group(f"g{n}", 1, 0) for n in range(30)], transactions=[transactional("t", 1, 0)])
    assert {(row.groups_chi_square, row.groups_skew) for row in rows.values()} == {(30.0, "wrong")}
    assert rows[3].groups_p_value == pytest.approx(4.3205e-8, rel=1e-4)
    reason = "1 on 2 partitions: too few to tell"
    assert (rows[3].transactional_ids_skew, rows[3].transactional_ids_skew_reason) == (None, reason)
    assert load(spark)[1].groups_skew_reason == "no groups"
