"""StreamsGroupDescribe (API 89, KIP-1071): the topology and the members of all named streams groups.

A group of another type is 69, the empty id 24. A topic of the topology that may not be described refuses the whole
group (29). Each topic of a group is its own subtopology, numbered in the order of topic names; a
member's active tasks are its assigned partitions.
"""

from typing import Any

from kafka_emulator.arithmetic import utf16
from kafka_emulator.call import Call
from kafka_emulator.described_groups import (
    UNKNOWN_OPERATIONS,
    Described,
    Kind,
    described,
    epoch_of,
    operations_of,
)
from kafka_emulator.groups import Group
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.members import Member
from kafka_messages import StreamsGroupDescribeRequest, StreamsGroupDescribeResponse

HIDDEN_TOPICS = "The described group uses topics that the client is not authorized to describe."
TOPOLOGY_EPOCH = 0

_GROUP = StreamsGroupDescribeResponse.DescribedGroup
_TOPOLOGY, _SUBTOPOLOGY, _ASSIGNMENT = _GROUP.Topology, _GROUP.Topology.Subtopology, _GROUP.Member.Assignment


def _source_topics(group: Group, _call: Call) -> list[str]:
    """The source topics of the topology, whether or not they exist."""
    return sorted(group.topics, key=utf16)


STREAMS = Kind("streams", _source_topics, HIDDEN_TOPICS)


def _answer(request: Any, call: Call) -> Any:
    asked = described(request.group_ids, STREAMS, request, call)
    groups = [_group(one.group, request, call) if one.group else _without(one) for one in asked]
    return StreamsGroupDescribeResponse(throttle_time_ms=0, groups=groups)


def _group(group: Group, request: Any, call: Call) -> Any:
    members, topics = call.world.members(group), _source_topics(group, call)
    numbers = {topic: str(number) for number, topic in enumerate(topics)}
    subtopologies = [
        _SUBTOPOLOGY(
            subtopology_id=number,
            source_topics=[topic],
            repartition_sink_topics=[],
            state_changelog_topics=[],
            repartition_source_topics=[],
        )
        for topic, number in numbers.items()
    ]
    return _GROUP(
        error_code=0,
        error_message=None,
        group_id=group.group_id,
        group_state=group.shape.state,
        group_epoch=epoch_of(group),
        assignment_epoch=epoch_of(group),
        topology=_TOPOLOGY(epoch=TOPOLOGY_EPOCH, subtopologies=subtopologies),
        members=[_member(members[position], numbers) for position in range(len(members))],
        authorized_operations=operations_of(group.group_id, request, call),
    )


def _member(member: Member, numbers: dict[str, str]) -> tuple[Any, ...]:
    """A member in the order of the message's fields; endpoint, tags and task offsets are empty, none is classic."""
    active = [(numbers[topic], indexes) for topic, indexes in member.assignment]
    tasks = _ASSIGNMENT(active_tasks=active, standby_tasks=[], warmup_tasks=[])
    head = member.member_id, member.epoch, member.instance_id, member.rack_id, member.client_id, member.client_host
    return *head, TOPOLOGY_EPOCH, f"process-of-{member.client_id}", None, [], [], [], tasks, tasks, False


def _without(named: Described) -> Any:
    return _GROUP(
        error_code=named.code,
        error_message=named.message,
        group_id=named.group_id,
        group_state="",
        group_epoch=0,
        assignment_epoch=0,
        topology=None,
        members=[],
        authorized_operations=UNKNOWN_OPERATIONS,
    )


STREAMS_GROUP_DESCRIBE = Handler(
    StreamsGroupDescribeRequest, StreamsGroupDescribeResponse, {"4.3": (0, 0), "4.4": (0, 1)}, _answer
)
