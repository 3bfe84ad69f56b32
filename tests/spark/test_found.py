"""With Spark a report reads many tables in two queries."""

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from kafka_census.declarations.table import Table
from kafka_census.declarations.view import View
from kafka_census.lake.lake import Lake
from kafka_census.reading.report import found
from kafka_census.reading.report.found import Found
from kafka_census.reading.report.in_spark import InSpark
from kafka_census.tables.views import VIEWS
from spark.landed_items import rows_of
from unit.test_problem_declarations import WELL

VIEW = {view.table.name: view for view in VIEWS}


def find(
    spark: SparkSession,
    views: Sequence[View],
    rows_of: Callable[[Table], DataFrame],
    counts: Mapping[str, int],
    limit: int,
) -> Mapping[str, Found]:
    """What is found in the tables of a census that is in no lake."""
    landed: Any = types.SimpleNamespace(census_id="in memory", staged=rows_of)
    return found.find(InSpark(spark, Lake(root="nowhere"), landed), "in memory", views, counts, limit)


def jobs_of(spark: SparkSession, work: Callable[[], object]) -> int:
    context = spark.sparkContext
    context.setJobGroup("counted by a test", "")
    try:
        before = len(context.statusTracker().getJobIdsForGroup("counted by a test"))
        work()
        return len(context.statusTracker().getJobIdsForGroup("counted by a test")) - before
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)


def test_all_tables_take_two_queries(spark: SparkSession) -> None:
    """One counts, one finds the rows; a table without rows is not read, and without rows to show there is one query."""
    row = {"topic": "t", "partition": 0, "group_id": "g", "status": "OK", "verdict": "in_use", "state": "alive"}
    frames = {}
    for view in VIEWS:
        healthy = row | WELL.get(view.table.name, {})
        mine = {name: value for name, value in healthy.items() if name in view.table.columns}
        frames[view.table.name] = rows_of(spark, view.table, [mine])

    def frame(table: Table) -> DataFrame:
        return frames[table.name]

    ones = dict.fromkeys(frames, 1)
    assert jobs_of(spark, lambda: find(spark, VIEWS, frame, ones, 5)) == 2
    assert jobs_of(spark, lambda: find(spark, VIEWS, frame, ones, 0)) == 1
    down = rows_of(spark, VIEW["brokers"].table, [{"state": "not_alive", "broker_id": 1}])
    assert jobs_of(spark, lambda: find(spark, (VIEW["brokers"],), lambda _: down, ones, 0)) == 2
    calm = (VIEW["deletable_groups"],)
    assert jobs_of(spark, lambda: find(spark, calm, frame, ones, 5)) == 1

    def unread(table: Table) -> DataFrame:
        raise AssertionError(table.name)

    assert jobs_of(spark, lambda: find(spark, VIEWS, unread, dict.fromkeys(frames, 0), 5)) == 0
