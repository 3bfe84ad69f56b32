"""What headers hold of the items of their pages."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.landing.fetch.schema import landed_table, wave_schema
from kafka_census.pages.item_columns import brokers, replica_ids
from spark.fake_lake import bare

RPCS = ("DescribeCluster", "DescribeTopicPartitions", "ListGroups")
SCHEMA = wave_schema(RPCS)
PAGES: dict[str, list[dict[str, Any]]] = {
    # An item with an error has no list: the brokers of the other items owe answers all the same.
    "items_describe_topic_partitions": [{"topic": "a", "replicas": one} for one in ([1, 2], None, [2, 7], [])],
    # Only version 2 of DescribeCluster reports that a broker is fenced.
    "items_describe_cluster": [
        {"node_id": 1, "host": "a", "port": 9092},
        {"node_id": 2, "host": "b", "port": 9093, "is_fenced": True},
    ],
    "items_list_groups": [{"group_id": "g"}],
}


def test_a_header_has_the_brokers_of_its_page_and_the_ids_of_its_replicas(spark: SparkSession) -> None:
    rows = []
    for column, items in PAGES.items():
        names = landed_table().schema[column].dataType.elementType.names  # type: ignore[attr-defined]
        whole = [tuple(one.get(name) for name in names) for one in items]
        rows.append(tuple(whole if name == column else None for name in SCHEMA.names))
    frame = spark.createDataFrame(rows, bare(SCHEMA))
    partitions, cluster, groups = frame.select(brokers(SCHEMA), replica_ids(SCHEMA)).collect()
    assert (partitions[0], sorted(partitions[1])) == (None, [1, 2, 7])
    assert ([tuple(one) for one in cluster[0]], cluster[1]) == ([(1, "a", 9092, False), (2, "b", 9093, True)], None)
    assert tuple(groups) == (None, None)


def test_a_wave_without_those_rpcs_names_none(spark: SparkSession) -> None:
    other = wave_schema(["ListGroups"])
    [row] = spark.range(1).select(brokers(other), replica_ids(other)).collect()
    assert tuple(row) == (None, None)
