"""Rows of published tables, for tests that only copy, show or hide them."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from kafka_census.declarations.census import Census
from kafka_census.declarations.table import Table
from kafka_census.lake.lake import Lake
from spark.fake_lake import BROKERS, NOON, census
from spark.report_lake import append, ids_of

HEALTHY: dict[str, list[dict[str, Any]]] = {
    "group_coordinator_placement": [
        {"group_id": f"g-{node}", "listed_by": [node], "found_coordinator": node, "expected_coordinator": node}
        for node in BROKERS
    ],
    "under_min_isr_partitions": [
        {"topic": "__consumer_offsets", "groups_unable_to_commit": 0},
        {"topic": "a"},
        {"topic": "b"},
    ],
    "reassignment_backlog": [{"topic": "b", "replica_id": 1, "adding_replicas": [1], "removing_replicas": []}],
}
"""Rows as they are computed of `fake_lake.healthy`, in what tells them from a right row of the suite's faults."""


def stage_healthy(lake: Lake, made: Census, *tables: Table, rows: Mapping[str, list[dict[str, Any]]] = HEALTHY) -> None:
    """Rows that break no rule, as many as were landed, unless other `rows` are given."""
    given = ids_of(made) | {"observed_at": NOON}
    before = {"previous_census_id": census(0).census_id}
    for table in tables:
        ids = given | (before if "previous_census_id" in table.columns else {})
        right = import_module(f"tables.{table.name}.faults").FAULTS.right | ids
        append(lake, table, [right | row for row in rows[table.name]])


def stage(lake: Lake, table: Table, *censuses: Census) -> None:
    """A row of each census, written without Spark."""
    append(lake, table, [staged_row(table, made) for made in censuses])


def staged_row(table: Table, made: Census) -> dict[str, Any]:
    """A row of any published table, with its identity and a key that `fake_lake.healthy` has, too."""
    known = ids_of(made) | {"observed_at": NOON, "topic": "b", "partition": 0, "replica_id": 1, "kind": "move"}
    known |= {"group_id": "g-1", "bytes_left": 30, "bytes_total": 40, "bytes_done": 10}
    return {name: value for name, value in known.items() if name in table.columns}
