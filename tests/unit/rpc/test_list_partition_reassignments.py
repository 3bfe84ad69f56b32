"""What ListPartitionReassignments makes of an answer."""

from kafka.protocol.admin import ListPartitionReassignmentsResponse

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from unit.rpc.answers import EVERYTHING, items


def test_list_partition_reassignments_is_a_row_a_moving_partition() -> None:
    """Replicas as Kafka lists them: target and removing ones."""
    topic = ListPartitionReassignmentsResponse.OngoingTopicReassignment
    part = topic.OngoingPartitionReassignment
    moving = part(partition_index=4, replicas=[1, 2, 3], adding_replicas=[3], removing_replicas=[1])
    response = ListPartitionReassignmentsResponse(
        throttle_time_ms=0, error_code=0, error_message=None, topics=[topic(name="t", partitions=[moving])]
    )
    assert items("ListPartitionReassignments", "cluster", response, 0) == [
        {"topic": "t", "partition": 4, "replicas": [1, 2, 3], "adding_replicas": [3], "removing_replicas": [1]}
    ]


def test_list_partition_reassignments_asks_a_window_partition_by_partition() -> None:
    """The API takes partitions by number: a key is a topic and how many it has."""
    whole, window = rpc("ListPartitionReassignments", "cluster").apis
    assert whole.build(0, EVERYTHING).topics is None
    topics = window.build(0, Ask(("a/2", "b.c/1"), None, 10)).topics
    assert [(topic.name, topic.partition_indexes) for topic in topics] == [("a", [0, 1]), ("b.c", [0])]
