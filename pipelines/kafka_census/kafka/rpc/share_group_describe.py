"""ShareGroupDescribe (API 77, KIP-932; v0 was removed in Kafka 4.1): members of share groups.

Asked of each group's coordinator, in windows. A group of another type is answered by 69,
the empty group id by 24, and every group by 35 where share groups are disabled. If the
principal may not DESCRIBE one assigned topic, the whole group is refused (29).

The same partition may be assigned to several members.
"""

from collections.abc import Iterator
from typing import Any

from kafka_census.kafka.paging.rpc import Ask, Field, Row, Rpc, coordinator_api
from kafka_messages import ShareGroupDescribeRequest

ITEM = (
    Field("group_id", "string", "Group id that was asked for."),
    Field("error_code", "int", "Kafka's error code for the group, 0 none; else all but its message is null."),
    Field("error_message", "string", "Kafka's message for it."),
    Field("group_state", "string", "Empty, Stable or Dead."),
    Field("group_epoch", "int", "Epoch of the group; a change of members or topics raises it."),
    Field("assignment_epoch", "int", "Group epoch that the assignment was made for."),
    Field("assignor_name", "string", "Assignor on the broker that the group uses."),
    Field("member_id", "string", "Member id; null for a group without members."),
    Field("rack_id", "string", "Rack of the member."),
    Field("member_epoch", "int", "Epoch that the member has come to."),
    Field("client_id", "string", "Client id of the member."),
    Field("client_host", "string", "Host that the member connects from."),
    Field("subscribed_topics", "array<string>", "Topics that the member subscribes to."),
    Field("assignment", "assignment", "Partitions that the member reads, together with others."),
)


def _build(version: int, ask: Ask) -> Any:
    keys = list(ask.keys)
    return ShareGroupDescribeRequest(version=version, group_ids=keys, include_authorized_operations=False)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for group in response.groups:
        error = group.group_id, group.error_code, group.error_message
        if group.error_code:
            yield *error, *[None] * (len(ITEM) - len(error))
            continue
        head = *error, group.group_state, group.group_epoch, group.assignment_epoch, group.assignor_name
        if not group.members:
            yield *head, *[None] * (len(ITEM) - len(head))
        for m in group.members:
            yield (
                *head,
                m.member_id,
                m.rack_id,
                m.member_epoch,
                m.client_id,
                m.client_host,
                m.subscribed_topic_names,
                [(one.topic_name, one.partitions) for one in m.assignment.topic_partitions],
            )


SHARE_GROUP_DESCRIBE = Rpc(
    name="ShareGroupDescribe",
    scope="groups",
    item=ITEM,
    apis=(
        coordinator_api(
            request=ShareGroupDescribeRequest,
            versions=(1, 1),
            paging="window",
            build=_build,
            rows=_rows,
        ),
    ),
)
