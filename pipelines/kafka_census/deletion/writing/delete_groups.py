"""DeleteGroups (API 42, KIP-229): deletes groups without members, of any type, with their offsets.

Asked of each group's coordinator, for many groups at once; each group has a code of its own:
0 deleted, 30 the principal may not DELETE it, 24 not a group id, 68 it has members, 69 there is
no such group, 134 its topology description could not be deleted, so it was not either (there is no code for the whole
answer, against KIP-229). From v3 on a code may have a message.

Each request is sent once. A request whose answer was lost may have been carried out (ANSWER_LOST); so
may a request answered by 15 or 16, from a broker that ceased to be the coordinator meanwhile. Before
another request the caller looks at the groups again (`writing.delete`).
"""

from collections.abc import Iterator
from typing import Any

from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, no_error
from kafka_messages import DeleteGroupsRequest


def _build(version: int, ask: Ask) -> Any:
    return DeleteGroupsRequest(version=version, groups_names=list(ask.keys))


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for result in response.results:
        yield result.group_id, result.error_code, result.error_message


DELETE_GROUPS = Rpc(
    name="DeleteGroups",
    scope="groups",
    item=(
        Field("group_id", "string", "Group id that was to be deleted."),
        Field("error_code", "int", "Kafka's error code for the group, 0 none."),
        Field("error_message", "string", "Kafka's message for it."),
    ),
    apis=(
        Api(
            request=DeleteGroupsRequest,
            versions=(0, 3),
            paging="window",
            build=_build,
            rows=_rows,
            error=no_error,
            repeatable=False,
        ),
    ),
)
