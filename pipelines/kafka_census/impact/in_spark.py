"""The steps of `query.py` over frames of Spark."""

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

from kafka_census.impact.query import query, steps
from kafka_census.impact.step import Select


def foretold(spark: SparkSession, frames: Mapping[str, Any]) -> DataFrame:
    """One row per thing that can be lost, as in the table failure_impact without its first three columns.

    frames  DataFrames by the names and with the columns of `frames.FRAMES`

    On Connect it is one statement, because there each statement carries the plans of its frames, and so of all steps.
    """
    if is_remote():
        return spark.sql(query({name: f"{{{name}}}" for name in frames}), **frames)
    named = dict(frames)
    for name, step in steps():
        # The union is small: in one partition, what is joined to it needs no shuffle.
        named[name] = spark.sql(step, **named).coalesce(1) if isinstance(step, str) else _selected(named, step)
    last: DataFrame = named[name]
    return last


def _selected(named: Mapping[str, DataFrame], step: Select) -> DataFrame:
    rows = named[step.of]
    if step.joins:
        rows = rows.alias(step.of)
    for join in step.joins:
        joined = named[join.frame].alias(join.frame)
        rows = rows.join(joined, F.expr(join.on), "left") if join.on else rows.crossJoin(joined)
    if step.where:
        rows = rows.where(step.where)
    if step.by:
        return rows.groupBy(*map(F.expr, step.by)).agg(*map(F.expr, step.columns))
    return rows.selectExpr(*step.columns)
