"""Two worlds as rows of published tables, and the changes between them by DuckDB; no lake is needed."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb

from harness.small_lake import arrow
from kafka_census.comparison.not_read import not_read
from kafka_census.comparison.query import EXPLODE, Comparison, query
from kafka_census.comparison.subjects import SUBJECTS
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.all_tables import TABLES

Row = Mapping[str, Any]
Rows = Mapping[str, Sequence[Row]]
"""Rows by the name of their table."""

DUCKDB = duckdb.connect(config={"threads": 1})
DUCKDB.execute(EXPLODE)

BEFORE = "20261121T120000000Z-000001"
COMPARED = tuple(table for table in TABLES if table.name in {subject.table for subject in SUBJECTS})


def text(
    lacking_before: Sequence[MissingRead] = (), lacking_after: Sequence[MissingRead] = (), *tables: str, **options: bool
) -> str:
    """The SQL over the subjects of these tables, or of all tables."""
    comparisons = [
        Comparison(subject, BEFORE, not_read(subject, lacking_before), not_read(subject, lacking_after))
        for subject in SUBJECTS
        if not tables or subject.table in tables
    ]
    return query(comparisons, **options)


def changes(before: Rows, after: Rows, sql: str) -> list[Row]:
    sides = {"before": before, "after": after}
    frames = {
        f"{side}_{table.name}": (table, rows.get(table.name, ())) for side, rows in sides.items() for table in COMPARED
    }
    for name, (table, rows) in frames.items():
        if f"{{{name}}}" in sql:
            DUCKDB.register(name, arrow(table, rows))
    return rows_of(sql.format(**{name: name for name in frames}))


def rows_of(sql: str) -> list[Row]:
    found = DUCKDB.execute(sql)
    columns = [column[0] for column in found.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in found.fetchall()]
