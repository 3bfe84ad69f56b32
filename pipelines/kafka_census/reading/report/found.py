"""Counts and worst rows of the tables of a census, in two queries over all tables: one counts, one finds rows.

For a small census, planning and starting a query costs more than its rows, and a query over many tables costs little
more than a query over one table. So a table without rows is not read, and a table without rows to show is only counted.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, DoubleType, StructType, TimestampType

from kafka_census.declarations.problem import Problem
from kafka_census.declarations.table import Table
from kafka_census.declarations.view import View
from kafka_census.lake.union import union
from kafka_census.tables.problems import NOT_KNOWN, PROBLEM, UNKNOWN

NAMED = 100
"""Largest number of rows of a problem that are named."""

_SMALL = 300_000
"""Number of rows below which one task counts them all: each task of a query over many tables gets its whole plan."""


@dataclass(frozen=True)
class ProblemCount:
    """The rows of a table that show a problem.

    count   the number of rows
    impact  further totals of the rows, in the order of `Problem.impact`
    names   the names of the worst rows, at most `NAMED`
    """

    count: int
    impact: tuple[int, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """The counts and rows of one table.

    counts      the number of rows by the value of the view's `group_by`
    sums        the view's further totals
    shown_rows  the number of rows that the view shows
    worst       the first of these rows
    problems    the problems that the rows show, by word, and the rows of NOT_KNOWN by `unknown_of` the table
    """

    counts: Mapping[str, int]
    sums: Mapping[str, int]
    shown_rows: int
    worst: Sequence[Row]
    problems: Mapping[str, ProblemCount]


def find(
    views: Sequence[View], rows_of: Callable[[Table], DataFrame], row_counts: Mapping[str, int], limit: int
) -> Mapping[str, Found]:
    """The counts and at most `limit` worst rows of each table, by table name.

    rows_of     returns the census's rows of a table
    row_counts  the number of these rows, by table name; any number other than 0 for a table that is not counted yet
    """
    frames = {view.table.name: rows_of(view.table) for view in views if row_counts[view.table.name]}
    filled = [view for view in views if view.table.name in frames]
    counted = _counted(filled, frames, small=sum(row_counts.values()) < _SMALL)
    totals = {view.table.name: _totals(view, counted.get(view.table.name, ())) for view in views}
    shown_rows = {name: sum(row["shown_rows"] for row in rows) for name, rows in counted.items()}
    present = [(word, problem) for word, problem in _PROBLEMS if totals.get(problem.table, {}).get(_total(word))]
    shown = [view for view in filled if limit and shown_rows.get(view.table.name)]
    rows = _looked_up([*_names(present, frames), *_worst(shown, frames, limit)])
    return {
        view.table.name: Found(
            counts={row["value"]: row["rows"] for row in counted.get(view.table.name, ())},
            sums={name: totals[view.table.name][name] for name, _ in view.sums},
            shown_rows=shown_rows.get(view.table.name, 0),
            worst=[_value(json.loads(row), view.table.schema) for row in rows.get(view.table.name, ())],
            problems={
                word: _problem_count(word, problem, totals[problem.table], rows)
                for word, problem in present
                if problem.table == view.table.name
            },
        )
        for view in views
    }


def unknown_of(table: str) -> str:
    """The key in `Found.problems` of the rows of a table of which a problem is not known."""
    return f"{NOT_KNOWN} {table}"


_PROBLEMS = [*PROBLEM.items(), *((unknown_of(table), problem) for table, problem in UNKNOWN.items())]


def _sums(view: View) -> list[tuple[str, str]]:
    """The totals over all rows of a table, as name and SQL: those of the view, then those of each problem."""
    sums = list(view.sums)
    for word, problem in _PROBLEMS:
        if problem.table == view.table.name:
            sums.append((_total(word), problem.where))
            for index, impact in enumerate(problem.impact):
                sums.append((_impact(word, index), f"CASE WHEN {problem.where} THEN {impact.sql} END"))
    return sums


def _total(word: str) -> str:
    return f"problem {word}"


def _impact(word: str, index: int) -> str:
    return f"problem {word}, impact {index}"


def _problem_count(
    word: str, problem: Problem, totals: Mapping[str, int], rows: Mapping[str, list[str]]
) -> ProblemCount:
    impact = tuple(totals[_impact(word, index)] for index in range(len(problem.impact)))
    return ProblemCount(totals[_total(word)], impact, tuple(rows.get(_total(word), ())))


def _totals(view: View, counted: Sequence[Row]) -> Mapping[str, int]:
    return {name: sum(row[_sum(index)] or 0 for row in counted) for index, (name, _) in enumerate(_sums(view))}


def _counted(views: Sequence[View], frames: Mapping[str, DataFrame], *, small: bool) -> Mapping[str, list[Row]]:
    """One row per value of `group_by`, by table: the tables get the same columns, then one query counts all of them."""
    if not views:
        return {}
    sums = {view.table.name: [each for _, each in _sums(view)] for view in views}
    indexes = range(max(map(len, sums.values())))
    alike = []
    for view in views:
        mine = sums[view.table.name]
        padded = [*mine, *["NULL"] * (len(indexes) - len(mine))]
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
    counted = rows.agg(F.count("*").alias("rows"), F.count_if("only").alias("shown_rows"), *totals).collect()
    return {view.table.name: [row for row in counted if row["table"] == view.table.name] for view in views}


def _names(present: Sequence[tuple[str, Problem]], frames: Mapping[str, DataFrame]) -> Iterator[DataFrame]:
    """The names of the worst rows of each problem, in the columns `of` and `row`."""
    for word, problem in present:
        worst = map(F.expr, problem.order or (problem.name,))
        rows = frames[problem.table].where(problem.where).orderBy(*worst).limit(NAMED)
        yield rows.select(F.lit(_total(word)).alias("of"), F.expr(problem.name).cast("string").alias("row"))


def _worst(views: Sequence[View], frames: Mapping[str, DataFrame], limit: int) -> Iterator[DataFrame]:
    """The worst rows of each table in order, in the columns `of` and, as JSON, `row`."""
    for view in views:
        first = frames[view.table.name].where(view.only).orderBy(*map(F.expr, view.order)).limit(limit)
        # A time as a number is read without loss and without a time zone.
        columns = [
            F.unix_micros(field.name).alias(field.name) if isinstance(field.dataType, TimestampType) else field.name
            for field in view.table.schema
        ]
        yield first.select(F.lit(view.table.name).alias("of"), F.to_json(F.struct(*columns)).alias("row"))


def _looked_up(frames: Sequence[DataFrame]) -> Mapping[str, list[str]]:
    """The rows of all frames in order, by `of`, from one query."""
    found: dict[str, list[str]] = {}
    for row in union(list(frames), one_task=True).collect() if frames else ():
        found.setdefault(row["of"], []).append(row["row"])
    return found


def _sum(index: int) -> str:
    return f"sum_{index}"


def _value(read: Any, data_type: DataType) -> Any:
    """A value as `collect` returns it; JSON leaves nulls out, and writes "NaN" as a string."""
    if read is None:
        return None
    if isinstance(data_type, StructType):
        return Row(*data_type.names)(*(_value(read.get(field.name), field.dataType) for field in data_type))
    if isinstance(data_type, ArrayType):
        return [_value(each, data_type.elementType) for each in read]
    if isinstance(data_type, TimestampType):
        return data_type.fromInternal(read)
    return float(read) if isinstance(data_type, DoubleType) else read
