"""Rows as planted."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from kafka_census.declarations.rules import Suite
from spark.fake_lake import bare
from spark.landed_items import local_frame


def frame(spark: SparkSession, suite: Suite, rows: list[dict[str, Any]]) -> DataFrame:
    """Rows of the suite's table; a column that is not given is null, an array that is not given is empty."""
    schema = bare(suite.table.schema)
    empty = {field.name: [] for field in schema.fields if field.dataType.typeName() == "array"}
    return local_frame(spark, schema, [empty | row for row in rows])
