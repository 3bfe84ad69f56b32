"""What ListPartitionReassignments asks, and what it makes of an answer."""

import pytest

from kafka_census.kafka.paging.rpc import Ask
from unit.rpc.answers import EVERYTHING, sent


@pytest.mark.parametrize(("version", "everything", "keyed"), [(0, 1, 2), (1, 0, 0)])
def test_list_partition_reassignments_asks_a_window_partition_by_partition(
    version: int, everything: int, keyed: int
) -> None:
    """The API takes partitions by number: a key is a topic and how many it has."""
    assert sent("ListPartitionReassignments", "cluster", version, EVERYTHING, everything).topics is None
    asked = sent("ListPartitionReassignments", "cluster", version, Ask(("a/2", "b.c/1"), None, 10), keyed)
    assert [(topic.name, topic.partition_indexes) for topic in asked.topics] == [("a", [0, 1]), ("b.c", [0])]
