"""What DescribeTopicPartitions makes of an answer."""

from uuid import UUID

from kafka.protocol.admin import DescribeTopicPartitionsResponse

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from unit.rpc.answers import items, metadata, over_the_wire


def test_describe_topic_partitions_is_a_row_per_partition_and_one_for_a_failed_topic() -> None:
    """ELR lists are lists, null or not; a failed topic has no partition."""
    topic = DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic
    part = topic.DescribeTopicPartitionsResponsePartition
    response = DescribeTopicPartitionsResponse(
        throttle_time_ms=0,
        topics=[
            topic(
                error_code=0,
                name="t",
                topic_id=UUID(int=7),
                is_internal=True,
                topic_authorized_operations=0,
                partitions=[
                    part(
                        error_code=0,
                        partition_index=0,
                        leader_id=-1,
                        leader_epoch=3,
                        replica_nodes=[1, 2],
                        isr_nodes=[],
                        eligible_leader_replicas=[2],
                        last_known_elr=None,
                        offline_replicas=[1],
                    )
                ],
            ),
            topic(
                error_code=3,
                name="gone",
                topic_id=UUID(int=0),
                is_internal=False,
                topic_authorized_operations=0,
                partitions=[],
            ),
        ],
        next_cursor=DescribeTopicPartitionsResponse.Cursor(topic_name="t", partition_index=0),
    )
    first, second = items("DescribeTopicPartitions", "topics", response, 0)
    assert (first["leader_id"], first["isr"], first["eligible_leader_replicas"], first["last_known_elr"]) == (
        -1,
        [],
        [2],
        [],
    )
    assert first["elr_known"] is True
    assert (second["topic"], second["error_code"], second["partition"], second["replicas"]) == ("gone", 3, None, [])
    cursor = rpc("DescribeTopicPartitions", "topics").apis[0].next_cursor(over_the_wire(response, 0))
    assert cursor == ("t", 0)


def test_describe_topic_partitions_by_metadata_does_not_know_the_elr() -> None:
    """Where API 75 is not offered, the lists are empty and said to be unknown."""
    (item,) = items("DescribeTopicPartitions", "topics", metadata(), 9, Ask(("t",), None, 1), way=1)
    assert (item["replicas"], item["isr"], item["offline_replicas"]) == ([1, 2], [1], [2])
    assert (item["eligible_leader_replicas"], item["elr_known"]) == ([], False)
