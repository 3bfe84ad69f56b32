"""Metadata (API 3; ids v10, KIP-1062 v14, KIP-637 v15): brokers, topics and partitions, by the listener of the request.

Without names, or with null, all topics that may be described: the others are left out. Each named topic has a
code: 29 denied, 17 invalid name, 3 unknown; by id (v12) 100, or 29 without a name. If any topic has an id, names are
ignored. At v10 and v11, where ids have no purpose, an id, or a topic without a name, is 42 on everything. Topics are
never created. Brokers are those that are alive and have this listener. A limit counts partitions; a code costs one.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import numpy as np

from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.features import Speaks
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.paging import Indexes, Nested, Part, Sorted, partition_is_possible
from kafka_emulator.replicas import NO_LEADER
from kafka_emulator.topic_names import is_possible
from kafka_emulator.topics import Topic
from kafka_messages.kip_1062 import MIN_ISR_VERSION, MetadataRequest, MetadataResponse

UNKNOWN_SERVER_ERROR, UNKNOWN_TOPIC, LEADER_NOT_AVAILABLE, INVALID_TOPIC, DENIED = -1, 3, 5, 17, 29
INVALID_REQUEST, LISTENER_NOT_FOUND, UNKNOWN_ID = 42, 72, 100
ALL_IS_NULL, EPOCHS, OFFLINE, IDS = 1, 7, 5, 12
TOPIC_OPERATIONS, CLUSTER_OPERATIONS = 8, range(8, 11)
UNKNOWN_OPERATIONS: set[int] | None = None
NO_ID = UUID(int=0)
_BY_ID = "id:"
"""The prefix of an id without a name: no topic has such a name, and each id needs its own position."""

_TOPIC = MetadataResponse.MetadataResponseTopic


def _answer(request: Any, call: Call) -> Any:
    world = call.world
    if (code := _no_sense(request, call)) != 0:
        return _refused(request, code)
    asked = _asked(request, call)
    listing = world.visible_partitions() if asked is None else _named(asked, call)
    page = call.page(listing, request)
    topics = [_described(listing, part, asked or {}, request, call) for part in listing.parts(page)]
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


def _no_sense(request: Any, call: Call) -> int:
    """The code of an invalid request; 0 where it is valid. Kafka's handler fails on topics with neither name nor id."""
    named = [one.name is not None for one in request.topics or ()]
    by_id = any(one.topic_id is not None for one in request.topics or ())
    if call.version < IDS:
        return INVALID_REQUEST if by_id or not all(named) else 0
    return 0 if by_id or all(named) else UNKNOWN_SERVER_ERROR


def _asked(request: Any, call: Call) -> Mapping[str, UUID | None] | None:
    """The positions of a request, with the id of those without a name; None for all topics."""
    if request.topics is None or (not request.topics and call.version < ALL_IS_NULL):
        return None
    ids = [one.topic_id for one in request.topics if one.topic_id is not None]
    if not ids:
        return dict.fromkeys(one.name for one in request.topics)
    found: dict[str, UUID | None] = {}
    for topic_id in ids:
        topic = call.world.topics.of_id(topic_id)
        if topic is not None and call.world.access.allows(Operation.DESCRIBE, Resource.TOPIC, topic.name):
            found[topic.name] = None
        else:
            found[f"{_BY_ID}{topic_id}"] = topic_id
    return found


def _code(name: str, call: Call) -> int:
    if not call.world.access.allows(Operation.DESCRIBE, Resource.TOPIC, name):
        return DENIED
    if not is_possible(name):
        return INVALID_TOPIC
    return 0 if call.world.topics.get(name) else UNKNOWN_TOPIC


def _named(asked: Mapping[str, UUID | None], call: Call) -> Nested:
    positions = Sorted(asked)
    topics = [call.world.topics.get(position) for position in positions]
    sizes = np.array([topic.partitions if topic else 0 for topic in topics], np.int64)
    failed = np.array([asked[position] is not None or _code(position, call) != 0 for position in positions], np.bool_)
    return Nested(positions, sizes, lambda _holder: Indexes(), (0,), partition_is_possible, failed)


def _described(listing: Nested, part: Part, asked: Mapping[str, UUID | None], request: Any, call: Call) -> Any:
    name = listing.holders[part.holder]
    if (topic_id := asked.get(name)) is not None:
        return _failed(None, UNKNOWN_ID if call.world.topics.of_id(topic_id) is None else DENIED, topic_id)
    operations = UNKNOWN_OPERATIONS
    code = _code(name, call) if asked else 0
    if call.version >= TOPIC_OPERATIONS and request.include_topic_authorized_operations and code != DENIED:
        operations = call.world.access.operations(Resource.TOPIC, name)
    topic = call.world.topics.get(name)
    if code or topic is None:
        return _failed(name, code, operations=operations)
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

    A partition without a leader is 5, a partition whose leader does not have this listener 72.
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


def _refused(request: Any, code: int) -> Any:
    """Every topic has the code, as often as the request names it; the rest of the answer is empty."""
    return MetadataResponse(
        throttle_time_ms=0,
        brokers=[],
        cluster_id=None,
        controller_id=-1,
        topics=[_failed(one.name or "", code, one.topic_id or NO_ID) for one in request.topics],
        authorized_operations=UNKNOWN_OPERATIONS,
        error_code=0,
    )


def _failed(
    name: str | None, code: int, topic_id: UUID = NO_ID, operations: set[int] | None = UNKNOWN_OPERATIONS
) -> Any:
    return _TOPIC(
        error_code=code,
        name=name,
        topic_id=topic_id,
        is_internal=False,
        partitions=[],
        authorized_operations=operations,
        min_insync_replicas=-1,
    )


def _highest(speaks: Speaks) -> int | None:
    """KIP-637's version is one above the version with a cursor, whether or not the broker pages."""
    return MIN_ISR_VERSION if speaks.kip_637 else METADATA.paged if speaks.kip_1062 else None


METADATA = Handler(
    MetadataRequest,
    MetadataResponse,
    {"2.8": (0, 11), "3.9": (0, 12), "4.3": (0, 13)},
    _answer,
    paged=14,
    highest=_highest,
)
