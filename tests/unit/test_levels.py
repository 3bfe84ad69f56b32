"""Walks in levels: as few as there can be, and none before what it needs."""

import pytest

from harness.few_tables import FEW_TABLES
from kafka_census.tables import TABLES, WALKS
from kafka_census.tables.levels import levels, walks_for
from kafka_census.tables.table import Table
from kafka_census.tables.walk import Walk


def numbered(walks: tuple[Walk, ...]) -> dict[tuple[str, str], int]:
    return {walk.name: number for number, level in enumerate(levels(walks)) for walk in level}


@pytest.mark.parametrize(("tables", "most"), [(TABLES, 7), (FEW_TABLES, 3)], ids=["all", "few"])
def test_a_census_has_few_levels(tables: tuple[Table, ...], most: int) -> None:
    """Each is a commit, and a Spark job that asks."""
    walks = walks_for(tables)
    assert len(levels(walks)) == most
    assert sorted(walk.name for level in levels(walks) for walk in level) == sorted(walk.name for walk in walks)


def test_no_walk_begins_before_what_it_comes_after() -> None:
    of = numbered(WALKS)
    for walk in WALKS:
        assert all(of[name] < of[walk.name] for name in walk.comes_after), walk.name


def test_every_walk_stands_behind_what_it_comes_after() -> None:
    """The order of the declarations is one that `levels` may rely on."""
    seen: set[tuple[str, str]] = set()
    for walk in WALKS:
        assert walk.comes_after <= seen, walk.name
        seen.add(walk.name)


def test_a_fall_back_is_listed_no_later_than_the_walk_that_falls_back() -> None:
    """It is asked for by those keys in a later wave of its level."""
    of = numbered(WALKS)
    for walk in WALKS:
        if walk.fallback is not None:
            assert of[walk.fallback.rpc, walk.fallback.scope] <= of[walk.name]


def test_what_is_not_taken_is_not_waited_for() -> None:
    some = tuple(walk for walk in WALKS if walk.name in {("ListOffsets", "earliest"), ("ListOffsets", "latest")})
    assert len(levels(some)) == 1


@pytest.mark.parametrize(
    "order",
    [
        [("ListPartitionReassignments", "before"), ("DescribeTopicPartitions", "topics"),
         ("ListPartitionReassignments", "cluster")],
        [("ListOffsets", "earliest"), ("OffsetFetch", "groups"), ("ListOffsets", "latest")],
        [("ListOffsets", "earliest"), ("DescribeShareGroupOffsets", "groups"), ("ListOffsets", "last_stable")],
        [("DescribeProducers", "partitions"), ("ListTransactions", "transactions"),
         ("DescribeTransactions", "transactional_ids"), ("DescribeProducers", "recheck")],
    ],
    ids=["reassignments", "lag", "share", "transactions"],
)  # fmt: skip
def test_times_that_matter_are_kept(order: list[tuple[str, str]]) -> None:
    of = numbered(WALKS)
    numbers = [of[name] for name in order]
    assert numbers == sorted(set(numbers))
