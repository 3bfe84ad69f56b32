"""Questions of docs/questions.md on rows that an emulated incident does not have."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.compared import DUCKDB, Row, arrow, rows_of
from harness.documented import QUESTIONS, blocks
from kafka_census.tables.all_tables import TABLES

ASKED = [block.text for block in blocks(QUESTIONS) if block.language == "sql"]


def answer(number: int, **tables: Sequence[Row]) -> list[Mapping[str, Any]]:
    """The rows that answer a question, from the rows of `current_<table>`; other columns are null."""
    for table in TABLES:
        if table.name in tables:
            DUCKDB.register(f"current_{table.name}", arrow(table, tables[table.name]))
    return rows_of(ASKED[number - 1])


def led(partition: int, isr_size: int, min_isr: int | None) -> Row:
    of = {"cluster_id": "c", "topic": "__consumer_offsets", "partition": partition, "leader_id": 1}
    return of | {"isr_size": isr_size, "min_isr_effective": min_isr}


def held(group: str, partition: int) -> Row:
    return {"cluster_id": "c", "group_id": group, "offsets_partition": partition}


def test_a_coordinator_that_takes_over_below_the_minimum_isr() -> None:
    """Two in sync of which one is lost, and a minimum of two; of a third group the minimum is not known."""
    heirs = [{"broker_id": 2, "groups": 4, "transactional_ids": 0}]
    busiest = {"cluster_id": "c", "broker_id": 1, "groups": 4, "groups_stranded": 0, "if_lost": heirs}
    [row] = answer(
        8,
        coordinator_load=[busiest],
        under_min_isr_partitions=[led(0, 2, 2), led(1, 3, 2), led(2, 2, None), led(3, 2, 2) | {"leader_id": 2}],
        group_coordinator_placement=[held("a", 0), held("b", 1), held("c", 2), held("d", 3)],
    )
    assert (row["cannot_commit"], row["not_known"], row["takes_over"], row["groups"]) == (1, 1, 2, 4)


def test_how_many_controllers_may_fail_is_not_known_without_a_quorum() -> None:
    """ZooKeeper has none: the answer is not -1. Of three voters that are caught up, one may fail."""
    unread = {"cluster_id": "z", "cluster": "old", "role": "unknown", "replica_id": -1, "reason": "not offered"}
    voter = {"cluster_id": "k", "cluster": "new", "role": "voter"}
    voters = [voter | {"replica_id": number, "caught_up": caught} for number, caught in enumerate((True, True, None))]
    found = {row["cluster"]: row for row in answer(19, quorum=[unread, *voters, voters[0] | {"role": "observer"}])}
    assert {name: (row["voters"], row["may_fail"], row["not_known"], row["reason"]) for name, row in found.items()} == {
        "old": (0, None, 0, "not offered"),
        "new": (3, 0, 1, None),
    }
