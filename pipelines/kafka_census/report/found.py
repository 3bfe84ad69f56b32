"""What is in the tables of a census, in two queries over all of them: one counts, one finds the worst rows.

Of a small census a query costs more to plan and to start than its rows cost it, and one over many tables little
more than one over one. So a table without rows is not read, and one with nothing worth showing is only counted.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, DoubleType, StructType, TimestampType

from kafka_census.lake.union import union
from kafka_census.report.views import View
from kafka_census.tables.table import Table

_SMALL = 300_000
"""Rows below which one task counts them all: each task of a query over many tables is sent the whole of it."""


@dataclass(frozen=True)
class Found:
    """One table.

    counts  how many rows it has, by the value of the view's `group_by`
    sums    the view's further totals
    worth   how many rows are worth showing
    worst   the first of them
    """

    counts: Mapping[str, int]
    sums: Mapping[str, int]
    worth: int
    worst: Sequence[Row]


def find(
    views: Sequence[View], rows_of: Callable[[Table], DataFrame], row_counts: Mapping[str, int], limit: int
) -> Mapping[str, Found]:
    """By table name what is in it, with at most `limit` rows of each table.

    rows_of     the census's rows of a table
    row_counts  how many these are, by table name
    """
    frames = {view.table.name: rows_of(view.table) for view in views if row_counts[view.table.name]}
    filled = [view for view in views if view.table.name in frames]
    counted = _counted(filled, frames, small=sum(row_counts.values()) < _SMALL)
    worth = {name: sum(row["worth"] for row in rows) for name, rows in counted.items()}
    worst = _worst([view for view in filled if worth.get(view.table.name)], frames, limit)
    return {
        view.table.name: Found(
            {row["value"]: row["rows"] for row in counted.get(view.table.name, ())},
            {
                name: sum(row[_sum(index)] or 0 for row in counted.get(view.table.name, ()))
                for index, (name, _) in enumerate(view.sums)
            },
            worth.get(view.table.name, 0),
            worst.get(view.table.name, ()),
        )
        for view in views
    }


def _counted(views: Sequence[View], frames: Mapping[str, DataFrame], *, small: bool) -> Mapping[str, list[Row]]:
    """By table a row for each value of `group_by`: the columns of all tables are made alike, then counted at once."""
    if not views:
        return {}
    indexes = range(max(len(view.sums) for view in views))
    alike = []
    for view in views:
        sums = [each for _, each in view.sums]
        padded = [*sums, *["NULL"] * (len(indexes) - len(sums))]
        alike.append(
            frames[view.table.name].select(
                F.lit(view.table.name).alias("table"),
                F.col(view.group_by).cast("string").alias("value"),
                F.expr(view.only).alias("only"),
                *[F.expr(each).cast("bigint").alias(_sum(index)) for index, each in enumerate(padded)],
            )
        )
    totals = [F.sum(_sum(index)).alias(_sum(index)) for index in indexes]
    rows = union(alike, one_task=small).groupBy("table", "value")
    counted = rows.agg(F.count("*").alias("rows"), F.count_if("only").alias("worth"), *totals).collect()
    return _by_table(counted, views)


def _worst(views: Sequence[View], frames: Mapping[str, DataFrame], limit: int) -> Mapping[str, list[Row]]:
    """By table the worst rows in order. Rows of all tables fit into one query as JSON."""
    if not views:
        return {}
    found = []
    for view in views:
        first = frames[view.table.name].where(view.only).orderBy(*map(F.expr, view.order)).limit(limit)
        # A time as a number is read without a loss, and in no time zone.
        columns = [
            F.unix_micros(field.name).alias(field.name) if isinstance(field.dataType, TimestampType) else field.name
            for field in view.table.schema
        ]
        found.append(first.select(F.lit(view.table.name).alias("table"), F.to_json(F.struct(*columns)).alias("row")))
    rows = _by_table(union(found, one_task=True).collect(), views)
    schemas = {view.table.name: view.table.schema for view in views}
    return {name: [_value(json.loads(row["row"]), schemas[name]) for row in some] for name, some in rows.items()}


def _by_table(rows: Sequence[Row], views: Sequence[View]) -> Mapping[str, list[Row]]:
    return {view.table.name: [row for row in rows if row["table"] == view.table.name] for view in views}


def _sum(index: int) -> str:
    return f"sum_{index}"


def _value(read: Any, data_type: DataType) -> Any:
    """A value as `collect` would have brought it; JSON leaves nulls out, and writes "NaN" as a string."""
    if read is None:
        return None
    if isinstance(data_type, StructType):
        return Row(*data_type.names)(*(_value(read.get(field.name), field.dataType) for field in data_type))
    if isinstance(data_type, ArrayType):
        return [_value(each, data_type.elementType) for each in read]
    if isinstance(data_type, TimestampType):
        return data_type.fromInternal(read)
    return float(read) if isinstance(data_type, DoubleType) else read
