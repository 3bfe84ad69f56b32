"""ListGroups (API 16; states KIP-518 v4, types KIP-848 v5): the groups each broker coordinates.

Every broker is asked, whole: the API can only filter. With KIP-1062 the broker pages: its
cursor is a group id. A broker lists the groups of the __consumer_offsets partitions that
it leads and has loaded. Groups that the principal may not DESCRIBE are left out without an
error; so are groups of a partition that is just moving (16): two brokers may list one
group, or none.
"""

from collections.abc import Iterator
from typing import Any

from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc
from kafka_messages.kip_1062 import ListGroupsRequest, paged

STATES, TYPES, PAGED = 4, 5, 6

ITEM = (
    Field("group_id", "string", "Group id; may be empty."),
    Field("protocol_type", "string", "consumer, connect, share, …; empty for groups that only commit."),
    Field("group_state", "string", "State, such as Stable or Empty; null before ListGroups v4."),
    Field("group_type", "string", "classic, consumer, share or streams; null before ListGroups v5."),
)


def _build(version: int, ask: Ask) -> Any:
    page = paged(ListGroupsRequest, ask.limit, ask.cursor) if version >= PAGED else {}
    return ListGroupsRequest(version=version, states_filter=[], types_filter=[], **page)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    states, types = response.version >= STATES, response.version >= TYPES
    for group in response.groups:
        state = group.group_state if states else None
        yield group.group_id, group.protocol_type, state, group.group_type if types else None


def _positions(response: Any) -> Iterator[Cursor]:
    return ((group.group_id,) for group in response.groups)


_WHOLE = Api(request=ListGroupsRequest, versions=(0, 5), build=_build, rows=_rows)

LIST_GROUPS = Rpc(
    name="ListGroups",
    scope="groups",
    item=ITEM,
    apis=(_WHOLE.by_cursor(PAGED, positions=_positions), _WHOLE),
)
