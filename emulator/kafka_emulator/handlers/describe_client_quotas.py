"""DescribeClientQuotas (API 48): the quotas of the entities that a filter matches, without pages.

A component names a type of entity, and matches one name, the default, or any name of that type. Without `strict`
an entity may have other types too. Needs DESCRIBE_CONFIGS on the cluster: 31 without. A component that Kafka
does not accept is 42, an unknown type 35; the entries of a failure are null.
"""

from typing import Any

from kafka.protocol.admin import DescribeClientQuotasRequest, DescribeClientQuotasResponse

from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.declared_security import QuotaSection
from kafka_emulator.handlers.handler import Handler

DENIED, UNSUPPORTED_VERSION, INVALID_REQUEST = 31, 35, 42
EXACT, DEFAULT, SPECIFIED = 0, 1, 2
USER, CLIENT_ID, IP = "user", "client-id", "ip"
TYPES = (USER, CLIENT_ID, IP)


def _answer(request: Any, call: Call) -> Any:
    if not call.world.access.allows(Operation.DESCRIBE_CONFIGS, Resource.CLUSTER):
        return _failed(DENIED, None)
    if (wrong := _wrong(request.components)) is not None:
        return _failed(*wrong)
    entries = [
        (
            [(kind, quota.entity[kind]) for kind in TYPES if kind in quota.entity],
            sorted(quota.values.items()),
        )
        for quota in call.world.declared.security.quotas
        if _matches(request, quota)
    ]
    return DescribeClientQuotasResponse(throttle_time_ms=0, error_code=0, error_message="", entries=entries)


def _matches(request: Any, quota: QuotaSection) -> bool:
    entity, components = quota.entity, request.components
    if request.strict and {one.entity_type for one in components} != set(entity):
        return False
    if request.strict and not components:
        return False
    return all(
        one.entity_type in entity and (one.match_type == SPECIFIED or entity[one.entity_type] == one.match)
        for one in components
    )


def _wrong(components: list[Any]) -> tuple[int, str] | None:
    """Code and message for the first invalid component of a filter; None where all are valid."""
    kinds = [one.entity_type for one in components]
    for position, one in enumerate(components):
        if (wrong := _wrong_alone(one, kinds[:position])) is not None:
            return wrong
    if IP in kinds and len(kinds) > 1:
        return INVALID_REQUEST, "IP filter component should not be used with user or clientId filter component."
    return None


def _wrong_alone(one: Any, before: list[str]) -> tuple[int, str] | None:
    kind = one.entity_type
    if not kind:
        return INVALID_REQUEST, "Invalid empty entity type."
    if kind in before:
        return INVALID_REQUEST, f"Entity type {kind} cannot appear more than once in the filter."
    if kind not in TYPES:
        return UNSUPPORTED_VERSION, f"Unsupported entity type {kind}"
    if one.match_type not in (EXACT, DEFAULT, SPECIFIED):
        return INVALID_REQUEST, f"Unknown match type {one.match_type}"
    if (one.match is None) == (one.match_type == EXACT):
        return INVALID_REQUEST, f"Match type {one.match_type} does not go with match {one.match!r}"
    return None


def _failed(code: int, message: str | None) -> Any:
    return DescribeClientQuotasResponse(throttle_time_ms=0, error_code=code, error_message=message, entries=None)


DESCRIBE_CLIENT_QUOTAS = Handler(
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    {"2.8": (0, 1)},
    _answer,
)
