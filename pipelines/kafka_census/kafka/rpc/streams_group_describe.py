"""StreamsGroupDescribe (API 89, KIP-1071; v1 KIP-1331, KIP-1357): members of streams groups, with tasks and topics.

Asked of each group's coordinator, in windows. A group of another type is answered by 69,
the empty group id by 24, and every group by 35 where streams groups are disabled. If the
principal may not DESCRIBE one topic of the topology, the whole group is refused
(29).

A task is a subtopology and a partition. The topics of a subtopology are known once the
group is initialized and all of them exist: before, they are null, not empty.

From v1 on a broker with a plugin for it tells what the application is made of. Of that an item has the numbers and
names that a reader asks for, without the processors: each is some 75 bytes of an answer. A group whose answer would be
too large with its description (collect.receive_message_max_bytes), or a window that a slow plugin makes too late, is
asked for without it.
"""

from collections.abc import Iterator
from typing import Any

from kafka_census.kafka.paging.rpc import Ask, Field, Row, Rpc, code_name, coordinator_api
from kafka_messages import StreamsGroupDescribeRequest

DESCRIBES = 1
STATUSES = {0: "NOT_REQUESTED", 1: "NOT_STORED", 2: "ERROR", 3: "AVAILABLE"}

ITEM = (
    Field("group_id", "string", "Group id that was asked for."),
    Field("error_code", "int", "Kafka's error code for the group, 0 none; else all but its message is null."),
    Field("error_message", "string", "Kafka's message for it."),
    Field("group_state", "string", "Empty, NotReady, Assigning, Reconciling, Stable or Dead."),
    Field("group_epoch", "int", "Epoch of the group; a change of members or topology raises it."),
    Field("assignment_epoch", "int", "Group epoch that the target assignment was made for."),
    Field("topology_epoch", "int", "Epoch of the topology; null for a group without one."),
    Field("source_topics", "array<string>", "Topics that its subtopologies read, repartition topics included; sorted."),
    Field("subtopologies", "subtopologies", "The same by subtopology: what the tasks of each read."),
    Field("assignor_name", "string", "Assignor on the broker that the next assignment is made by; null below v1."),
    Field(
        "topology_status",
        "string",
        "AVAILABLE, NOT_STORED, ERROR, or NOT_REQUESTED (too large or late); null below v1.",
    ),
    Field("described_subtopologies", "int", "Subtopologies of its topology description; null without one."),
    Field("described_topics", "array<string>", "Topics that the description names as sources; sorted."),
    Field("stores", "array<string>", "State stores that the description names, global ones too; sorted."),
    Field("member_id", "string", "Member id; null for a group without members."),
    Field("member_epoch", "int", "Epoch that the member has come to."),
    Field("instance_id", "string", "Instance id of a static member."),
    Field("rack_id", "string", "Rack of the member."),
    Field("client_id", "string", "Client id of the member."),
    Field("client_host", "string", "Host that the member connects from."),
    Field("process_id", "string", "Id of the process that the member is a thread of."),
    Field("active_tasks", "tasks", "Tasks that the member runs now."),
    Field("standby_tasks", "tasks", "Tasks of which it keeps a copy of the state."),
    Field("warmup_tasks", "tasks", "Tasks of which it builds up the state to take them over."),
)


def _build(version: int, ask: Ask) -> Any:
    more = {"include_topology_description": not ask.brief} if version >= DESCRIBES else {}
    keys = list(ask.keys)
    return StreamsGroupDescribeRequest(version=version, group_ids=keys, include_authorized_operations=False, **more)


def _subtopologies(topology: Any) -> list[tuple[str, list[str]]] | None:
    if topology is None or topology.subtopologies is None:
        return None
    return [
        (one.subtopology_id, sorted({*one.source_topics, *(topic.name for topic in one.repartition_source_topics)}))
        for one in topology.subtopologies
    ]


def _description(group: Any, version: int) -> tuple[Any, ...]:
    """The assignor, the status, the number of subtopologies, the source topics and the stores of a group."""
    if version < DESCRIBES:
        return None, None, None, None, None
    told = group.assignor_name, code_name(STATUSES, group.topology_description_status)
    description = group.topology_description
    if description is None:
        return *told, None, None, None
    nodes = [node for one in description.subtopologies for node in one.nodes]
    nodes += [node for one in description.global_stores for node in (one.source, one.processor)]
    topics = sorted({topic for node in nodes for topic in node.source_topics})
    return *told, len(description.subtopologies), topics, sorted({store for node in nodes for store in node.stores})


def _tasks(tasks: list[Any]) -> list[tuple[str, list[int]]]:
    return [(one.subtopology_id, one.partitions) for one in tasks]


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for group in response.groups:
        error = group.group_id, group.error_code, group.error_message
        if group.error_code:
            yield *error, *[None] * (len(ITEM) - len(error))
            continue
        epoch = None if group.topology is None else group.topology.epoch
        read = _subtopologies(group.topology)
        topics = None if read is None else sorted({topic for _, topics in read for topic in topics})
        of_group = group.group_state, group.group_epoch, group.assignment_epoch, epoch, topics, read
        head = *error, *of_group, *_description(group, response.version)
        if not group.members:
            yield *head, *[None] * (len(ITEM) - len(head))
        for m in group.members:
            yield (
                *head,
                m.member_id,
                m.member_epoch,
                m.instance_id,
                m.rack_id,
                m.client_id,
                m.client_host,
                m.process_id,
                _tasks(m.assignment.active_tasks),
                _tasks(m.assignment.standby_tasks),
                _tasks(m.assignment.warmup_tasks),
            )


STREAMS_GROUP_DESCRIBE = Rpc(
    name="StreamsGroupDescribe",
    scope="groups",
    item=ITEM,
    apis=(
        coordinator_api(
            request=StreamsGroupDescribeRequest,
            versions=(0, 1),
            paging="window",
            brief=DESCRIBES,
            build=_build,
            rows=_rows,
        ),
    ),
)
