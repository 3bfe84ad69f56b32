"""DeleteGroups (API 42, KIP-229): groups without members, of any type, are gone from then on, with their offsets.

Asked of each group's coordinator, for many groups at once; each has a code of its own:
0 deleted, 30 the principal may not DELETE it, 24 not a group id, 68 it has members, 69 there is
no such group (KIP-229's code for the whole answer does not exist).

Each request is sent once. A request whose answer was lost may have been carried out (ANSWER_LOST); so
may one that is answered with 15 or 16, by a broker that ceased to be the coordinator meanwhile. Who
sends another one looks at the groups again first (`writing.delete`).
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.admin import DeleteGroupsRequest

from kafka_census.paging.rpc import Api, Ask, Field, Row, Rpc, no_error


def _build(version: int, ask: Ask) -> Any:
    return DeleteGroupsRequest(version=version, groups_names=list(ask.keys))


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for result in response.results:
        yield result.group_id, result.error_code


DELETE_GROUPS = Rpc(
    name="DeleteGroups",
    scope="groups",
    item=(
        Field("group_id", "string", "Group id that was to be deleted."),
        Field("error_code", "int", "Kafka's error code for the group, 0 none."),
    ),
    apis=(
        Api(
            request=DeleteGroupsRequest,
            versions=(0, 2),
            paging="window",
            build=_build,
            rows=_rows,
            error=no_error,
            repeatable=False,
        ),
    ),
)
