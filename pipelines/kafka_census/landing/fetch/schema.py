"""The schema of requests, and of an RPC's items and pages, from its declared fields."""

from collections.abc import Collection
from functools import cache

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from kafka_census.declarations.pages import PAGE, items_column, page_schema, pages_table
from kafka_census.declarations.table import Table, column
from kafka_census.kafka.paging.rpc import Rpc
from kafka_census.kafka.rpc import RPCS


def _partitions_of(name: str) -> StructType:
    partitions = ArrayType(IntegerType(), containsNull=False)
    return StructType([StructField(name, StringType()), StructField("partitions", partitions)])


KINDS: dict[str, DataType] = {
    "string": StringType(),
    "int": IntegerType(),
    "bigint": LongType(),
    "double": DoubleType(),
    "boolean": BooleanType(),
    "array<int>": ArrayType(IntegerType(), containsNull=False),
    "array<string>": ArrayType(StringType(), containsNull=False),
    # (topic, [partition, ...]) for each topic; for streams groups (subtopology, [partition, ...]).
    "assignment": ArrayType(_partitions_of("topic"), containsNull=False),
    "tasks": ArrayType(_partitions_of("subtopology"), containsNull=False),
    # (subtopology, [topic, ...]) for each subtopology.
    "subtopologies": ArrayType(
        StructType(
            [
                StructField("subtopology", StringType()),
                StructField("topics", ArrayType(StringType(), containsNull=False)),
            ]
        ),
        containsNull=False,
    ),
}


REQUEST = StructType(
    [
        column("task", IntegerType(), "The Spark task that its node belongs to."),
        column("turn", IntegerType(), "Within the task lower turns come first, so that its nodes are asked in turns."),
        column("rpc", StringType(), "The RPC, by its Kafka name."),
        column("scope", StringType(), "What the chain walks."),
        column("node_id", IntegerType(), "The broker to ask."),
        column("host", StringType(), "Its host; null when it cannot be asked."),
        column("port", IntegerType(), "Its port; null when it cannot be asked."),
        column("chain_id", StringType(), "The chain to walk."),
        column("page_no", IntegerType(), "Number of the page to begin with."),
        column("try_no", IntegerType(), "How often the chain was asked again."),
        column("cursor", StringType(), "Where to begin, JSON; null at the start."),
        column("keys", ArrayType(StringType(), containsNull=False), "Keys to ask for; empty: everything."),
        column("refusal_code", IntegerType(), "Error code of a chain that cannot be asked; else null."),
        column("refusal", StringType(), "Why it cannot be asked."),
        column("waves", IntegerType(), "Waves that the chain has filled before."),
        column("empty_pages", IntegerType(), "Pages without an item, one after the other, that it has ended with."),
    ]
)
"""A requests frame: one row per chain to walk."""


def item_type(rpc: Rpc) -> StructType:
    """The struct of one item; unlike in tables its arrays may be null, where an answer does not report them."""
    return StructType(
        [StructField(field.name, KINDS[field.kind], True, {"comment": field.comment}) for field in rpc.item]
    )


def page_schema_of(rpc: Rpc) -> StructType:
    """The columns of a page of one RPC, with the items in the column `items`."""
    return page_schema(rpc.name, item_type(rpc))


@cache
def landed_table() -> Table:
    """The landing table of all RPCs."""
    return pages_table({rpc.name: item_type(rpc) for rpc in RPCS})


def wave_schema(rpcs: Collection[str]) -> StructType:
    """The columns of the landing table that pages of these RPCs fill: the header, and the items of each."""
    wanted = {*PAGE.names, *map(items_column, rpcs)}
    return StructType([field for field in landed_table().schema.fields if field.name in wanted])
