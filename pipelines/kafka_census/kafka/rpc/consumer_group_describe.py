"""ConsumerGroupDescribe (API 69, KIP-848; member types KIP-1099, v1; paged by KIP-1062): members of consumer groups.

Asked of each group's coordinator. A classic group is answered by 69, the empty group
id by 24. If the principal may not DESCRIBE one assigned topic, the whole group is
refused (29). A cluster without the protocol of KIP-848 does not offer the API.

A member gives up partitions of its current assignment, and takes others, until it has
its target assignment and the group's epoch.

The draft's cursor (group, member) may cut a group: such a group continues on the next
page, and is left out there when none of its members is left.
"""

from collections.abc import Iterator
from typing import Any

from kafka_census.kafka.paging.rpc import Ask, Field, Row, Rpc, coordinator_api, first_field, known, member_positions
from kafka_messages.kip_1062 import ConsumerGroupDescribeRequest, paged

PAGED = 2

ITEM = (
    Field("group_id", "string", "Group id that was asked for."),
    Field("error_code", "int", "Kafka's error code for the group, 0 none; else all but its message is null."),
    Field("error_message", "string", "Kafka's message for it."),
    Field("group_state", "string", "Empty, Assigning, Reconciling, Stable or Dead."),
    Field("group_epoch", "int", "Epoch of the group; a change of members or topics raises it."),
    Field("assignment_epoch", "int", "Group epoch that the target assignment was made for."),
    Field("assignor_name", "string", "Assignor on the broker that the group uses."),
    Field("member_id", "string", "Member id; null for a group without members."),
    Field("instance_id", "string", "Instance id of a static member."),
    Field("rack_id", "string", "Rack of the member."),
    Field("member_epoch", "int", "Epoch that the member has come to."),
    Field("client_id", "string", "Client id of the member."),
    Field("client_host", "string", "Host that the member connects from."),
    Field("subscribed_topics", "array<string>", "Topics that the member subscribes to by name."),
    Field("subscribed_topic_regex", "string", "Regular expression that it subscribes to."),
    Field("assignment", "assignment", "Partitions that the member has now."),
    Field("target_assignment", "assignment", "Partitions that it is to have."),
    Field("member_type", "int", "0 classic member, 1 consumer member; null before v1 or unknown."),
)


def _build(version: int, ask: Ask) -> Any:
    request = ConsumerGroupDescribeRequest
    page = paged(request, ask.limit, ask.cursor) if version >= PAGED else {}
    return request(version=version, group_ids=list(ask.keys), include_authorized_operations=False, **page)


def _partitions(assignment: Any) -> list[tuple[str, list[int]]]:
    return [(one.topic_name, one.partitions) for one in assignment.topic_partitions]


def _rows(response: Any, ask: Ask) -> Iterator[Row]:
    cut = ask.cursor[0] if response.version >= PAGED and ask.cursor is not None and ask.cursor[1] else None
    for group in response.groups:
        error = group.group_id, group.error_code, group.error_message
        if group.error_code:
            yield *error, *[None] * (len(ITEM) - len(error))
            continue
        head = *error, group.group_state, group.group_epoch, group.assignment_epoch, group.assignor_name
        if not group.members and group.group_id != cut:
            yield *head, *[None] * (len(ITEM) - len(head))
        for m in group.members:
            yield (
                *head,
                m.member_id,
                m.instance_id,
                m.rack_id,
                m.member_epoch,
                m.client_id,
                m.client_host,
                m.subscribed_topic_names,
                m.subscribed_topic_regex,
                _partitions(m.assignment),
                _partitions(m.target_assignment),
                known(m.member_type),
            )


_WINDOW = coordinator_api(
    request=ConsumerGroupDescribeRequest, versions=(0, PAGED - 1), paging="window", build=_build, rows=_rows
)

CONSUMER_GROUP_DESCRIBE = Rpc(
    name="ConsumerGroupDescribe",
    scope="groups",
    item=ITEM,
    apis=(
        _WINDOW.by_cursor(PAGED, positions=member_positions, cut_key=first_field, key_start=("",)),
        _WINDOW,
    ),
)
