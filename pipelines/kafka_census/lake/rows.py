"""A few rows of our own as a DataFrame, without Python workers.

`createDataFrame(list)` makes a frame that a Python worker unpickles on every
scan; an Arrow table becomes a local relation in Spark, on Connect as well.
"""

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from kafka_census.private.arrow import arrow_schema


def local_frame(spark: SparkSession, rows: Sequence[Sequence[object]], schema: StructType) -> DataFrame:
    """The rows, by position, as a frame with the columns of the schema; may be empty. Times need a time zone."""
    arrow = arrow_schema(schema)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema.fields)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, arrow, strict=True)]
    # With one partition per core, a commit would write as many files, each of a few rows.
    return spark.createDataFrame(pa.Table.from_arrays(arrays, schema=arrow), schema).coalesce(1)
