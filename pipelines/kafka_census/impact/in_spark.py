"""The steps of `query.py` over frames of Spark."""

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.utils import is_remote

from kafka_census.impact.query import query, steps


def foretold(spark: SparkSession, frames: Mapping[str, Any]) -> DataFrame:
    """One row per thing that can be lost, as in the table failure_impact without its first three columns.

    frames  DataFrames by the names and with the columns of `frames.FRAMES`

    On Connect it is one statement, because there each statement carries the plans of its frames, and so of all steps.
    """
    if is_remote():
        return spark.sql(query({name: f"{{{name}}}" for name in frames}), **frames)
    named = dict(frames)
    *before, (_, last) = steps()
    for name, sql in before:
        named[name] = spark.sql(sql, **named)
    return spark.sql(last, **named)
