"""The groups that a request asks to describe: groups of one type with their members, or error codes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.groups import Group
from kafka_emulator.members import Members
from kafka_emulator.named_groups import (
    GROUP_NOT_FOUND,
    INVALID_GROUP_ID,
    NOT_COORDINATOR,
    by_partition,
    code_of,
    in_turn,
    may_describe,
    nested,
)
from kafka_emulator.paging import Nested

TOPIC_DENIED = 29
UNKNOWN_OPERATIONS = -(2**31)


class Described(NamedTuple):
    """One group of the answer; `group` is set where the code is 0."""

    group_id: str
    code: int
    message: str | None = None
    group: Group | None = None

    @property
    def size(self) -> int:
        """The number of members in the answer."""
        return self.group.members if self.group else 0


@dataclass(frozen=True)
class Kind:
    """The type of groups that an RPC describes, and its rules.

    name     the type
    topics   the topics in a description: a topic that may not be described refuses the whole group
    hidden   the message of that refusal; None: topics are not checked, and an id may be empty
    """

    name: str
    topics: Callable[[Group, Call], Iterable[str]] = lambda _group, _call: ()
    hidden: str | None = None


def described(group_ids: Iterable[str], kind: Kind, request: Any, call: Call) -> list[Described]:
    """The answer for each id, in the order of the response."""
    asked = group_ids if call.paged else _in_kafkas_order(list(group_ids), kind, call)
    return in_turn(asked, lambda one: _described(one, kind, call), request, call)


def _in_kafkas_order(group_ids: list[str], kind: Kind, call: Call) -> list[str]:
    """Ids that are refused before the coordinator reads them come first: denied ids, then invalid ids."""
    allows = call.world.access.allows
    denied = [one for one in group_ids if not allows(Operation.DESCRIBE, Resource.GROUP, one)]
    impossible = [one for one in group_ids if not one and kind.hidden is not None and one not in denied]
    refused = {*denied, *impossible}
    return [*denied, *impossible, *by_partition((one for one in group_ids if one not in refused), call)]


def _described(group_id: str, kind: Kind, call: Call) -> Described:
    code = code_of(group_id, call)
    if kind.hidden is not None and not group_id and code in (0, NOT_COORDINATOR):
        code = INVALID_GROUP_ID
    if code:
        return Described(group_id, code)
    group = call.world.groups.get(group_id)
    if group is None:
        return Described(group_id, GROUP_NOT_FOUND, f"Group {group_id} not found.")
    if group.shape.type != kind.name:
        return Described(group_id, GROUP_NOT_FOUND, f"Group {group_id} is not a {kind.name} group.")
    if not all(may_describe(topic, call) for topic in kind.topics(group, call)):
        return Described(group_id, TOPIC_DENIED, kind.hidden)
    return Described(group_id, 0, None, group)


def by_member(groups: Sequence[Described], call: Call) -> Nested:
    """The members of these groups, for paging."""

    def members(holder: int) -> Members:
        group = groups[holder].group
        if group is None:
            raise LookupError(groups[holder].group_id)
        return call.world.members(group)

    return nested(groups, members, ("",), call)


def assigned_topics(group: Group, call: Call) -> list[str]:
    """The topics in the assignments of a group's members, which together have all partitions."""
    return [topic for topic in group.topics if topic in call.world.topics.names] if group.members else []


def epoch_of(group: Group) -> int:
    """The epoch of a group and of its target assignment, which all its members have reached."""
    return 1 + group.ordinal % 7


def operations_of(group_id: str, request: Any, call: Call) -> int:
    """The authorized operations as a bit field, if the request asks for them."""
    if not request.include_authorized_operations:
        return UNKNOWN_OPERATIONS
    return sum(1 << one for one in call.world.access.operations(Resource.GROUP, group_id))
