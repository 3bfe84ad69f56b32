"""Rows of published tables, for tests that only copy, show or hide them."""

from typing import Any

from kafka_census.declarations.census import Census
from kafka_census.declarations.table import Table
from spark.fake_lake import NOON


def staged_row(table: Table, made: Census, cluster_id: str) -> tuple[Any, ...]:
    """A row of any published table, with its identity and a key that `fake_lake.healthy` has, too."""
    known = {
        "census_id": made.census_id,
        "cluster_id": cluster_id,
        "observed_at": NOON,
        "topic": "b",
        "partition": 0,
        "replica_id": 1,
        "kind": "move",
        "group_id": "g-1",
        "bytes_left": 30,
        "bytes_total": 40,
        "bytes_done": 10,
    }
    empty = {field.name: [] for field in table.schema.fields if field.dataType.typeName() == "array"}
    return tuple((empty | known).get(name) for name in table.columns)
