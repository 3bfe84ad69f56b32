"""What ListPartitionReassignments makes of an answer."""

from kafka.protocol.admin import ListPartitionReassignmentsResponse

from unit.rpc.answers import items


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
