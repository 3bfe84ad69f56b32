"""What the headers of landed pages hold of their items: error codes, partitions of internal topics, and brokers.

These are columns of the query that reads the headers. They name single fields of the items, so that Spark reads
only these fields. A page has items in the column of its RPC; the columns of other RPCs are null.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructType

from kafka_census.declarations.pages import items_column
from kafka_census.declarations.walks import OFFSETS_TOPIC, SHARE_STATE_TOPIC, TRANSACTIONS_TOPIC

INTERNAL_TOPICS = (OFFSETS_TOPIC, TRANSACTIONS_TOPIC, SHARE_STATE_TOPIC)
_FIELDS = ("topic", "error_code", "partition_count", "partition", "leader_id")
_INTERNAL = "array<struct<topic:string,error_code:int,partition_count:int,partition:int,leader_id:int>>"
_BROKERS = "array<struct<node_id:int,host:string,port:int,is_fenced:boolean>>"


def item_codes(pages: StructType) -> Column:
    """The error codes of a page's items, each once and without 0."""
    codes = [f"{name}.error_code" for name, item in _items(pages).items() if "error_code" in item]
    if not codes:
        return F.array().cast("array<int>")
    return F.expr(f"array_distinct(filter(coalesce({', '.join(codes)}, array()), code -> code <> 0))")


def internal_partitions(pages: StructType) -> Column:
    """The items of a page that describe internal topics, as `Header.internal`; none for other RPCs."""
    found = [_internal(name, item) for name, item in _items(pages).items() if {"topic", "is_internal"} <= item]
    return F.coalesce(*found, F.array().cast(_INTERNAL))


def brokers(pages: StructType) -> Column:
    """The brokers that a page of DescribeCluster names, as `Header.brokers`; null for other RPCs."""
    items, is_fenced = items_column("DescribeCluster"), "coalesce(item.is_fenced, false) AS is_fenced"
    named = f"transform({items}, item -> struct(item.node_id, item.host, item.port, {is_fenced}))"
    return F.expr(f"CAST({named if items in pages.names else 'NULL'} AS {_BROKERS})")


def replica_ids(pages: StructType) -> Column:
    """The brokers in the replica lists of a page of DescribeTopicPartitions, each once; null for other RPCs."""
    items = items_column("DescribeTopicPartitions")
    # An item with an error has no list, and one null in a list of lists makes all of `flatten` null.
    named = f"array_distinct(flatten(array_compact({items}.replicas)))"
    return F.expr(f"CAST({named if items in pages.names else 'NULL'} AS array<int>)")


def _internal(column: str, item: set[str]) -> Column:
    known = [name for name in _FIELDS if name in item]
    items = F.arrays_zip(*[F.col(f"{column}.{name}").alias(name) for name in known])

    def kept(item: Column) -> Column:
        return F.struct(*[(item[name] if name in known else F.lit(None)).alias(name) for name in _FIELDS])

    return F.transform(F.filter(items, lambda item: item["topic"].isin(*INTERNAL_TOPICS)), kept).cast(_INTERNAL)


def _items(pages: StructType) -> dict[str, set[str]]:
    """The columns of items, each with the field names of its items."""
    found = {}
    for field in pages.fields:
        element = field.dataType.elementType if isinstance(field.dataType, ArrayType) else None
        if field.name.startswith("items") and isinstance(element, StructType):
            found[field.name] = set(element.names)
    return found
