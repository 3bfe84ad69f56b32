"""The groups that a request names, as their coordinator answers for them: common code of the RPCs about groups.

Denials are checked first, then invalid ids, then ids that another broker coordinates; the answers of the
coordinator itself come last.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from kafka_emulator.arithmetic import java_hash, utf16
from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.groups import Group
from kafka_emulator.offsets import Offsets
from kafka_emulator.paging import Cursor, Inner, Nested, Sorted, clamp
from kafka_emulator.topics import GROUPS_TOPIC

NOT_COORDINATOR, INVALID_GROUP_ID, GROUP_DENIED, GROUP_NOT_FOUND = 16, 24, 30, 69

SHARE_MESSAGES = {NOT_COORDINATOR: "This is not the correct coordinator."}
"""The messages of brokers beside a code of a share group; other groups have no message about their coordinator."""


class Named(Protocol):
    """The answer for one group: a code, or a number of items."""

    @property
    def group_id(self) -> str:
        """The id of the group."""

    @property
    def code(self) -> int:
        """Kafka's error code; 0 without an error."""

    @property
    def size(self) -> int:
        """The number of items in the answer; a group without items costs one."""


T = TypeVar("T", bound=Named)

_TOPIC_HASH = java_hash(GROUPS_TOPIC)
_SMALLEST_MAP = 16
"""The initial number of buckets of Java's HashMap, which doubles when three quarters would be taken."""


def code_of(group_id: str, call: Call, operation: Operation = Operation.DESCRIBE) -> int:
    """The code of a group id, whether or not the group exists; 0 where this broker answers for it."""
    if not call.world.access.allows(operation, Resource.GROUP, group_id):
        return GROUP_DENIED
    return NOT_COORDINATOR if call.world.group_coordinator(group_id) != call.broker else 0


def by_partition(group_ids: Iterable[str], call: Call) -> list[str]:
    """The ids by partition of __consumer_offsets, in the order in which Kafka answers: that of a Java HashMap."""
    every, first = list(group_ids), dict[int, int]()
    partitions = {one: call.world.groups.partition_of(one) for one in every}
    for at, group_id in enumerate(every):
        first.setdefault(partitions[group_id], at)
    size = _SMALLEST_MAP
    while len(first) > size * 3 // 4:
        size *= 2

    def position(group_id: str) -> tuple[int, int]:
        partition = partitions[group_id]
        code = (31 * (31 + partition) + _TOPIC_HASH) & 0xFFFFFFFF  # TopicPartition.hashCode
        return (code ^ code >> 16) & (size - 1), first[partition]

    return sorted(every, key=position)


def in_turn(group_ids: Iterable[str], make: Callable[[str], T], request: Any, call: Call) -> list[T]:
    """The result of `make` for each group, in this order. With pages: sorted, each once, and only the groups that may
    be on this page or begin the next one.
    """
    if not call.paged:
        return [make(one) for one in group_ids]
    ordered = sorted(dict.fromkeys(group_ids), key=_key)
    cursor, limit = request.cursor, clamp(request.response_pagination_limit, call.server_limit)
    first = 0 if cursor is None else bisect_left(ordered, _key(cursor.group_id), key=_key)
    found: list[T] = []
    spent = 0
    for group_id in ordered[first:]:
        one = make(group_id)
        # Earlier pages may have reported most of the first group.
        spent += max(1, one.size) if found else 0
        found.append(one)
        if spent > limit:
            break
    return found


def nothing_is_wrong(_cursor: Cursor) -> None:
    """Accept every cursor."""


def nested(
    named: Sequence[Named],
    inner: Callable[[int], Inner],
    start: Cursor,
    call: Call,
    check: Callable[[Cursor], None] = nothing_is_wrong,
) -> Nested:
    """The items of these groups, for paging. `named` is in order already; without paging it may have duplicates."""
    ids: Any = [one.group_id for one in named]
    sizes = np.array([one.size for one in named], np.int64)
    failed = np.array([one.code != 0 for one in named], np.bool_)
    return Nested(Sorted(ids, key=_key) if call.paged else ids, sizes, inner, start, check, failed)


def offsets_of(group: Group | None, call: Call) -> Offsets:
    """The committed offsets of a group in topics that the principal may DESCRIBE; empty without a group."""
    if group is None:
        return Offsets((), 0, 0, call.world.logs, None)
    seen = tuple(topic for topic in group.topics if may_describe(topic, call))
    return call.world.offsets(group._replace(topics=seen))


def may_describe(topic: str, call: Call) -> bool:
    """Whether the principal may DESCRIBE a topic."""
    return call.world.access.allows(Operation.DESCRIBE, Resource.TOPIC, topic)


def _key(group_id: Any) -> bytes:
    return utf16(group_id or "")
