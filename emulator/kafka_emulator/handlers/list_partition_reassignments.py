"""ListPartitionReassignments (API 46, KIP-455; KIP-1062 v1): the partitions that are being moved; any broker answers.

Needs DESCRIBE on the cluster. Null topics are all, an empty list is none; partitions that are not moved, or unknown,
are absent. Replicas are the target's and those that will be removed. An answer with a code echoes the partitions of
the request, with empty lists. The controller's timeout is ignored, as in Kafka. A limit counts partitions.
"""

from typing import Any

import numpy as np

from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.paging import Cursor, Flat, partition_is_possible
from kafka_emulator.topic_partitions import TopicPartitions
from kafka_messages.kip_1062 import ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse

DENIED = 31
MESSAGES = {DENIED: "Cluster authorization failed."}
BEHIND_ALL = 2**31


def _answer(request: Any, call: Call) -> Any:
    if not call.world.access.allows(Operation.DESCRIBE, Resource.CLUSTER):
        return _refuse(request, call, DENIED)
    moving = call.world.columns.reassigning()
    partitions = moving if request.topics is None else _named(request.topics, moving)

    def at(cursor: Cursor) -> int:
        partition_is_possible(cursor)
        return partitions.at(cursor)

    page = call.page(Flat(len(partitions), at, partitions.__getitem__), request)
    world_topics = call.world.topics
    topics: dict[str, list[Any]] = {}
    for partition in range(page.begin, page.end):
        topic, index = world_topics.by_ordinal(int(partitions.ordinals[partition])), int(partitions.indexes[partition])
        state = world_topics.partition(topic, index)
        topics.setdefault(topic.name, []).append((index, state.replicas, state.adding, state.removing))
    return ListPartitionReassignmentsResponse(
        throttle_time_ms=0,
        error_code=0,
        error_message=None,
        topics=list(topics.items()),
        **call.follows(ListPartitionReassignmentsResponse, page),
    )


def _named(topics: Any, moving: TopicPartitions) -> TopicPartitions:
    """The moving partitions that a request names."""
    mask = np.zeros(len(moving), np.bool_)
    for topic in topics:
        begin, end = moving.at((topic.name, 0)), moving.at((topic.name, BEHIND_ALL))
        mask[begin:end] |= np.isin(moving.indexes[begin:end], topic.partition_indexes)
    return moving.pick(mask)


def _refuse(request: Any, _call: Call, code: int) -> Any:
    """The code is at the top; a client that ignores it sees an ordinary answer, as with Kafka."""
    echo: list[Any] = [
        (topic.name, [(index, [], [], []) for index in topic.partition_indexes]) for topic in request.topics or ()
    ]
    return ListPartitionReassignmentsResponse(
        throttle_time_ms=0, error_code=code, error_message=MESSAGES.get(code), topics=echo
    )


LIST_PARTITION_REASSIGNMENTS = Handler(
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    {"2.8": (0, 0)},
    _answer,
    paged=1,
    refuse=_refuse,
)
