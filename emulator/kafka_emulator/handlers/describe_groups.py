"""DescribeGroups (API 15; errors for unknown groups KIP-1043, v6; KIP-1062 v7): the members of classic groups.

Below v6 an unknown group, or a group of another type, is no error: its state is Dead. From v6 it is 69, and Dead too.
Subscriptions and assignments of members are reported only while the group is Stable, in the bytes of its protocol.
A page's limit counts members; a group without members costs one.
"""

from typing import Any, NamedTuple

from kafka.protocol.consumer import ConsumerProtocolAssignment, ConsumerProtocolSubscription

from kafka_emulator.authorization import Resource
from kafka_emulator.call import Call
from kafka_emulator.described_groups import Described, Kind, by_member, described
from kafka_emulator.encoding import encoded
from kafka_emulator.groups import LIVE, PROTOCOLS
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.members import Assignment, Member
from kafka_emulator.named_groups import GROUP_NOT_FOUND
from kafka_emulator.paging import Part
from kafka_messages.kip_1062 import DescribeGroupsRequest, DescribeGroupsResponse

OPERATIONS, INSTANCES, NOT_FOUND_IS_ERROR = 3, 4, 6
CLASSIC = Kind("classic")
CONSUMER = "consumer"
PROTOCOL_VERSION = 1
"""The version of the consumer protocol: the last version without generation and rack."""

Row = tuple[Any, ...]
Bytes = list[tuple[bytes, bytes]]
"""Subscription and assignment of each member."""


def _answer(request: Any, call: Call) -> Any:
    asked = described(request.groups, CLASSIC, request, call)
    members = by_member(asked, call)
    page = call.page(members, request)
    reported = [_reported(asked[part.holder], part, call) for part in members.parts(page)]
    protocol = _protocol(reported)
    groups = [_group(one, protocol, request, call) for one in reported]
    return DescribeGroupsResponse(throttle_time_ms=0, groups=groups, **call.follows(DescribeGroupsResponse, page))


class _Protocol(NamedTuple):
    """The bytes in the consumer protocol, by subscription and by assignment."""

    subscriptions: dict[tuple[str, ...], bytes]
    assignments: dict[Assignment, bytes]


class _Reported(NamedTuple):
    """The part of a group in a page; `settled` while its protocol is chosen."""

    named: Described
    members: list[Member]

    @property
    def is_settled(self) -> bool:
        return self.named.group is not None and self.named.group.shape.state == LIVE

    @property
    def of_consumers(self) -> bool:
        """Whether the bytes are those of the consumer protocol."""
        return self.named.group is not None and self.named.group.shape.protocol_type == CONSUMER


def _reported(named: Described, part: Part, call: Call) -> _Reported:
    return _Reported(named, call.world.members(named.group)[part.begin : part.end] if named.group else [])


def _group(reported: _Reported, protocol: _Protocol, request: Any, call: Call) -> Row:
    """A group's fields in the order of the version's."""
    named, group = reported.named, reported.named.group
    worded = call.version >= NOT_FOUND_IS_ERROR
    if group is None:
        # The group does not exist, or is refused.
        unknown = named.code == GROUP_NOT_FOUND
        head = 0 if unknown and not worded else named.code, *((named.message,) if worded else ())
        return *head, named.group_id, "Dead" if unknown else "", "", "", [], None
    operations = None
    if call.version >= OPERATIONS and request.include_authorized_operations:
        operations = call.world.access.operations(Resource.GROUP, group.group_id)
    head = 0, *((None,) if worded else ())
    chosen = PROTOCOLS["classic"] if reported.is_settled else ""
    rows = _members(reported.members, _bytes(reported, protocol), instances=call.version >= INSTANCES)
    return *head, group.group_id, group.shape.state, group.shape.protocol_type, chosen, rows, operations


def _members(members: list[Member], written: Bytes, *, instances: bool) -> list[Row]:
    """Rows in the order of the version's fields."""
    every = zip(members, written, strict=True)
    if instances:
        return [(one.member_id, one.instance_id, one.client_id, one.client_host, *codes) for one, codes in every]
    return [(one.member_id, one.client_id, one.client_host, *codes) for one, codes in every]


def _bytes(reported: _Reported, protocol: _Protocol) -> Bytes:
    """The bytes of consumers in their protocol; of other members bytes without meaning."""
    group = reported.named.group
    if group is None or not reported.is_settled:
        return [(b"", b"")] * len(reported.members)
    if reported.of_consumers:
        subscription = protocol.subscriptions[group.topics]
        return [(subscription, protocol.assignments[one.assignment]) for one in reported.members]
    protocol_type = group.shape.protocol_type.encode()
    return [(one.member_id.encode(), protocol_type) for one in reported.members]


def _protocol(reported: list[_Reported]) -> _Protocol:
    """Encode each distinct subscription and assignment once, however many members share it."""
    groups = [one for one in reported if one.is_settled and one.of_consumers]
    topics = list(dict.fromkeys(one.named.group.topics for one in groups if one.named.group))
    assignments = list(dict.fromkeys(member.assignment for one in groups for member in one.members))
    subscribed = encoded(ConsumerProtocolSubscription, PROTOCOL_VERSION, [(one, None, []) for one in topics])
    assigned = encoded(ConsumerProtocolAssignment, PROTOCOL_VERSION, [(one, None) for one in assignments])
    head = PROTOCOL_VERSION.to_bytes(2)
    return _Protocol(
        {one: head + code for one, code in zip(topics, subscribed, strict=True)},
        {one: head + code for one, code in zip(assignments, assigned, strict=True)},
    )


DESCRIBE_GROUPS = Handler(
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    {"2.8": (0, 5), "4.3": (0, 6)},
    _answer,
    paged=7,
)
