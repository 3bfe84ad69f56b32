"""What the headers of landed pages tell of their items: error codes, and partitions of internal topics.

Both are columns of the one query that reads the headers. They name single fields of the items, so that Spark reads
these fields alone.
"""

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructType

from kafka_census.quality.leaderless import INTERNAL_TOPICS

_FIELDS = ("topic", "error_code", "partition_count", "partition", "leader_id")
_INTERNAL = "array<struct<topic:string,error_code:int,partition_count:int,partition:int,leader_id:int>>"


def item_codes(page: StructType) -> Column:
    """The error codes of a page's items, each once and without 0."""
    if "error_code" not in _names(page):
        return F.array().cast("array<int>")
    return F.expr("array_distinct(filter(items.error_code, code -> code <> 0))")


def internal_partitions(page: StructType) -> Column:
    """The items of a page that tell of internal topics, as `Header.internal`; none of other RPCs."""
    there = _names(page)
    if not {"topic", "is_internal"} <= there:
        return F.array().cast(_INTERNAL)
    known = [name for name in _FIELDS if name in there]
    items = F.arrays_zip(*[F.col(f"items.{name}").alias(name) for name in known])

    def told(item: Column) -> Column:
        return F.struct(*[(item[name] if name in known else F.lit(None)).alias(name) for name in _FIELDS])

    return F.transform(F.filter(items, lambda item: item["topic"].isin(*INTERNAL_TOPICS)), told).cast(_INTERNAL)


def _names(page: StructType) -> set[str]:
    """The fields of an item."""
    items = page["items"].dataType
    element = items.elementType if isinstance(items, ArrayType) else None
    return set(element.names) if isinstance(element, StructType) else set()
