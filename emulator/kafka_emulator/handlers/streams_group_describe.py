"""StreamsGroupDescribe (API 89, KIP-1071): the topology and the members of all named streams groups.

A group of another type is 69, the empty id 24. A topic of the topology that may not be described refuses the whole
group (29). Each topic of a group is its own subtopology, numbered in the order of topic names; a
member's active tasks are its assigned partitions. From v1 on the answer has the assignor and, where it is asked for,
the description that a plugin stores: of each subtopology a source and a processor with a state store.
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
from kafka_emulator.groups import PROTOCOLS, Group
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.members import Member
from kafka_messages import StreamsGroupDescribeRequest, StreamsGroupDescribeResponse

HIDDEN_TOPICS = "The described group uses topics that the client is not authorized to describe."
TOPOLOGY_EPOCH = 0
DESCRIBES = 1
NOT_REQUESTED, STATUSES = 0, {"NOT_STORED": 1, "ERROR": 2, "AVAILABLE": 3}
SOURCE, PROCESSOR = 1, 2

_GROUP = StreamsGroupDescribeResponse.DescribedGroup
_TOPOLOGY, _SUBTOPOLOGY, _ASSIGNMENT = _GROUP.Topology, _GROUP.Topology.Subtopology, _GROUP.Member.Assignment
_DESCRIPTION = _GROUP.TopologyDescription
_NODE = _DESCRIPTION.TopologyDescriptionSubtopology.TopologyDescriptionNode


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
        **_description(group, numbers, request, call),
    )


def _description(group: Group, numbers: dict[str, str], request: Any, call: Call) -> dict[str, Any]:
    """The fields of v1; below, none."""
    if call.version < DESCRIBES:
        return {}
    asked = request.include_topology_description
    available = asked and group.topology == "AVAILABLE"
    described = [
        _DESCRIPTION.TopologyDescriptionSubtopology(
            subtopology_id=number,
            nodes=[
                _node(f"source-{number}", SOURCE, source_topics=[topic], successors=[f"processor-{number}"]),
                _node(f"processor-{number}", PROCESSOR, stores=[f"store-{number}"]),
            ],
        )
        for topic, number in numbers.items()
    ]
    return {
        "assignor_name": PROTOCOLS["streams"],
        "topology_description_status": STATUSES[group.topology] if asked else NOT_REQUESTED,
        "topology_description": _DESCRIPTION(subtopologies=described, global_stores=[]) if available else None,
    }


def _member(member: Member, numbers: dict[str, str]) -> tuple[Any, ...]:
    """A member in the order of the message's fields; endpoint, tags and task offsets are empty, none is classic."""
    active = [(numbers[topic], indexes) for topic, indexes in member.assignment]
    tasks = _ASSIGNMENT(active_tasks=active, standby_tasks=[], warmup_tasks=[])
    head = member.member_id, member.epoch, member.instance_id, member.rack_id, member.client_id, member.client_host
    return *head, TOPOLOGY_EPOCH, f"process-of-{member.client_id}", None, [], [], [], tasks, tasks, False


def _node(name: str, kind: int, **lists: list[str]) -> Any:
    empty: dict[str, list[str]] = {"source_topics": [], "stores": [], "successors": []}
    return _NODE(name=name, node_type=kind, sink_topic=None, **empty | lists)


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
        topology_description=None,
        topology_description_status=NOT_REQUESTED,
        assignor_name=None,
    )


STREAMS_GROUP_DESCRIBE = Handler(
    StreamsGroupDescribeRequest, StreamsGroupDescribeResponse, {"4.3": (0, 0), "4.4": (0, 1)}, _answer
)
