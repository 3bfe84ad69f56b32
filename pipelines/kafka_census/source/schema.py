"""The schema of an RPC's items and pages, for Spark and for Arrow, from its declared fields."""

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructType,
)

from kafka_census.paging.rpc import Rpc
from kafka_census.tables.pages import landing_table
from kafka_census.tables.table import Table, column

KINDS: dict[str, DataType] = {
    "string": StringType(),
    "int": IntegerType(),
    "bigint": LongType(),
    "boolean": BooleanType(),
    "array<int>": ArrayType(IntegerType(), containsNull=False),
}


def item_type(rpc: Rpc) -> StructType:
    """The struct of one item."""
    return StructType([column(field.name, KINDS[field.kind], field.comment) for field in rpc.item])


def page_table(rpc: Rpc) -> Table:
    """The landing table of an RPC."""
    return landing_table(rpc.name, item_type(rpc))


def page_arrow_schema(rpc: Rpc) -> pa.Schema:
    """The landing table's schema in Arrow, as Spark maps it (timestamps are UTC microseconds)."""
    return to_arrow_schema(page_table(rpc).schema)
