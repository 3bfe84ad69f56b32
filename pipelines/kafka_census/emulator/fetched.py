"""What OffsetFetch answers for one group: all offsets that it has, or those of the partitions that were named."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from kafka_census.emulator.arithmetic import utf16
from kafka_census.emulator.call import Call
from kafka_census.emulator.named_groups import may_describe
from kafka_census.emulator.offsets import Committed, Offsets, committed
from kafka_census.emulator.paging import Cursor
from kafka_census.emulator.topics import Topic

TOPIC_DENIED, UNKNOWN_TOPIC_ID = 29, 100
NO_ID = UUID(int=0)


class Told(NamedTuple):
    """One partition of an answer; `committed` is None where nothing is, or there is a code."""

    topic: str
    topic_id: UUID
    partition: int
    code: int
    committed: Committed | None


class Asked(Sequence[Told]):
    """Named partitions, in the order in which they are told; the same interface for paging as `Offsets`."""

    def __init__(self, told: Iterable[Told], *, ordered: bool) -> None:
        """Ordered: by topic and partition, each once. Else as they were asked for, those with a code last."""
        if ordered:
            self._told = sorted({_place(one): one for one in told}.values(), key=_place)
        else:
            self._told = sorted(told, key=lambda one: one.code != 0)

    def __len__(self) -> int:
        return len(self._told)

    def __getitem__(self, position: Any) -> Any:
        return self._told[position]

    def at(self, cursor: Cursor) -> int:
        """The position of the first partition that is not before a topic and partition."""
        return bisect_left(self._told, (utf16(cursor[0]), cursor[1]), key=_place)

    def cursor(self, position: int) -> Cursor:
        """Topic and partition of a position."""
        one = self._told[position]
        return _name(one), one.partition


class Fetched(NamedTuple):
    """One group."""

    group_id: str
    code: int
    offsets: Offsets | Asked

    @property
    def size(self) -> int:
        """How many partitions there are to tell."""
        return len(self.offsets)


def told(parts: Sequence[tuple[Fetched, int, int]]) -> Iterator[list[Told]]:
    """The partitions of several groups, of each from one position up to another."""
    wanted = [(of, of.places(begin, end)) for one, begin, end in parts if isinstance(of := one.offsets, Offsets)]
    found = iter(committed(wanted))
    for fetched, begin, end in parts:
        if isinstance(fetched.offsets, Offsets):
            row = islice(found, end - begin)
            yield [Told(one.topic.name, one.topic.topic_id, one.partition, 0, one) for one in row]
        else:
            yield list(fetched.offsets[begin:end])


def asked_of(topics: Iterable[Any], offsets: Offsets, call: Call) -> Asked:
    """The partitions that a request names by topic name, or by topic id where it has one."""
    told = [_told(topic, partition, offsets, call) for topic in topics for partition in topic.partition_indexes]
    return Asked(told, ordered=call.paged)


def _told(asked: Any, partition: int, offsets: Offsets, call: Call) -> Told:
    name, topic = _found(asked, call)
    if topic is None and name is None:
        return Told("", getattr(asked, "topic_id", None) or NO_ID, partition, UNKNOWN_TOPIC_ID, None)
    told, topic_id = name or "", topic.topic_id if topic else NO_ID
    if not may_describe(told, call):
        return Told(told, topic_id, partition, TOPIC_DENIED, None)
    return Told(told, topic_id, partition, 0, offsets.of(told, partition))


def _found(asked: Any, call: Call) -> tuple[str | None, Topic | None]:
    """Name and topic of what was asked for; no name: it was an id that stands for nothing."""
    names = (getattr(asked, field, None) for field in ("topic_name", "name"))
    topic_id = getattr(asked, "topic_id", None) or NO_ID
    if topic_id != NO_ID:
        by_id = call.world.topics.of_id(topic_id)
        return (by_id.name, by_id) if by_id else (None, None)
    name = next((one for one in names if one), None)
    return name, call.world.topics.get(name) if name else None


def _name(told: Told) -> str:
    """Unknown ids have no name; each needs a place of its own."""
    return told.topic or str(told.topic_id)


def _place(told: Told) -> tuple[bytes, int]:
    return utf16(_name(told)), told.partition
