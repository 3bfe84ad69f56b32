"""A schema of Spark's is one of Arrow's, with times in UTC, at any depth."""

import pyarrow as pa
from pyspark.sql.types import ArrayType, StringType, StructType, TimestampType

from kafka_census.private.arrow import arrow_schema


def test_times_are_in_utc() -> None:
    item = StructType().add("at", TimestampType())
    made = arrow_schema(StructType().add("name", StringType(), nullable=False).add("items", ArrayType(item)))
    times = pa.struct([("at", pa.timestamp("us", tz="UTC"))])
    assert made.equals(pa.schema([pa.field("name", pa.string(), nullable=False), ("items", pa.list_(times))]))
