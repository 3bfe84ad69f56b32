"""DescribeGroups (API 15; errors for unknown groups KIP-1043, v6; KIP-1062 v7): the members of classic groups.

Below v6 an unknown group, or one of another type, is no error: its state is Dead. From v6 it is 69, and Dead too. What
members subscribe to and are assigned is told only while the group is Stable, in the bytes of its protocol. A
page's limit counts members; a group without any costs one.
"""

from typing import Any

from kafka.protocol.consumer import ConsumerProtocolAssignment, ConsumerProtocolSubscription

from kafka_census.emulator.authorization import Resource
from kafka_census.emulator.call import Call
from kafka_census.emulator.described_groups import Described, Kind, by_member, described
from kafka_census.emulator.groups import LIVE, PROTOCOLS, Group
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

_GROUP = DescribeGroupsResponse.DescribedGroup


def _answer(request: Any, call: Call) -> Any:
    asked = described(request.groups, CLASSIC, request, call)
    members = by_member(asked, call)
    page = call.page(members, request)
    groups = [_group(asked[part.holder], part, request, call) for part in members.parts(page)]
    return DescribeGroupsResponse(throttle_time_ms=0, groups=groups, **call.follows(DescribeGroupsResponse, page))


def _group(named: Described, part: Part, request: Any, call: Call) -> Any:
    if named.group is None:
        return _without(named, call)
    group, settled = named.group, named.group.shape.state == LIVE
    members = call.world.members(group)
    operations = None
    if call.version >= OPERATIONS and request.include_authorized_operations:
        operations = call.world.access.operations(Resource.GROUP, group.group_id)
    return _GROUP(
        error_code=0,
        error_message=None,
        group_id=group.group_id,
        group_state=group.shape.state,
        protocol_type=group.shape.protocol_type,
        protocol_data=PROTOCOLS["classic"] if settled else "",
        members=[_member(members[place], group, call, settled=settled) for place in range(part.begin, part.end)],
        authorized_operations=operations,
    )


def _without(named: Described, call: Call) -> Any:
    """A group that there is not, or of which nothing is said."""
    unknown = named.code == GROUP_NOT_FOUND
    told = not unknown or call.version >= NOT_FOUND_IS_ERROR
    return _GROUP(
        error_code=named.code if told else 0,
        error_message=named.message,
        group_id=named.group_id,
        group_state="Dead" if unknown else "",
        protocol_type="",
        protocol_data="",
        members=[],
        authorized_operations=None,
    )


def _member(member: Member, group: Group, call: Call, *, settled: bool) -> tuple[Any, ...]:
    """A row in the order of the version's fields."""
    instance = (member.instance_id,) if call.version >= INSTANCES else ()
    told = _protocol(member, group) if settled else (b"", b"")
    return member.member_id, *instance, member.client_id, member.client_host, *told


def _protocol(member: Member, group: Group) -> tuple[bytes, bytes]:
    """Subscription and assignment: of consumers in their protocol, of others bytes that mean nothing."""
    if group.shape.protocol_type != CONSUMER:
        return member.member_id.encode(), group.shape.protocol_type.encode()
    subscription = ConsumerProtocolSubscription(
        version=PROTOCOL_VERSION, topics=list(member.topics), user_data=None, owned_partitions=[]
    )
    assignment = ConsumerProtocolAssignment(
        version=PROTOCOL_VERSION, assigned_partitions=list(member.assignment), user_data=None
    )
    return bytes(subscription.encode()), bytes(assignment.encode())


DESCRIBE_GROUPS = Handler(
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    {"2.8": (0, 5), "3.9": (0, 5), "4.3": (0, 6)},
    _answer,
    paged=7,
)
