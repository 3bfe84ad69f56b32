"""What DescribeTopicPartitions makes of an answer."""

from uuid import UUID

from kafka_census.kafka.paging.rpc import Ask
from unit.rpc.answers import answer, items, metadata, over_the_wire, way_of


def test_describe_topic_partitions_is_a_row_per_partition_and_one_for_a_failed_topic() -> None:
    replicas = {"replica_nodes": [1, 2], "isr_nodes": [], "offline_replicas": [1]}
    partition = replicas | {"leader_id": -1, "eligible_leader_replicas": [2], "last_known_elr": None}
    topics = [{"name": "t", "topic_id": UUID(int=7), "partitions": [partition]}, {"name": "gone", "error_code": 3}]
    follows = {"topic_name": "t", "partition_index": 0}
    response = answer("DescribeTopicPartitions", topics=topics, next_cursor=follows)
    first, second = items("DescribeTopicPartitions", "topics", response, 0)
    assert (first["leader_id"], first["isr"]) == (-1, [])
    assert (first["eligible_leader_replicas"], first["last_known_elr"], first["elr_known"]) == ([2], [], True)
    assert (second["topic"], second["error_code"], second["partition"], second["replicas"]) == ("gone", 3, None, [])
    assert way_of("DescribeTopicPartitions", "topics", 0).next_cursor(over_the_wire(response, 0)) == ("t", 0)


def test_describe_topic_partitions_by_metadata_does_not_know_the_elr() -> None:
    (item,) = items("DescribeTopicPartitions", "topics", metadata(), 9, Ask(("t",), None, 1))
    assert (item["replicas"], item["isr"], item["offline_replicas"]) == ([1, 2], [1], [2])
    assert (item["eligible_leader_replicas"], item["elr_known"]) == ([], False)
