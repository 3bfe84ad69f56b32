"""DescribeClientQuotas (API 48, KIP-546): every quota, one item per key of an entity.

Asked of any broker, whole. An entity is a user, a client id, both, or an ip; `<default>`
stands for all entities without a quota of their own, as in the output of Kafka's tools. That
output does not distinguish it from an entity really named `<default>`; the flag of each name does.
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.admin import DescribeClientQuotasRequest

from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc

DEFAULT = "<default>"
_KINDS = ("user", "client-id", "ip")

ITEM = (
    Field("user", "string", "User of the entity, <default> or null."),
    Field("client_id", "string", "Client id of the entity, <default> or null."),
    Field("ip", "string", "IP address of the entity, <default> or null."),
    Field("is_default", "boolean", "Whether one of the names is the default entity."),
    Field("user_is_default", "boolean", "Whether the user is the default entity, not a user named <default>."),
    Field("client_id_is_default", "boolean", "Whether the client id is the default entity."),
    Field("ip_is_default", "boolean", "Whether the IP address is the default entity."),
    Field("key", "string", "Quota, such as producer_byte_rate (bytes/s) or request_percentage."),
    Field("value", "double", "Its value."),
)


def _build(version: int, _ask: Ask) -> Any:
    return DescribeClientQuotasRequest(version=version, components=[], strict=False)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for entry in response.entries or ():
        names = {one.entity_type: one.entity_name for one in entry.entity}
        entity = [_name(names, kind) for kind in _KINDS]
        is_default = [kind in names and names[kind] is None for kind in _KINDS]
        for quota in entry.values:
            yield *entity, any(is_default), *is_default, quota.key, quota.value


def _name(names: dict[str, str | None], kind: str) -> str | None:
    """The name of an entity: `<default>` where null on the wire, None where the entity has no part of that kind."""
    if kind not in names:
        return None
    name = names[kind]
    return DEFAULT if name is None else name


DESCRIBE_CLIENT_QUOTAS = Rpc(
    name="DescribeClientQuotas",
    scope="quotas",
    item=ITEM,
    apis=(Api(request=DescribeClientQuotasRequest, versions=(0, 1), build=_build, rows=_rows),),
)
