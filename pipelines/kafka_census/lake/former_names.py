"""Columns that an older release named differently: a broker's id was `node_id` in some tables, `broker_id` in others.

A name counts as former only where the declared columns have the new name and not the former one: landed pages have
`node_id`, the node that was asked, beside items with ids of their own.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, StructField, StructType

FORMER = {
    "node_id": "broker_id",
    "asked_node_id": "asked_broker_id",
    "min_isr_node_id": "min_isr_broker_id",
}
"""By the name until 0.2.0: the present name."""


def named_now(found: StructType, wanted: StructType) -> StructType:
    """The found columns, and the fields inside, with the names that they have in the `wanted` columns."""
    return StructType([_named_now(field, found, wanted) for field in found.fields])


def renamed(rows: DataFrame, wanted: StructType) -> DataFrame:
    """The rows, with the column names that the `wanted` columns have."""
    now = named_now(rows.schema, wanted)
    return rows.select(
        *[
            F.col(found.name).cast(field.dataType).alias(field.name, metadata=field.metadata)
            for found, field in zip(rows.schema.fields, now.fields, strict=True)
        ]
    )


def _named_now(field: StructField, found: StructType, wanted: StructType) -> StructField:
    name = field.name
    if name not in wanted.names:
        name = FORMER.get(name, name)
        if name not in wanted.names or name in found.names:
            return field
    metadata = field.metadata if name == field.name else wanted[name].metadata
    return StructField(name, _inside(field.dataType, wanted[name].dataType), field.nullable, metadata)


def _inside(found: DataType, wanted: DataType) -> DataType:
    if isinstance(found, StructType) and isinstance(wanted, StructType):
        return named_now(found, wanted)
    if isinstance(found, ArrayType) and isinstance(wanted, ArrayType):
        return ArrayType(_inside(found.elementType, wanted.elementType), found.containsNull)
    return found
