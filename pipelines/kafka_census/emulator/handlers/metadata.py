"""Metadata (API 3; ids v10, KIP-1062 v14, KIP-637 v15): brokers, topics and their partitions, on the listener asked.

Without names, or with null, all topics that may be described: the others are left out in silence. Named ones answer
with a code each: 3 unknown, 17 no possible name, 29 denied; by id 100, or 29 without a name. Nothing is
ever created here. Brokers are those alive with this listener. A limit counts partitions; a code costs nothing.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import numpy as np

from kafka_census.emulator.authorization import Operation, Resource
from kafka_census.emulator.call import Call
from kafka_census.emulator.features import Speaks
from kafka_census.emulator.handlers.handler import Handler
from kafka_census.emulator.paging import Indexes, Nested, Part, Sorted, partition_is_possible
from kafka_census.emulator.replicas import NO_LEADER
from kafka_census.emulator.topic_names import is_possible
from kafka_census.emulator.topics import Topic
from kafka_census.protocol.kip_1062 import MIN_ISR_VERSION, MetadataRequest, MetadataResponse

UNKNOWN_TOPIC, LEADER_NOT_AVAILABLE, INVALID_TOPIC, DENIED, LISTENER_NOT_FOUND, UNKNOWN_ID = 3, 5, 17, 29, 72, 100
ALL_IS_NULL, EPOCHS, OFFLINE = 1, 7, 5
TOPIC_OPERATIONS, CLUSTER_OPERATIONS = 8, range(8, 11)
UNKNOWN_OPERATIONS: set[int] | None = None
NO_ID = UUID(int=0)

_TOPIC = MetadataResponse.MetadataResponseTopic


def _answer(request: Any, call: Call) -> Any:
    world = call.world
    asked = _asked(request, call)
    listing = world.visible_partitions() if asked is None else _named(asked, call)
    page = call.page(listing, request)
    topics = [_described(listing, part, request, call) for part in listing.parts(page)]
    if asked is not None and not (call.paged and request.cursor):
        topics += _unnamed(request, call)
    found = (
        (node, world.brokers.reachable(node, call.listener), world.brokers.rack(node)) for node in world.brokers.ids
    )
    operations = UNKNOWN_OPERATIONS
    if call.version in CLUSTER_OPERATIONS and request.include_cluster_authorized_operations:
        operations = world.access.operations(Resource.CLUSTER)
    return MetadataResponse(
        throttle_time_ms=0,
        brokers=[(node, at.host, at.port, rack) for node, at, rack in found if at],
        cluster_id=world.cluster_id,
        controller_id=world.brokers.controller(),
        topics=topics,
        authorized_operations=operations,
        error_code=0,
        **call.follows(MetadataResponse, page),
    )


def _asked(request: Any, call: Call) -> Sorted | None:
    """The names that a request is about, ids resolved; None for all topics."""
    if request.topics is None or (not request.topics and call.version < ALL_IS_NULL):
        return None
    by_id = (call.world.topics.of_id(one.topic_id) for one in request.topics if one.name is None)
    allowed = call.world.access.allows
    known = (one.name for one in by_id if one and allowed(Operation.DESCRIBE, Resource.TOPIC, one.name))
    return Sorted([*(one.name for one in request.topics if one.name is not None), *known])


def _code(name: str, call: Call) -> int:
    if not is_possible(name):
        return INVALID_TOPIC
    if not call.world.access.allows(Operation.DESCRIBE, Resource.TOPIC, name):
        return DENIED
    return 0 if call.world.topics.get(name) else UNKNOWN_TOPIC


def _named(names: Sorted, call: Call) -> Nested:
    topics = [call.world.topics.get(name) for name in names]
    sizes = np.array([topic.partitions if topic else 0 for topic in topics], np.int64)
    failed = np.array([_code(name, call) != 0 for name in names], np.bool_)
    return Nested(names, sizes, lambda _holder: Indexes(), (0,), partition_is_possible, failed)


def _described(listing: Nested, part: Part, request: Any, call: Call) -> Any:
    name = listing.holders[part.holder]
    if listing.failed is not None and listing.failed[part.holder]:
        return _failed(name, _code(name, call))
    topic = call.world.topics.get(name)
    if topic is None:
        return _failed(name, UNKNOWN_TOPIC)
    operations = UNKNOWN_OPERATIONS
    if call.version >= TOPIC_OPERATIONS and request.include_topic_authorized_operations:
        operations = call.world.access.operations(Resource.TOPIC, name)
    return _TOPIC(
        error_code=0,
        name=name,
        topic_id=topic.topic_id,
        is_internal=topic.is_internal,
        partitions=_partitions(topic, part, call),
        authorized_operations=operations,
        **({"min_insync_replicas": call.world.topics.min_isr(topic)} if call.version >= MIN_ISR_VERSION else {}),
    )


def _partitions(topic: Topic, part: Part, call: Call) -> list[tuple[Any, ...]]:
    """Rows in the order of the version's fields: the leader epoch and the offline replicas came later.

    A partition without leader is 5, one whose leader has not this listener 72.
    """
    epochs, offline = call.version >= EPOCHS, call.version >= OFFLINE
    lacking = call.world.brokers.without(call.listener)
    return [
        (
            LEADER_NOT_AVAILABLE if state.leader == NO_LEADER else LISTENER_NOT_FOUND if state.leader in lacking else 0,
            index,
            NO_LEADER if state.leader in lacking else state.leader,
            *((state.leader_epoch,) if epochs else ()),
            state.replicas,
            state.isr,
            *((state.offline,) if offline else ()),
        )
        for index, state in enumerate(call.world.topics.partitions(topic, part.begin, part.end), part.begin)
    ]


def _unnamed(request: Any, call: Call) -> Iterator[Any]:
    """Ids that stand for nothing: unknown, or denied, which must not tell a name."""
    for one in request.topics:
        if one.name is None:
            topic = call.world.topics.of_id(one.topic_id)
            if topic is None:
                yield _failed(None, UNKNOWN_ID, one.topic_id or NO_ID)
            elif _code(topic.name, call) == DENIED:
                yield _failed(None, DENIED, one.topic_id)


def _failed(name: str | None, code: int, topic_id: UUID = NO_ID) -> Any:
    return _TOPIC(
        error_code=code,
        name=name,
        topic_id=topic_id,
        is_internal=False,
        partitions=[],
        authorized_operations=UNKNOWN_OPERATIONS,
        min_insync_replicas=-1,
    )


def _highest(speaks: Speaks) -> int | None:
    """KIP-637's version is one above that with a cursor, with or without pages."""
    return MIN_ISR_VERSION if speaks.kip_637 else METADATA.paged if speaks.kip_1062 else None


METADATA = Handler(
    MetadataRequest,
    MetadataResponse,
    {"2.8": (0, 11), "3.9": (0, 12), "4.3": (0, 13)},
    _answer,
    paged=14,
    highest=_highest,
)
