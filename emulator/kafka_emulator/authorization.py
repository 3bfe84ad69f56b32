"""What a principal may do: everything, unless the scenario has an authorizer and the principal is no super user.

The rules are the declared ACLs, which DescribeAcls shows too, judged as Kafka's authorizer does: a DENY
that matches wins, an ALLOW must match, and READ, WRITE, DELETE and ALTER imply DESCRIBE. The handler of an RPC
decides what a denial does: it leaves the item out (`visible`), or reports a code (`allows`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from kafka_emulator.declared_security import AclSection, SecuritySection
from kafka_emulator.names import Names

CLUSTER_NAME = "kafka-cluster"
WILDCARD = "*"
ANONYMOUS = "User:ANONYMOUS"


class Resource(IntEnum):
    """Kafka's ResourceType."""

    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class Operation(IntEnum):
    """Kafka's AclOperation."""

    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12


IMPLIED_BY = {
    Operation.DESCRIBE: {Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER},
    Operation.DESCRIBE_CONFIGS: {Operation.ALTER_CONFIGS},
}
"""An ALLOW of one of these allows the operation too; a DENY of it denies only itself."""

OPERATIONS = {
    Resource.TOPIC: (3, 4, 5, 6, 7, 8, 10, 11),
    Resource.GROUP: (3, 6, 8, 10, 11),
    Resource.CLUSTER: (5, 7, 8, 9, 10, 11, 12),
    Resource.TRANSACTIONAL_ID: (4, 8),
    Resource.DELEGATION_TOKEN: (8,),
    Resource.USER: (),
}
"""The operations that a type of resource has; those of users are about tokens, which are not emulated."""


@dataclass(frozen=True)
class Access:
    """What one principal may do."""

    security: SecuritySection
    principal: str = ANONYMOUS

    @cached_property
    def everything(self) -> bool:
        """Whether nothing is denied: there is no authorizer, or the principal is a super user."""
        return not self.security.authorizer or self.principal in self.security.super_users

    def allows(self, operation: Operation, kind: Resource, name: str = CLUSTER_NAME) -> bool:
        """Whether the principal may do this to one resource; the default name is the cluster's."""
        if self.everything:
            return True
        matching = [acl for acl in self._acls(kind) if _matches(acl, name)]
        if any(acl.permission == "DENY" and _names(acl, operation) for acl in matching):
            return False
        allowing = {operation, *IMPLIED_BY.get(operation, ())}
        return any(acl.permission == "ALLOW" and any(_names(acl, one) for one in allowing) for acl in matching)

    def operations(self, kind: Resource, name: str = CLUSTER_NAME) -> set[int]:
        """The authorized operations of a resource, as the bit numbers of Kafka's bit field."""
        if self.everything:
            return set(OPERATIONS[kind])
        return {one for one in OPERATIONS[kind] if self.allows(Operation(one), kind, name)}

    def visible(self, operation: Operation, kind: Resource, names: Names) -> Names:
        """The sorted names for which the principal may do this: found by ranges, not name by name."""
        if self.everything:
            return names
        allowing = {operation, *IMPLIED_BY.get(operation, ())}
        allowed, denied = np.zeros(len(names), np.bool_), np.zeros(len(names), np.bool_)
        for acl in self._acls(kind):
            if acl.permission == "ALLOW" and any(_names(acl, one) for one in allowing):
                _cover(allowed, acl, names)
            elif acl.permission == "DENY" and _names(acl, operation):
                _cover(denied, acl, names)
        return names.pick(allowed & ~denied)

    def _acls(self, kind: Resource) -> Iterator[AclSection]:
        for acl in self.security.acls:
            if acl.resource_type == kind.name and acl.principal in (self.principal, "User:*"):
                yield acl


def _names(acl: AclSection, operation: Operation) -> bool:
    return acl.operation in (operation.name, "ALL")


def _matches(acl: AclSection, name: str) -> bool:
    if acl.pattern_type == "PREFIXED":
        return name.startswith(acl.resource_name)
    return acl.resource_name in (WILDCARD, name)


def _cover(mask: npt.NDArray[np.bool_], acl: AclSection, names: Names) -> None:
    if acl.pattern_type == "PREFIXED":
        mask[names.at(acl.resource_name) : names.behind(acl.resource_name)] = True
    elif acl.resource_name == WILDCARD:
        mask[:] = True
    elif (position := names.find(acl.resource_name)) is not None:
        mask[position] = True
