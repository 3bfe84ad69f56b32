"""ConsumerGroupDescribe (API 69, KIP-848; member types v1; KIP-1062 v2): the members of consumer groups.

A group of another type is 69, the empty id 24. A topic in the assignments that may not be described refuses
the whole group (29). Kafka 3.9 has the RPC, but the protocol is off: 35 for every group. A page's limit
counts members; a group without members costs one. All members have reached their target.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from kafka_emulator.call import Call
from kafka_emulator.described_groups import (
    UNKNOWN_OPERATIONS,
    Described,
    Kind,
    assigned_topics,
    by_member,
    described,
    epoch_of,
    operations_of,
)
from kafka_emulator.groups import PROTOCOLS
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.members import Assignment
from kafka_emulator.paging import Part
from kafka_messages.kip_1062 import ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse

UNSUPPORTED_VERSION = 35
MEMBER_TYPES, CONSUMER_MEMBER = 1, 1
HIDDEN_TOPICS = "The group has described topic(s) that the client is not authorized to describe."
CONSUMER = Kind("consumer", assigned_topics, HIDDEN_TOPICS)

Row = tuple[Any, ...]


def _answer(request: Any, call: Call) -> Any:
    if call.speaks.as_version == "3.9":
        off = [_without(Described(one, UNSUPPORTED_VERSION)) for one in request.group_ids]
        return ConsumerGroupDescribeResponse(throttle_time_ms=0, groups=off)
    asked = described(request.group_ids, CONSUMER, request, call)
    members = by_member(asked, call)
    page = call.page(members, request)
    # Members of many groups have equal assignments, which are encoded once.
    assigned = cache(partial(_assigned, call))
    groups = [_group(asked[part.holder], part, request, call, assigned) for part in members.parts(page)]
    follows = call.follows(ConsumerGroupDescribeResponse, page)
    return ConsumerGroupDescribeResponse(throttle_time_ms=0, groups=groups, **follows)


def _assigned(call: Call, assignment: Assignment) -> Row:
    """The only field of an assignment: ids, names and partitions of topics."""
    topics = [(call.world.topics.get(topic), indexes) for topic, indexes in assignment]
    return ([(topic.topic_id, topic.name, indexes) for topic, indexes in topics if topic is not None],)


def _group(named: Described, part: Part, request: Any, call: Call, assigned: Callable[[Assignment], Row]) -> Row:
    """A group's fields in the order of the message."""
    group = named.group
    if group is None:
        return _without(named)
    epoch, operations = epoch_of(group), operations_of(group.group_id, request, call)
    kind = (CONSUMER_MEMBER,) if call.version >= MEMBER_TYPES else ()
    members = call.world.members(group)[part.begin : part.end]
    rows = [one[:7] + ("", row := assigned(one.assignment), row) + kind for one in members]  # noqa: RUF005 - quicker
    return 0, None, group.group_id, group.shape.state, epoch, epoch, PROTOCOLS["consumer"], rows, operations


def _without(named: Described) -> Row:
    return named.code, named.message, named.group_id, "", 0, 0, "", [], UNKNOWN_OPERATIONS


CONSUMER_GROUP_DESCRIBE = Handler(
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    {"3.9": (0, 0), "4.3": (0, 1)},
    _answer,
    paged=2,
)
