"""DescribeGroups (API 15; errors for unknown groups KIP-1043, v6; KIP-1062 v7): the members of classic groups.

Below v6 an unknown group, or one of another type, is no error: its state is Dead. From v6 it is 69, and Dead too. What
members subscribe to and are assigned is told only while the group is Stable, in the bytes of its protocol. A
page's limit counts members; a group without any costs one.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from kafka.protocol.consumer import ConsumerProtocolAssignment, ConsumerProtocolSubscription

from kafka_census.emulator.authorization import Resource
from kafka_census.emulator.call import Call
from kafka_census.emulator.described_groups import Described, Kind, by_member, described
from kafka_census.emulator.encoding import encoded
from kafka_census.emulator.groups import LIVE, PROTOCOLS
from kafka_census.emulator.handlers.handler import Handler
from kafka_census.emulator.members import Member
from kafka_census.emulator.named_groups import GROUP_NOT_FOUND
from kafka_census.emulator.paging import Part
from kafka_census.protocol.kip_1062 import DescribeGroupsRequest, DescribeGroupsResponse

OPERATIONS, INSTANCES, NOT_FOUND_IS_ERROR = 3, 4, 6
CLASSIC = Kind("classic")
CONSUMER = "consumer"
PROTOCOL_VERSION = 1
"""Of the consumer protocol: the last one that has no generation and rack."""

Row = tuple[Any, ...]


def _answer(request: Any, call: Call) -> Any:
    asked = described(request.groups, CLASSIC, request, call)
    members = by_member(asked, call)
    page = call.page(members, request)
    told = [_told(asked[part.holder], part, call) for part in members.parts(page)]
    protocols = _protocols(told)
    groups = [_group(one, protocols, request, call) for one in told]
    return DescribeGroupsResponse(throttle_time_ms=0, groups=groups, **call.follows(DescribeGroupsResponse, page))


class _Told(NamedTuple):
    """What a page has of a group; it is settled while its protocol is chosen."""

    named: Described
    members: list[Member]

    @property
    def is_settled(self) -> bool:
        return self.named.group is not None and self.named.group.shape.state == LIVE

    @property
    def of_consumers(self) -> bool:
        """Whether its bytes are those of the consumer protocol."""
        return self.named.group is not None and self.named.group.shape.protocol_type == CONSUMER


def _told(named: Described, part: Part, call: Call) -> _Told:
    members = call.world.members(named.group) if named.group else ()
    return _Told(named, [members[place] for place in range(part.begin, part.end)])


def _group(told: _Told, protocols: Iterator[tuple[bytes, bytes]], request: Any, call: Call) -> Row:
    """A group's fields in the order of the version's."""
    named, group = told.named, told.named.group
    worded = call.version >= NOT_FOUND_IS_ERROR
    if group is None:
        # One that there is not, or of which nothing is said.
        unknown = named.code == GROUP_NOT_FOUND
        head = 0 if unknown and not worded else named.code, *((named.message,) if worded else ())
        return *head, named.group_id, "Dead" if unknown else "", "", "", [], None
    operations = None
    if call.version >= OPERATIONS and request.include_authorized_operations:
        operations = call.world.access.operations(Resource.GROUP, group.group_id)
    head = 0, *((None,) if worded else ())
    chosen = PROTOCOLS["classic"] if told.is_settled else ""
    rows = [_member(member, told, protocols, call) for member in told.members]
    return *head, group.group_id, group.shape.state, group.shape.protocol_type, chosen, rows, operations


def _member(member: Member, told: _Told, protocols: Iterator[tuple[bytes, bytes]], call: Call) -> Row:
    """A row in the order of the version's fields."""
    instance = (member.instance_id,) if call.version >= INSTANCES else ()
    return member.member_id, *instance, member.client_id, member.client_host, *_bytes(member, told, protocols)


def _bytes(member: Member, told: _Told, protocols: Iterator[tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
    """Subscription and assignment: of consumers in their protocol, of others bytes that mean nothing."""
    if not told.is_settled or told.named.group is None:
        return b"", b""
    if told.of_consumers:
        return next(protocols)
    return member.member_id.encode(), told.named.group.shape.protocol_type.encode()


def _protocols(told: list[_Told]) -> Iterator[tuple[bytes, bytes]]:
    """Subscription and assignment of all members that tell them in the consumer protocol, one by one."""
    members = [member for one in told if one.is_settled and one.of_consumers for member in one.members]
    subscriptions: list[Row] = [(member.topics, None, []) for member in members]
    assignments = [(member.assignment, None) for member in members]
    head = PROTOCOL_VERSION.to_bytes(2)
    for subscription, assignment in zip(
        encoded(ConsumerProtocolSubscription, PROTOCOL_VERSION, subscriptions),
        encoded(ConsumerProtocolAssignment, PROTOCOL_VERSION, assignments),
        strict=True,
    ):
        yield head + subscription, head + assignment


DESCRIBE_GROUPS = Handler(
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    {"2.8": (0, 5), "3.9": (0, 5), "4.3": (0, 6)},
    _answer,
    paged=7,
)
