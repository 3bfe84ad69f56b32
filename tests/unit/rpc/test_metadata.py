"""What Metadata makes of an answer."""

from typing import Any
from uuid import UUID

from kafka.protocol.metadata import MetadataResponse

from kafka_census.rpc import rpc
from unit.rpc.answers import items, over_the_wire


def _metadata(version: int, error: int = 0) -> Any:
    topic, broker = MetadataResponse.MetadataResponseTopic, MetadataResponse.MetadataResponseBroker
    part = topic.MetadataResponsePartition
    partition = part(
        error_code=0,
        partition_index=0,
        leader_id=1,
        leader_epoch=3,
        replica_nodes=[1, 2],
        isr_nodes=[1],
        offline_replicas=[2],
    )
    return MetadataResponse(
        throttle_time_ms=0,
        brokers=[broker(node_id=1, host="h", port=9, rack=None)],
        cluster_id="k",
        controller_id=1,
        topics=[
            topic(
                error_code=error,
                name="t",
                topic_id=UUID(int=7),
                is_internal=False,
                partitions=[] if error else [partition],
                authorized_operations={31},
            )
        ],
    )


def test_metadata_lists_names_with_their_sizes() -> None:
    """A name is all that is kept; ids are null before v10."""
    assert items("Metadata", "names", _metadata(13), 13) == [
        {
            "topic": "t",
            "topic_id": "AAAAAAAAAAAAAAAAAAAABw",
            "is_internal": False,
            "partition_count": 1,
            "error_code": 0,
        }
    ]
    assert items("Metadata", "names", _metadata(9), 9)[0]["topic_id"] is None


def test_metadata_without_brokers_is_an_error() -> None:
    """Below v13 a failed request for all topics has no code of its own."""
    empty = MetadataResponse(throttle_time_ms=0, brokers=[], cluster_id="k", controller_id=1, topics=[])
    assert rpc("Metadata", "names").apis[0].error(over_the_wire(empty, 12))[0] == 5
