"""The resources that have ACLs, in the order of name, type and pattern: declared resources and a generated run."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

from kafka_emulator.arithmetic import utf16
from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.declared_security import SecuritySection
from kafka_emulator.names import Run, names
from kafka_emulator.paging import Cursor, InvalidCursor

PATTERNS = {"LITERAL": 3, "PREFIXED": 4}
PERMISSIONS = {"DENY": 2, "ALLOW": 3}
_GENERATED = Resource.TOPIC.value, PATTERNS["LITERAL"]


class AclEntry(NamedTuple):
    """One entry, in Kafka's numbers and in the order of the message."""

    principal: str
    host: str
    operation: int
    permission: int


class AclResource(NamedTuple):
    """One resource pattern and its entries, sorted."""

    name: str
    type: int
    pattern_type: int
    entries: tuple[AclEntry, ...]


class Acls(Sequence[AclResource]):
    """All resources with ACLs: `acls[position]`; `at` and `cursor` (name, type, pattern type) for paging."""

    def __init__(self, security: SecuritySection) -> None:
        """Generated resources are topics that belong to other principals."""
        found: dict[Cursor, list[AclEntry]] = {}
        for acl in security.acls:
            position = acl.resource_name, Resource[acl.resource_type].value, PATTERNS[acl.pattern_type]
            operation, permission = Operation[acl.operation].value, PERMISSIONS[acl.permission]
            found.setdefault(position, []).append(AclEntry(acl.principal, acl.host, operation, permission))
        self._declared = sorted(found.items(), key=lambda one: _key(one[0]))
        like_generated = [name for name, *rest in found if tuple(rest) == _GENERATED]
        self._run = names(Run("acl-topic-", security.generated_acls)).without(like_generated)
        self._positions = [self._before(position) + at for at, (position, _) in enumerate(self._declared)]

    def __len__(self) -> int:
        return len(self._run) + len(self._declared)

    def __getitem__(self, position: int) -> AclResource:  # type: ignore[override]  # resources are never sliced
        at = bisect_left(self._positions, position)
        if at < len(self._positions) and self._positions[at] == position:
            (name, kind, pattern), entries = self._declared[at]
            return AclResource(name, kind, pattern, tuple(sorted(entries, key=lambda one: one.principal)))
        number = position - at
        entry = AclEntry(f"User:app-{number % 1000}", "*", Operation.READ.value, PERMISSIONS["ALLOW"])
        return AclResource(self._run[number], *_GENERATED, (entry,))

    def at(self, cursor: Cursor) -> int:
        """The position of the first resource that is not before this one."""
        if cursor[1] not in {kind.value for kind in Resource}:
            raise InvalidCursor
        return bisect_left(range(len(self)), _key(cursor), key=lambda position: _key(self.cursor(position)))

    def cursor(self, position: int) -> Cursor:
        """Name, type and pattern type of a position."""
        one = self[position]
        return one.name, one.type, one.pattern_type

    def _before(self, position: Cursor) -> int:
        """How many generated resources come before a declared one."""
        name, *rest = position
        return self._run.at(name) + (name in self._run and tuple(rest) > _GENERATED)


def _key(position: Cursor) -> Any:
    name, kind, pattern = position
    return utf16(name), kind, pattern
