"""A lake by Spark: a path lake, a catalog, and the census that a job holds in memory.

Two queries read all tables, one counts, one finds rows: for a small census, planning and starting a query costs more
than its rows, and a query over many tables costs little more than a query over one table.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType, TimestampType

from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, REFUSALS, VERDICTS
from kafka_census.declarations.table import Table
from kafka_census.declarations.view import View
from kafka_census.lake import history, store, whole
from kafka_census.lake.cluster_key import KEY
from kafka_census.lake.lake import Lake
from kafka_census.lake.union import union
from kafka_census.pages.landed_census import LandedCensus
from kafka_census.reading.censuses import Record
from kafka_census.reading.newer import COLUMNS, Event
from kafka_census.reading.report.source import Count, Lookup, time, value

_SMALL = 300_000
"""Number of rows below which one task counts them all: each task of a query over many tables gets its whole plan."""


@dataclass(frozen=True)
class InSpark:
    """A `Source`.

    landed  a census that this job has landed, whose tables are read from memory
    """

    spark: SparkSession
    lake: Lake
    landed: LandedCensus | None = None
    owner: None = None

    def published(self, names: Collection[str]) -> Sequence[Record]:
        """As `Source` has it."""
        rows = history.publications(self.spark, self.lake)
        if rows is None:
            return []
        if self.landed is None:  # a job that landed a census has looked before
            history.require_whole(self.spark, self.lake)
        if names:
            rows = rows.where(F.col("cluster").isin(*names))
        last = F.max("census_id").over(Window.partitionBy(KEY, "cluster"))
        return _collected(rows.withColumn("last", last).where("census_id = last"), PUBLICATIONS.schema)

    def refused(self) -> Sequence[Record]:
        """As `Source` has it."""
        rows = store.find(self.spark, self.lake, REFUSALS)
        if rows is None:
            return []
        return [row.asDict() for row in rows.select("census_id", KEY, "cluster").distinct().collect()]

    def refusal(self, census_id: str) -> Sequence[Record]:
        """As `Source` has it."""
        rows = _collected(store.rows(self.spark, self.lake, REFUSALS, census_id), REFUSALS.schema)
        last = max((row["refused_at"] for row in rows), default=None)
        return [{**row, "published_at": last} for row in rows if row["refused_at"] == last]

    def events(self, since: str) -> Mapping[str, Sequence[Event]]:
        """As `Source` has it."""
        runs = history.census_runs(self.spark, self.lake, store.readable)
        if runs is None:
            return {}
        found: dict[str, list[Event]] = {}
        schema = StructType([CENSUS_RUNS.schema[name] for name in ("cluster", *COLUMNS)])
        for row in _collected(runs.where(F.col("census_id") >= since), schema):
            found.setdefault(row["cluster"], []).append(Event(*(row[name] for name in COLUMNS)))
        return found

    def verdicts(self, cluster_id: str, census_id: str) -> Sequence[Record]:
        """As `Source` has it."""
        rows = store.rows(self.spark, self.lake, VERDICTS, census_id).where(F.col(KEY) == cluster_id)
        return _collected(rows, VERDICTS.schema)

    def rows(self, census_id: str, table: Table) -> DataFrame:
        """The rows of a census in one of its tables."""
        if self.landed and self.landed.census_id == census_id:
            return self.landed.staged(table)
        return whole.table_of(self.spark, self.lake, table, [census_id]).where(F.col("census_id") == census_id)

    def counted(
        self, census_id: str, sums: Sequence[tuple[View, Sequence[str]]], total: int
    ) -> Mapping[str, Sequence[Count]]:
        """As `Source` has it: the tables get the same columns, then one query counts all of them."""
        if not sums:
            return {}
        names = [f"sum_{index}" for index in range(max(len(of) for _, of in sums))]
        alike = [
            self.rows(census_id, view.table).select(
                F.lit(view.table.name).alias("table"),
                F.col(view.group_by).cast("string").alias("value"),
                F.expr(view.only).alias("only"),
                *[
                    F.expr(each).cast("bigint").alias(name)
                    for name, each in zip(names, [*of, *["NULL"] * (len(names) - len(of))], strict=True)
                ],
            )
            for view, of in sums
        ]
        rows = union(alike, one_task=total < _SMALL).groupBy("table", "value")
        totals = [F.sum(name).alias(name) for name in names]
        found: dict[str, list[Count]] = {}
        for table, group, count, shown, *totalled in rows.agg(F.count("*"), F.count_if("only"), *totals).collect():
            found.setdefault(table, []).append(Count(group, count, shown, tuple(totalled)))
        return found

    def looked_up(self, census_id: str, lookups: Sequence[Lookup]) -> Mapping[str, Sequence[Any]]:
        """As `Source` has it, from one query."""
        found: dict[str, list[Any]] = {}
        schemas = {each.of: each.table.schema for each in lookups if not each.texts}
        frames = [_texts(self.rows(census_id, each.table), each) for each in lookups]
        for of, text in union(frames, one_task=True).collect() if frames else ():
            row = json.loads(text)
            found.setdefault(of, []).append(value(row, schemas[of]) if of in schemas else row)
        return found


def _texts(rows: DataFrame, lookup: Lookup) -> DataFrame:
    """The rows in order, in the columns `of` and `row`: their texts, or whole rows, as JSON."""
    first = rows.where(lookup.where).orderBy(*map(F.expr, lookup.order)).limit(lookup.limit)
    texts = [F.expr(each).cast("string") for each in lookup.texts]
    row = F.array(*texts) if texts else F.struct(*_columns(lookup.table.schema))
    return first.select(F.lit(lookup.of).alias("of"), F.to_json(row).alias("row"))


def _collected(rows: DataFrame, schema: StructType) -> Sequence[Record]:
    """The columns of a schema, which is not asked of Spark: on Spark Connect that would be a request."""
    times = [field.name for field in schema if isinstance(field.dataType, TimestampType)]
    return [
        row.asDict(recursive=True) | {name: time(row[name]) for name in times if row[name] is not None}
        for row in rows.select(*_columns(schema)).collect()
    ]


def _columns(schema: StructType) -> list[Column]:
    """All columns, times in microseconds: a number is read without loss and without a time zone."""
    return [
        F.unix_micros(field.name).alias(field.name) if isinstance(field.dataType, TimestampType) else F.col(field.name)
        for field in schema
    ]
