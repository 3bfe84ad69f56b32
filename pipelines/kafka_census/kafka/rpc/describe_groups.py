"""DescribeGroups (API 15; errors for unknown groups KIP-1043, v6; paged by KIP-1062): members of classic groups.

Asked of each group's coordinator. Below v6 a group that does not exist is no error: its
state is Dead. The same holds for KIP-848 consumer, share and streams groups, which have
describing RPCs of their own: this RPC is never asked about them.

A member's subscription and assignment are bytes of its own protocol, and empty unless
the group is Stable. They are decoded where the protocol is the consumer's; for other
protocols (such as connect), and where the bytes are invalid, they are null. In a Stable group
no bytes of an assignment are an empty assignment: the leader's SyncGroup left the member out
(KafkaAdminClient reads them in the same way).

The draft's cursor (group, member) may cut a group: such a group continues on the next
page, and is left out there when none of its members is left.
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.consumer import ConsumerProtocolAssignment, ConsumerProtocolSubscription

from kafka_census.kafka.paging.rpc import Ask, Field, Row, Rpc, coordinator_api, first_field, member_positions
from kafka_messages.decoding import UNDECODABLE
from kafka_messages.kip_1062 import DescribeGroupsRequest, paged

PAGED = 7
CONSUMER, STABLE = "consumer", "Stable"

ITEM = (
    Field("group_id", "string", "Group id that was asked for."),
    Field("error_code", "int", "Kafka's error code for the group, 0 none; else all but its message is null."),
    Field("error_message", "string", "Kafka's message for it; null before v6."),
    Field("group_state", "string", "State, such as Stable or Empty; before v6 Dead also where there is no such group."),
    Field("protocol_type", "string", "consumer, connect, …; empty for groups that only commit."),
    Field("protocol", "string", "Protocol that its members agreed on, of consumers the assignor; empty unless Stable."),
    Field("member_id", "string", "Member id; null for a group without members."),
    Field("group_instance_id", "string", "Instance id of a static member; null before v4."),
    Field("client_id", "string", "Client id of the member."),
    Field("client_host", "string", "Host that the member connects from."),
    Field(
        "subscribed_topics", "array<string>", "Topics the member subscribes to; null unless a consumer's and Stable."
    ),
    Field("assignment", "assignment", "Partitions assigned to the member; null unless a consumer's and Stable."),
)


def _build(version: int, ask: Ask) -> Any:
    page = paged(DescribeGroupsRequest, ask.limit, ask.cursor) if version >= PAGED else {}
    return DescribeGroupsRequest(version=version, groups=list(ask.keys), include_authorized_operations=False, **page)


def _decoded(kind: Any, data: bytes) -> Any:
    """The decoded message of the consumer protocol; None where the bytes are empty or invalid."""
    try:
        return kind.decode(data) if data else None
    except UNDECODABLE:
        return None


def _subscribed(data: bytes) -> list[str] | None:
    message = _decoded(ConsumerProtocolSubscription, data)
    return None if message is None or message.topics is None or None in message.topics else message.topics


def _assigned(data: bytes, state: str) -> list[tuple[str, list[int]]] | None:
    if not data and state == STABLE:
        return []
    message = _decoded(ConsumerProtocolAssignment, data)
    if message is None or message.assigned_partitions is None:
        return None
    return [(one.topic, one.partitions) for one in message.assigned_partitions]


def _rows(response: Any, ask: Ask) -> Iterator[Row]:
    cut = ask.cursor[0] if response.version >= PAGED and ask.cursor is not None and ask.cursor[1] else None
    for group in response.groups:
        error = group.group_id, group.error_code, group.error_message
        if group.error_code:
            yield *error, *[None] * (len(ITEM) - len(error))
            continue
        head = *error, group.group_state, group.protocol_type, group.protocol_data
        if not group.members and group.group_id != cut:
            yield *head, *[None] * (len(ITEM) - len(head))
        consumer = group.protocol_type == CONSUMER
        for m in group.members:
            topics = _subscribed(m.member_metadata) if consumer else None
            assignment = _assigned(m.member_assignment, group.group_state) if consumer else None
            yield *head, m.member_id, m.group_instance_id, m.client_id, m.client_host, topics, assignment


_WINDOW = coordinator_api(
    request=DescribeGroupsRequest, versions=(0, PAGED - 1), paging="window", build=_build, rows=_rows
)

DESCRIBE_GROUPS = Rpc(
    name="DescribeGroups",
    scope="groups",
    item=ITEM,
    apis=(
        _WINDOW.by_cursor(PAGED, positions=member_positions, cut_key=first_field, key_start=("",)),
        _WINDOW,
    ),
)
