"""ListPartitionReassignments (API 46, KIP-455): which partitions are moving now.

Asked of any broker, which forwards it to the controller; whole. `replicas` holds the
target and the removing replicas, adding ones included. An error answer echoes the
asked partitions with empty replica lists: the code is read before the rows.
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.admin import ListPartitionReassignmentsRequest

from kafka_census.paging.rpc import Api, Ask, Field, Row, Rpc, top_level_error

# The controller ignores it; brokers of other kinds may not.
TIMEOUT_MS = 60_000

ITEM = (
    Field("topic", "string", "Topic name."),
    Field("partition", "int", "Partition index."),
    Field("replicas", "array<int>", "Current replicas: target and removing ones."),
    Field("adding_replicas", "array<int>", "Replicas being added."),
    Field("removing_replicas", "array<int>", "Replicas being removed."),
)


def _build(version: int, _ask: Ask) -> Any:
    return ListPartitionReassignmentsRequest(version=version, timeout_ms=TIMEOUT_MS, topics=None)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for topic in response.topics:
        for p in topic.partitions:
            yield topic.name, p.partition_index, p.replicas, p.adding_replicas, p.removing_replicas


LIST_PARTITION_REASSIGNMENTS = Rpc(
    name="ListPartitionReassignments",
    scope="cluster",
    item=ITEM,
    apis=(Api(ListPartitionReassignmentsRequest, 0, 0, "whole", _build, _rows, top_level_error),),
)
