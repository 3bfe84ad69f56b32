"""Walks in levels: as few as there can be, and none before what it needs; and which items they take keys from."""

import sqlite3
from typing import Any

import pytest

from harness.few_tables import FEW_TABLES
from kafka_census.declarations.levels import levels, walks_for
from kafka_census.declarations.table import Table
from kafka_census.declarations.walk import Except, Only, Walk
from kafka_census.declarations.walks import WALKS
from kafka_census.tables.all_tables import TABLES


def numbered(walks: tuple[Walk, ...]) -> dict[tuple[str, str], int]:
    return {walk.name: number for number, level in enumerate(levels(walks)) for walk in level}


@pytest.mark.parametrize(("tables", "most"), [(TABLES, 7), (FEW_TABLES, 3)], ids=["all", "few"])
def test_a_census_has_few_levels(tables: tuple[Table, ...], most: int) -> None:
    """Each is a commit, and a Spark job that asks."""
    walks = walks_for(tables)
    assert len(levels(walks)) == most
    assert sorted(walk.name for level in levels(walks) for walk in level) == sorted(walk.name for walk in walks)


def test_a_walk_stands_and_is_made_after_what_it_needs() -> None:
    """Keys, endpoints and times. A fall-back is listed no later: it is asked for by those keys in a later wave."""
    of, seen = numbered(WALKS), set()
    for walk in WALKS:
        assert walk.comes_after <= seen, walk.name
        assert all(of[name] < of[walk.name] for name in walk.comes_after), walk.name
        assert walk.fallback is None or of[walk.fallback.rpc, walk.fallback.scope] <= of[walk.name], walk.name
        seen.add(walk.name)
    # What is not taken is not waited for.
    some = tuple(walk for walk in WALKS if walk.name in {("ListOffsets", "earliest"), ("ListOffsets", "latest")})
    assert len(levels(some)) == 1


@pytest.mark.parametrize(
    "order",
    [
        "ListPartitionReassignments/before DescribeTopicPartitions/topics ListPartitionReassignments/cluster",
        # A start that is read later may have moved past a healthy group; an end that is read before may be behind it.
        "ListOffsets/earliest OffsetFetch/groups ListOffsets/latest",
        "ListOffsets/earliest OffsetFetch/groups ListOffsets/last_stable",
        "ListOffsets/earliest DescribeShareGroupOffsets/groups ListOffsets/latest",
        "ListOffsets/earliest DescribeShareGroupOffsets/groups ListOffsets/last_stable",
        # What is open in both looks was open while ids were listed and described: that is the proof that it hangs.
        "DescribeProducers/partitions ListTransactions/transactions DescribeProducers/recheck",
        "ListTransactions/transactions DescribeTransactions/transactional_ids DescribeProducers/recheck",
    ],
)
def test_times_that_matter_are_kept(order: str) -> None:
    of = numbered(WALKS)
    numbers = [of[rpc, scope] for rpc, _, scope in (name.partition("/") for name in order.split())]
    assert numbers == sorted(set(numbers))


def in_sql(only: Only, value: str | int | None) -> bool | None:
    """The condition for one item, as a database has it; SQLite knows AND, NOT, IN and nulls as Spark does."""
    with sqlite3.connect(":memory:") as database:
        (answer,) = database.execute(f"SELECT {only.sql()} FROM (SELECT ? AS {only.column})", (value,)).fetchone()
    return None if answer is None else bool(answer)


@pytest.mark.parametrize("among", [True, False])
@pytest.mark.parametrize(
    ("values", "null", "items"),
    [
        *(
            (values, null, ("classic", "consumer", "share", None))
            for values in (("consumer",), ("classic", "share"))
            for null in (None, "classic", "share")
        ),
        # Error codes are chosen like names.
        ((0,), None, (0, 3, None)),
    ],
    ids=str,
)
def test_sql_and_python_choose_the_same_items(
    values: tuple[Any, ...], null: str | None, items: tuple[Any, ...], among: bool
) -> None:
    """A null without a meaning is none of any values."""
    only = (Only if among else Except)("kind", values, null=null)
    chosen = [only.holds({"kind": item}) for item in items]
    assert [in_sql(only, item) for item in items] == chosen
    assert null is not None or chosen[-1] is not among


@pytest.mark.parametrize(("offset", "key"), [(0, "t/3"), (17, "t/3"), (None, None)])
def test_only_partitions_with_an_open_transaction_are_asked_again(offset: int | None, key: str | None) -> None:
    (walk,) = (walk for walk in WALKS if walk.scope == "recheck")
    assert walk.keys.of({"topic": "t", "partition": 3, "current_txn_start_offset": offset}) == key
    assert in_sql(walk.keys.only, offset) is (key is not None)
