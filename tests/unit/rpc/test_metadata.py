"""What Metadata makes of an answer."""

from kafka.protocol.metadata import MetadataResponse

from kafka_census.rpc import rpc
from unit.rpc.answers import items, metadata, over_the_wire


def test_metadata_lists_names_with_their_sizes() -> None:
    """A name is all that is kept; ids are null before v10."""
    assert items("Metadata", "names", metadata(), 13) == [
        {
            "topic": "t",
            "topic_id": "AAAAAAAAAAAAAAAAAAAABw",
            "is_internal": False,
            "partition_count": 1,
            "error_code": 0,
        }
    ]
    assert items("Metadata", "names", metadata(), 9)[0]["topic_id"] is None


def test_metadata_without_brokers_is_an_error() -> None:
    """Below v13 a failed request for all topics has no code of its own."""
    empty = MetadataResponse(throttle_time_ms=0, brokers=[], cluster_id="k", controller_id=1, topics=[])
    assert rpc("Metadata", "names").apis[0].error(over_the_wire(empty, 12))[0] == 5
