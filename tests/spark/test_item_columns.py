"""What headers hold of the items of their pages."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.pages.item_columns import brokers, replica_ids
from kafka_census.source.schema import landed_table, wave_schema

RPCS = ("DescribeCluster", "DescribeTopicPartitions", "ListGroups")
SCHEMA = wave_schema(RPCS)
LISTED: list[list[int] | None] = [[1, 2], None, [2, 7], []]


def page(spark: SparkSession, column: str, items: list[dict[str, Any]]) -> Any:
    """What a header holds of a page with these items: its brokers, and the ids of its replicas."""
    item = landed_table().schema[column].dataType.elementType  # type: ignore[attr-defined]
    whole = [tuple(one.get(name) for name in item.names) for one in items]
    row = tuple(whole if name == column else None for name in SCHEMA.names)
    bare = type(SCHEMA)([type(field)(field.name, field.dataType) for field in SCHEMA.fields])
    frame = spark.createDataFrame([row], bare)
    return frame.select(brokers(SCHEMA).alias("brokers"), replica_ids(SCHEMA).alias("replica_ids")).first()


def test_replicas_are_found_beside_partitions_without_a_list(spark: SparkSession) -> None:
    """An item with an error has no list: the brokers of the other items owe answers all the same."""
    found = page(spark, "items_describe_topic_partitions", [{"topic": "a", "replicas": one} for one in LISTED])
    assert (found.brokers, sorted(found.replica_ids)) == (None, [1, 2, 7])


def test_a_broker_that_is_not_said_to_be_fenced_is_not(spark: SparkSession) -> None:
    """Only version 2 of DescribeCluster reports that."""
    said = [{"node_id": 1, "host": "a", "port": 9092}, {"node_id": 2, "host": "b", "port": 9093, "is_fenced": True}]
    found = page(spark, "items_describe_cluster", said)
    assert [tuple(one) for one in found.brokers] == [(1, "a", 9092, False), (2, "b", 9093, True)]
    assert found.replica_ids is None


def test_pages_of_other_rpcs_name_no_brokers(spark: SparkSession) -> None:
    assert tuple(page(spark, "items_list_groups", [{"group_id": "g"}])) == (None, None)
    other = wave_schema(["ListGroups"])
    rows = spark.range(1).select(brokers(other), replica_ids(other)).collect()
    assert [tuple(row) for row in rows] == [(None, None)]
