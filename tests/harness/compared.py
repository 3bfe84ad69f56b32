"""Two worlds as rows of published tables, and what changed between them as DuckDB says; no lake is needed."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import ArrayType

from kafka_census.comparison.gaps import Lacking, gaps
from kafka_census.comparison.query import Comparison, query
from kafka_census.comparison.subjects import SUBJECTS
from kafka_census.tables import TABLES

Row = Mapping[str, Any]
Rows = Mapping[str, Sequence[Row]]
"""By the name of a table."""

BEFORE = "20261121T120000000Z-000001"
COMPARED = tuple(table for table in TABLES if table.name in {subject.table for subject in SUBJECTS})


def arrow(table: Any, rows: Sequence[Row]) -> pa.Table:
    """Rows of which only some columns are given; others are null, or empty lists."""
    empty = {field.name: [] for field in table.schema if isinstance(field.dataType, ArrayType)}
    schema = pa.schema([field.with_nullable(True) for field in to_arrow_schema(table.schema)])
    unknown = {name for row in rows for name in row} - set(schema.names)
    assert not unknown, f"{table.name} has no columns {unknown}"
    return pa.Table.from_pylist([empty | dict(row) for row in rows], schema)


def text(lacking_before: Sequence[Lacking] = (), lacking_after: Sequence[Lacking] = (), **options: bool) -> str:
    """The SQL over all subjects."""
    comparisons = [
        Comparison(subject, BEFORE, gaps(subject, lacking_before), gaps(subject, lacking_after)) for subject in SUBJECTS
    ]
    return query(comparisons, **options)


def changes(before: Rows, after: Rows, sql: str) -> list[Row]:
    """What DuckDB answers, in no order."""
    names = {}
    with duckdb.connect(config={"python_enable_replacements": False}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for side, rows in (("before", before), ("after", after)):
            for table in COMPARED:
                names[f"{side}_{table.name}"] = f"{side}_{table.name}"
                connection.register(f"{side}_{table.name}", arrow(table, rows.get(table.name, ())))
        found = connection.execute(sql.format(**names))
        columns = [column[0] for column in found.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in found.fetchall()]
