"""What ListPartitionReassignments makes of an answer."""

from typing import Any

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import ListPartitionReassignmentsResponse
from unit.rpc.answers import EVERYTHING, items, over_the_wire, page_of, sent


def _moving(**page: Any) -> Any:
    topic = ListPartitionReassignmentsResponse.OngoingTopicReassignment
    part = topic.OngoingPartitionReassignment
    moving = part(partition_index=4, replicas=[1, 2, 3], adding_replicas=[3], removing_replicas=[1])
    topics = [topic(name="t", partitions=[moving])]
    return ListPartitionReassignmentsResponse(
        throttle_time_ms=0, error_code=0, error_message=None, topics=topics, **page
    )


def test_list_partition_reassignments_is_a_row_a_moving_partition() -> None:
    """Replicas as Kafka lists them: target and removing ones."""
    for version, way in ((0, 1), (0, 2), (1, 0)):
        assert items("ListPartitionReassignments", "cluster", _moving(), version, way=way) == [
            {"topic": "t", "partition": 4, "replicas": [1, 2, 3], "adding_replicas": [3], "removing_replicas": [1]}
        ]


def test_list_partition_reassignments_asks_a_window_partition_by_partition() -> None:
    """The API takes partitions by number: a key is a topic and how many it has."""
    for version, everything, keyed in ((0, 1, 2), (1, 0, 0)):
        assert sent("ListPartitionReassignments", "cluster", version, EVERYTHING, everything).topics is None
        asked = sent("ListPartitionReassignments", "cluster", version, Ask(("a/2", "b.c/1"), None, 10), keyed)
        assert [(topic.name, topic.partition_indexes) for topic in asked.topics] == [("a", [0, 1]), ("b.c", [0])]


def test_list_partition_reassignments_pages_by_the_broker_s_cursor_at_v1() -> None:
    """Limit and cursor are sent there, and not below."""
    ask = Ask((), ("t", 4), 7)
    assert page_of(sent("ListPartitionReassignments", "cluster", 1, ask)) == (7, ("t", 4))
    assert page_of(sent("ListPartitionReassignments", "cluster", 0, ask, way=1)) == (2000, None)
    api = rpc("ListPartitionReassignments", "cluster").apis[0]
    follows = ListPartitionReassignmentsResponse.Cursor(topic_name="u", partition_index=0)
    assert api.next_cursor(over_the_wire(_moving(next_cursor=follows), 1)) == ("u", 0)
    assert api.next_cursor(over_the_wire(_moving(), 1)) is None
