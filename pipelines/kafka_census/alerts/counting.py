"""Counts the metrics of a census in its tables, in one query over all of these tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.alerts.metrics import COUNTS
from kafka_census.alerts.states import Change
from kafka_census.declarations.table import OWNER, Table
from kafka_census.errors import CorruptLake
from kafka_census.lake.union import union
from kafka_census.tables.all_tables import TABLES
from kafka_census.tables.problems import PROBLEM


def count(row_counts: Mapping[str, int], rows_of: Callable[[Table], DataFrame]) -> Mapping[str, float]:
    """The figures by the name of their metric, without those that are not known.

    row_counts  the number of rows of each table that the census computed, as the gate counted them
    rows_of     returns the rows of the census in a table

    Raises CorruptLake where a table does not hold these rows any more.
    """
    counted = [each for each in TABLES if each.name in row_counts and any(each.name in metric.sql for metric in COUNTS)]
    if not counted:
        return {}
    rows = union([_figures(table, rows_of(table)) for table in counted]).collect()
    found: dict[str, float | None] = {}
    for row in rows:
        expected = row_counts[row["table"].rpartition("/")[2]]
        if row["rows"] != expected:
            raise CorruptLake(f"{row['table']} is damaged: the gate counted {expected:,} rows, it has {row['rows']:,}")
        for name, figure in row["figures"].items():
            before = found.get(name, 0.0)
            found[name] = None if figure is None or before is None else before + figure
    return {name: figure for name, figure in found.items() if figure is not None}


def with_owners(changed: Sequence[Change], rows_of: Callable[[Table], DataFrame]) -> tuple[Change, ...]:
    """The changes with the owners of what opened them, in one query; rows_of as in `count`."""
    tables = {table.name: table for table in TABLES if table.owned_by}
    opened = [PROBLEM[change.state.name] for change in changed if change.count and change.state.name in PROBLEM]
    owned = [problem for problem in opened if problem.table in tables]
    if not owned:
        return tuple(changed)
    frames = [
        rows_of(tables[problem.table])
        .where(problem.where)
        .groupBy(F.lit(problem.word).alias("word"), F.coalesce(OWNER.name, F.lit("")).alias("owner"))
        .agg(F.count("*").alias("things"))
        for problem in owned
    ]
    found: dict[str, list[tuple[str, int]]] = {}
    for row in union(frames).collect():
        found.setdefault(row.word, []).append((row.owner, row.things))
    most_first = {word: tuple(sorted(owners, key=lambda pair: (-pair[1], pair[0]))) for word, owners in found.items()}
    return tuple(replace(change, owners=most_first.get(change.state.name, ())) for change in changed)


def _figures(table: Table, rows: DataFrame) -> DataFrame:
    """One row: the table, its number of rows, and its figures by the name of their metric."""
    sql = {metric.name: metric.sql[table.name] for metric in COUNTS if table.name in metric.sql}
    return rows.agg(
        F.lit(table.folder).alias("table"),
        F.count("*").alias("rows"),
        F.map_from_arrays(
            F.array(*map(F.lit, sql)), F.array(*(F.expr(each).cast("double") for each in sql.values()))
        ).alias("figures"),
    )
