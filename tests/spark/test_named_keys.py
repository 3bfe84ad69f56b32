"""Keys that landed items name: what is the same for all items of a page is said once per key."""

from pyspark.sql import SparkSession

from kafka_census.pages.named_keys import NamedKeys

ITEMS = "array(named_struct('group_id', 'g', 'node', 1), named_struct('group_id', 'g', 'node', 2))"
WALK = ("OffsetFetch", "groups")


def named(spark: SparkSession, named: NamedKeys) -> list[tuple[object, ...]]:
    rows = spark.sql(f"SELECT {ITEMS} AS items").selectExpr(f"inline({named.rows('items')})")
    assert rows.columns == ["key", *named.values]
    return sorted(map(tuple, rows.collect()))


def test_a_key_that_many_items_name_is_one_row(spark: SparkSession) -> None:
    """The offsets of a group all answer it: millions of items are some thousand rows."""
    assert named(spark, NamedKeys(WALK, "item.group_id", {"asked": "0L", "answered": "4L"})) == [("g", 0, 4)]


def test_every_item_is_a_row_where_it_says_more_than_its_key(spark: SparkSession) -> None:
    """Such as the broker of the key, or where the key has several columns."""
    assert named(spark, NamedKeys(WALK, "item.group_id", {"at": "item.node"})) == [("g", 1), ("g", 2)]
    both = NamedKeys(WALK, "concat(item.group_id, '/', item.node)", {"asked": "1L"})
    assert named(spark, both) == [("g/1", 1), ("g/2", 1)]
