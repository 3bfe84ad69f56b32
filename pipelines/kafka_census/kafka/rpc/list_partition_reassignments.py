"""ListPartitionReassignments (API 46, KIP-455): which partitions are moving now.

Asked of the broker that DescribeCluster names as controller: in ZooKeeper mode no other broker answers (41), in
KRaft mode that is any broker, which forwards the request; whole. Where the answer is too
large or too late, in windows of topics (`tables.walks`: `fallback`), whose keys are
`topic/partition count`, since the API takes partitions by number. The answer holds only moving
partitions, so only the unbroken chain of windows proves that every topic was asked for.
With KIP-1062 the broker pages, both for all topics and for such a window: its cursor is topic and
partition; the limit counts partitions.
A census asks twice: in the scope `before` ahead of DescribeTopicPartitions, in the scope `cluster`
after it, since a reassignment may end in between.
`replicas` holds the target replicas, adding ones included, and the removing replicas. An error answer
echoes the requested partitions with empty replica lists: the code is read before the rows.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc
from kafka_messages.kip_1062 import ListPartitionReassignmentsRequest, paged

PAGED = 1
# Milliseconds. The controller ignores it; other implementations may not.
TIMEOUT_MS = 60_000

ITEM = (
    Field("topic", "string", "Topic name."),
    Field("partition", "int", "Partition index."),
    Field("replicas", "array<int>", "Current replicas: target and removing ones."),
    Field("adding_replicas", "array<int>", "Replicas being added."),
    Field("removing_replicas", "array<int>", "Replicas being removed."),
)


def _build(version: int, ask: Ask) -> Any:
    topic = ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics
    named = (key.rsplit("/", 1) for key in ask.keys)
    topics = [topic(name=name, partition_indexes=list(range(int(count)))) for name, count in named]
    page = paged(ListPartitionReassignmentsRequest, ask.limit, ask.cursor) if version >= PAGED else {}
    # An empty list means no topic; null means all topics.
    return ListPartitionReassignmentsRequest(version=version, timeout_ms=TIMEOUT_MS, topics=topics or None, **page)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for topic in response.topics:
        for p in topic.partitions:
            yield topic.name, p.partition_index, p.replicas, p.adding_replicas, p.removing_replicas


def _positions(response: Any) -> Iterator[Cursor]:
    return ((topic.name, p.partition_index) for topic in response.topics for p in topic.partitions)


_WHOLE = Api(request=ListPartitionReassignmentsRequest, versions=(0, 0), build=_build, rows=_rows)

LIST_PARTITION_REASSIGNMENTS = Rpc(
    name="ListPartitionReassignments",
    scope="cluster",
    item=ITEM,
    apis=(_WHOLE.by_cursor(PAGED, positions=_positions), _WHOLE, replace(_WHOLE, paging="window")),
)
LIST_PARTITION_REASSIGNMENTS_BEFORE = replace(LIST_PARTITION_REASSIGNMENTS, scope="before")
