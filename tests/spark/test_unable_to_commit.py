"""Groups and transactional ids that cannot commit are counted at the partition that they hash to, or are unknown."""

from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from spark.landed_items import REDPANDA, Item, at, item, missing_read
from spark.partition_items import DEFAULT, OFFSETS, TRANSACTIONS, config, judge, part

# Each id's hash is its letter's code: "h", "p" and "x" are of partition 0 of 8, "a" of 1, "b" of 2, and so on.
LISTED = {1: "hpx", 3: "c", 4: "de", 5: "u", 7: "g", 9: "axi"}
"""The ids that each broker lists; broker 9 leads partition 1."""


ELSEWHERE = "hash to partitions of other brokers: it may know another number of partitions of"


def partitions(topic: str) -> list[Item]:
    """One partition in each state, of a topic with a minimum of two."""
    return [
        part(topic, [1, 2, 3], [1]),
        part(topic, [9, 2, 3], [9, 2, 3], partition=1),
        part(topic, [1, 2, 3], [], partition=2, leader_id=-1),
        part(topic, [3, 2, 1], [3], partition=3),
        part(topic, [4, 2, 3], [4], partition=4),
        part(topic, [5, 2, 3], [5], partition=5),
        part(topic, [6, 2, 3], [6], partition=6),
        part(topic, [7], [7], partition=7),  # whether its leader caps the minimum is not known
    ]


def reported(what: str, rpc: str, topic: str, unknown: str | None) -> dict[int, tuple[int | None, str | None]]:
    """By partition, the number of ids that cannot commit, and why it is not known."""
    return {
        0: (3, None),  # each counts once, though two brokers list it
        1: (0, None),
        2: (None, f"no leader: its {what} are listed by no broker"),  # 0 would be a short answer that looks complete
        3: (None, f"{rpc} was not read from broker 3 (COORDINATOR_LOAD_IN_PROGRESS)"),
        # A broker counts added partitions after its restart: "e" hashes to another broker's partition.
        4: (None, f"1 {what} that broker 4 lists {ELSEWHERE} {topic}"),
        5: (1, None),  # one that only another broker lists is not at this partition, whatever its hash
        6: (0, None),
        7: (None, unknown),
    }


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[Any, Row]:
    every = [(broker, name) for broker, names in LISTED.items() for name in names]
    listed = {"producer_id": 1, "transaction_state": "Empty"}
    return judge(
        spark,
        *partitions(OFFSETS),
        *partitions(TRANSACTIONS),
        part("t", [1, 2], [1]),
        groups=[item(broker, 7, group_id=name) for broker, name in every],
        transactions=[item(broker, 8, transactional_id=name, **listed) for broker, name in every],
        broker_configs=[config("broker", node, 1, DEFAULT, asked=node) for node in (1, 2, 3, 4, 5, 6, 9)],
        missing=[
            missing_read(rpc, scope, 3, "COORDINATOR_LOAD_IN_PROGRESS")
            for rpc, scope in (("ListGroups", "groups"), ("ListTransactions", "transactions"))
        ],
    )


@pytest.mark.parametrize(
    ("what", "rpc", "topic", "other", "at_seconds"),
    [
        ("groups", "ListGroups", OFFSETS, "transactional_ids", 7),
        ("transactional ids", "ListTransactions", TRANSACTIONS, "groups", 8),
    ],
)
def test_ids_are_counted_where_their_partition_is_not_ready_or_are_not_known(
    rows: dict[Any, Row], what: str, rpc: str, topic: str, other: str, at_seconds: int
) -> None:
    """Neither topic counts the other's ids, and other topics count none."""
    column = f"{what.replace(' ', '_')}_unable_to_commit"
    expected = reported(what, rpc, topic, rows[topic, 7].reason)
    found = {number: (rows[topic, number][column], rows[topic, number][f"{column}_reason"]) for number in expected}
    assert found == expected
    assert [rows[topic, number].status for number in expected] == [
        "UNDER", "OK", "OFFLINE", "UNDER", "UNDER", "UNDER", "UNDER", "UNKNOWN"
    ]  # fmt: skip
    assert {rows[topic, number][f"{other}_unable_to_commit"] for number in expected} == {None}
    assert (rows["t", 0][column], rows["t", 0][f"{column}_reason"]) == (None, None)
    assert rows[topic, 0].observed_at == at(at_seconds).replace(tzinfo=None)


def test_groups_of_redpanda_are_null(spark: SparkSession) -> None:
    """Our hash does not give their partitions: matches are coincidences."""
    placed = [dict(one) | {"cluster_id": REDPANDA} for one in (part(OFFSETS, [1, 2, 3], [1]),)]
    row = judge(spark, *placed, groups=[item(1, 7, group_id="b")])[OFFSETS, 0]
    assert (row.status, row.groups_unable_to_commit) == ("UNDER", None)
    assert row.groups_unable_to_commit_reason == "the formula does not apply: Redpanda places ids by a hash of its own"
