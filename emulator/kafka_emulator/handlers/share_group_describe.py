"""ShareGroupDescribe (API 77, KIP-932): the members of all named share groups.

A group of another type is 69, the empty id 24. A topic in the assignments that may not be described refuses the
whole group (29).
"""

from typing import Any

from kafka_emulator.call import Call
from kafka_emulator.described_groups import (
    UNKNOWN_OPERATIONS,
    Described,
    Kind,
    assigned_topics,
    described,
    epoch_of,
    operations_of,
)
from kafka_emulator.groups import PROTOCOLS, Group
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.members import Member
from kafka_emulator.named_groups import SHARE_MESSAGES
from kafka_messages import ShareGroupDescribeRequest, ShareGroupDescribeResponse

HIDDEN_TOPICS = "The group has described topic(s) that the client is not authorized to describe."
SHARE = Kind("share", assigned_topics, HIDDEN_TOPICS)

_GROUP = ShareGroupDescribeResponse.DescribedGroup
_ASSIGNMENT = _GROUP.Member.Assignment


def _answer(request: Any, call: Call) -> Any:
    asked = described(request.group_ids, SHARE, request, call)
    groups = [_group(one.group, request, call) if one.group else _without(one) for one in asked]
    return ShareGroupDescribeResponse(throttle_time_ms=0, groups=groups)


def _group(group: Group, request: Any, call: Call) -> Any:
    members = call.world.members(group)
    ids = {topic: found.topic_id for topic in group.topics if (found := call.world.topics.get(topic))}

    def row(member: Member) -> tuple[Any, ...]:
        assigned = _ASSIGNMENT(topic_partitions=[(ids[topic], topic, indexes) for topic, indexes in member.assignment])
        head = member.member_id, member.rack_id, member.epoch, member.client_id, member.client_host
        return *head, list(member.topics), assigned

    return _GROUP(
        error_code=0,
        error_message=None,
        group_id=group.group_id,
        group_state=group.shape.state,
        group_epoch=epoch_of(group),
        assignment_epoch=epoch_of(group),
        assignor_name=PROTOCOLS["share"],
        members=[row(members[position]) for position in range(len(members))],
        authorized_operations=operations_of(group.group_id, request, call),
    )


def _without(named: Described) -> Any:
    return _GROUP(
        error_code=named.code,
        error_message=named.message or SHARE_MESSAGES.get(named.code),
        group_id=named.group_id,
        group_state="",
        group_epoch=0,
        assignment_epoch=0,
        assignor_name="",
        members=[],
        authorized_operations=UNKNOWN_OPERATIONS,
    )


SHARE_GROUP_DESCRIBE = Handler(ShareGroupDescribeRequest, ShareGroupDescribeResponse, {"4.3": (1, 1)}, _answer)
