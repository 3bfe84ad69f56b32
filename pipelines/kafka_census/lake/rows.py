"""A few rows of our own as a DataFrame, without Python workers.

`createDataFrame(list)` makes a frame that a Python worker unpickles whenever it is
scanned; an Arrow table becomes a local relation of Spark's, on Connect as well.
"""

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType


def local_frame(spark: SparkSession, rows: Sequence[Sequence[object]], schema: StructType) -> DataFrame:
    """The rows, by position, as a frame with the columns of that schema; none is fine. Times must be aware."""
    arrow = to_arrow_schema(schema)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema.fields)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, arrow, strict=True)]
    # As many parts as there are cores would be as many files a commit, each of a few rows.
    return spark.createDataFrame(pa.Table.from_arrays(arrays, schema=arrow), schema).coalesce(1)
