"""What DescribeQuorum makes of an answer."""

from typing import Any
from uuid import UUID

from kafka.protocol.admin import DescribeQuorumResponse

from unit.rpc.answers import items


def _quorum() -> Any:
    topic = DescribeQuorumResponse.TopicData
    part = topic.PartitionData
    state = part.ReplicaState

    def replica(node: int, at: int) -> Any:
        return state(
            replica_id=node,
            replica_directory_id=UUID("004fbf1a-9d3f-4a2e-9a1c-fbf3e9f0d5aa"),
            log_end_offset=5,
            last_fetch_timestamp=at,
            last_caught_up_timestamp=-1,
        )

    partition = part(
        partition_index=0,
        error_code=0,
        error_message=None,
        leader_id=1,
        leader_epoch=3,
        high_watermark=4,
        current_voters=[replica(1, 1000)],
        observers=[replica(7, -1)],
    )
    topics = [topic(topic_name="__cluster_metadata", partitions=[partition])]
    return DescribeQuorumResponse(error_code=0, error_message=None, topics=topics, nodes=[])


def test_describe_quorum_is_a_row_a_replica() -> None:
    """Voters and observers; times from v1 on, directory ids from v2 on, unknown times null."""
    voter, observer = items("DescribeQuorum", "quorum", _quorum(), 2)
    assert (voter["leader_id"], voter["leader_epoch"], voter["high_watermark"]) == (1, 3, 4)
    assert (voter["replica_id"], voter["is_voter"], voter["replica_directory_id"]) == (
        1,
        True,
        "AE-_Gp0_Si6aHPvz6fDVqg",
    )
    assert (voter["last_fetch_ms"], voter["last_caught_up_ms"]) == (1000, None)
    assert (observer["replica_id"], observer["is_voter"], observer["last_fetch_ms"]) == (7, False, None)
    old, _ = items("DescribeQuorum", "quorum", _quorum(), 0)
    assert (old["last_fetch_ms"], old["replica_directory_id"]) == (None, None)


def test_describe_quorum_keeps_an_error_without_replicas() -> None:
    """Or else the partition's code would be nowhere."""
    answer = _quorum()
    partition = answer.topics[0].partitions[0]
    partition.error_code, partition.current_voters, partition.observers = 3, [], []
    (item,) = items("DescribeQuorum", "quorum", answer, 2)
    assert (item["error_code"], item["replica_id"], item["is_voter"]) == (3, None, None)
