"""DescribeAcls (API 29, KIP-140, patterns KIP-290): every access control entry, one item each.

Asked of any broker, which answers from its own copy of the metadata; whole. With KIP-1062
the broker pages: its cursor is name, type and pattern type of a resource; the limit counts
resources, so that each comes with all its entries. A cluster without an authorizer answers
SECURITY_DISABLED (54): it has no ACLs, and nobody is denied. That is a complete answer, not
a missing page: it is landed as the only item.
"""

from collections.abc import Iterator
from typing import Any

from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, code_name, top_level_error
from kafka_messages.kip_1062 import DescribeAclsRequest, paged

PAGED = 4
ANY = 1
SECURITY_DISABLED = 54

RESOURCE_TYPES = {
    2: "topic",
    3: "group",
    4: "cluster",
    5: "transactional_id",
    6: "delegation_token",
    7: "user",
}
PATTERN_TYPES = {3: "literal", 4: "prefixed"}
OPERATIONS = {
    2: "all",
    3: "read",
    4: "write",
    5: "create",
    6: "delete",
    7: "alter",
    8: "describe",
    9: "cluster_action",
    10: "describe_configs",
    11: "alter_configs",
    12: "idempotent_write",
    13: "create_tokens",
    14: "describe_tokens",
    15: "two_phase_commit",
}
PERMISSIONS = {2: "deny", 3: "allow"}
"""Kafka's names, in lower case, by the codes of org.apache.kafka.common.resource and org.apache.kafka.common.acl."""

ITEM = (
    Field("resource_type", "string", "topic, group, cluster, transactional_id, delegation_token or user."),
    Field("resource_name", "string", "Name or prefix; * stands for every name, where literal."),
    Field("pattern_type", "string", "literal or prefixed."),
    Field("principal", "string", "Principal, such as User:alice; User:* stands for everyone."),
    Field("host", "string", "Host that the entry is for; * stands for every host."),
    Field("operation", "string", "Operation, such as describe, read or all."),
    Field("permission", "string", "allow or deny."),
    Field("error_code", "int", "0; 54 SECURITY_DISABLED in the only item of a cluster without authorizer."),
)


def _build(version: int, ask: Ask) -> Any:
    page = paged(DescribeAclsRequest, ask.limit, ask.cursor) if version >= PAGED else {}
    return every_acl(DescribeAclsRequest, version, **page)


def every_acl(request: Any, version: int, resource_type: int = ANY, **page: Any) -> Any:
    """A request for all ACLs of a resource type, by default of any; `page` are the fields of a paged request."""
    return request(
        version=version,
        resource_type_filter=resource_type,
        resource_name_filter=None,
        pattern_type_filter=ANY,
        principal_filter=None,
        host_filter=None,
        operation=ANY,
        permission_type=ANY,
        **page,
    )


def _error(response: Any) -> tuple[int, str | None]:
    code, message = top_level_error(response)
    return (0, None) if code == SECURITY_DISABLED else (code, message)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    if response.error_code == SECURITY_DISABLED:
        yield *[None] * 7, SECURITY_DISABLED
    for resource in response.resources:
        head = (
            code_name(RESOURCE_TYPES, resource.resource_type),
            resource.resource_name,
            code_name(PATTERN_TYPES, resource.pattern_type),
        )
        for acl in resource.acls:
            granted = code_name(OPERATIONS, acl.operation), code_name(PERMISSIONS, acl.permission_type)
            yield *head, acl.principal, acl.host, *granted, 0


def _positions(response: Any) -> Iterator[Cursor]:
    return ((one.resource_name, one.resource_type, one.pattern_type) for one in response.resources)


_WHOLE = Api(request=DescribeAclsRequest, versions=(1, 3), build=_build, rows=_rows, error=_error)

DESCRIBE_ACLS = Rpc(
    name="DescribeAcls",
    scope="acls",
    item=ITEM,
    apis=(_WHOLE.by_cursor(PAGED, positions=_positions), _WHOLE),
)
