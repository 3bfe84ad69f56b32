"""DescribeAcls (API 29; patterns v1, KIP-1062 v4): the resources with ACLs that a filter matches, and their entries.

Needs DESCRIBE on the cluster: 31 without; 54 without an authorizer. A filter that nothing matches has an empty
answer. The order is name, type and pattern type; a limit counts resources, which are never split. An UNKNOWN (0)
in the filter is refused with 42, where a real broker closes the connection. Version 0 has literal patterns only.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from kafka_emulator.acls import PATTERNS, AclEntry, AclResource, Acls
from kafka_emulator.authorization import WILDCARD, Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.paging import Cursor, Flat, InvalidCursor
from kafka_messages.kip_1062 import DescribeAclsRequest, DescribeAclsResponse

DENIED, SECURITY_DISABLED, INVALID_REQUEST = 31, 54, 42
UNKNOWN, ANY, MATCH = 0, 1, 2
LITERAL, PREFIXED = PATTERNS["LITERAL"], PATTERNS["PREFIXED"]
HAS_PATTERNS = 1


class _Filter(NamedTuple):
    """The filter of a request: ANY, or null, matches everything."""

    resource_type: int
    name: str | None
    pattern_type: int
    principal: str | None
    host: str | None
    operation: int
    permission: int

    @property
    def is_everything(self) -> bool:
        numbers = self.resource_type, self.operation, self.permission
        texts = self.name, self.principal, self.host
        return set(numbers) == {ANY} and set(texts) == {None} and self.pattern_type in (ANY, MATCH)

    def entries(self, resource: AclResource) -> Sequence[AclEntry]:
        """The matching entries of a resource; empty where the resource does not match."""
        return [entry for entry in resource.entries if self._has(entry)] if self._matches(resource) else []

    def _matches(self, resource: AclResource) -> bool:
        if self.resource_type not in (ANY, resource.type):
            return False
        if self.pattern_type not in (ANY, MATCH, resource.pattern_type):
            return False
        if self.name is None or self.name == resource.name:
            return True
        if self.pattern_type != MATCH:
            return False
        if resource.pattern_type == PREFIXED:
            return self.name.startswith(resource.name)
        return resource.name == WILDCARD

    def _has(self, entry: AclEntry) -> bool:
        return (
            self.principal in (None, entry.principal)
            and self.host in (None, entry.host)
            and self.operation in (ANY, entry.operation)
            and self.permission in (ANY, entry.permission)
        )


def _answer(request: Any, call: Call) -> Any:
    if not call.world.access.allows(Operation.DESCRIBE, Resource.CLUSTER):
        return _failed(DENIED, "Cluster authorization failed.")
    if not call.world.declared.security.authorizer:
        return _failed(SECURITY_DISABLED, "No Authorizer is configured on the broker")
    wanted = _Filter(
        request.resource_type_filter,
        request.resource_name_filter,
        request.pattern_type_filter if call.version >= HAS_PATTERNS else LITERAL,
        request.principal_filter,
        request.host_filter,
        request.operation,
        request.permission_type,
    )
    if UNKNOWN in (wanted.resource_type, wanted.pattern_type, wanted.operation, wanted.permission):
        return _failed(INVALID_REQUEST, "The filter has UNKNOWN elements")
    acls, positions = call.world.acls, _positions(wanted, call)

    def at(cursor: Cursor) -> int:
        if cursor[1] == ANY or cursor[2] not in PATTERNS.values():
            raise InvalidCursor
        return bisect_left(positions, acls.at(cursor))

    page = call.page(Flat(len(positions), at, lambda position: acls.cursor(positions[position])), request)
    entries = attrgetter("entries") if wanted.is_everything else wanted.entries
    reported = ((one, entries(one)) for one in map(acls.__getitem__, positions[page.begin : page.end]))
    patterned = call.version >= HAS_PATTERNS
    return DescribeAclsResponse(
        throttle_time_ms=0,
        error_code=0,
        error_message="",
        resources=[(r.type, r.name, *((r.pattern_type,) if patterned else ()), entries) for r, entries in reported],
        **call.follows(DescribeAclsResponse, page),
    )


def _positions(wanted: _Filter, call: Call) -> Sequence[int]:
    """The positions that a filter matches; those of a filter without a name are cached for its next page."""
    acls = call.world.acls

    def matched(among: Iterable[int]) -> list[int]:
        return [position for position in among if wanted.entries(acls[position])]

    if wanted.is_everything:
        return range(len(acls))
    if wanted.name is not None:
        return matched(sorted({position for name in _names(wanted) for position in _named(name, acls)}))
    positions: Sequence[int] = call.world.kept(("acls", wanted), lambda: matched(range(len(acls))))
    return positions


def _names(wanted: _Filter) -> Iterator[str]:
    """The names that a matching resource may have: the filter's, and with MATCH its prefixes and the wildcard."""
    name = wanted.name or ""
    yield name
    if wanted.pattern_type == MATCH:
        yield WILDCARD
        yield from (name[:end] for end in range(len(name)))


def _named(name: str, acls: Acls) -> Iterator[int]:
    position = acls.at((name, ANY, 0))
    while position < len(acls) and acls.cursor(position)[0] == name:
        yield position
        position += 1


def _failed(code: int, message: str) -> Any:
    return DescribeAclsResponse(throttle_time_ms=0, error_code=code, error_message=message, resources=[])


DESCRIBE_ACLS = Handler(
    DescribeAclsRequest,
    DescribeAclsResponse,
    {"2.8": (0, 2), "3.9": (0, 3), "4.3": (1, 3)},
    _answer,
    paged=4,
)
