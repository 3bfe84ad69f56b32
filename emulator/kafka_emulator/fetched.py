"""The answer of OffsetFetch for one group: all its offsets, or those of the named partitions."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from kafka_emulator.arithmetic import utf16
from kafka_emulator.call import Call
from kafka_emulator.named_groups import may_describe
from kafka_emulator.offsets import Committed, Offsets, committed
from kafka_emulator.paging import Cursor

TOPIC_DENIED, UNKNOWN_TOPIC_ID = 29, 100
IDS = 10
"""The first version of OffsetFetch that names topics by id."""
NO_ID = UUID(int=0)


class FetchedPartition(NamedTuple):
    """One partition of an answer; `committed` is None without a committed offset, and beside a code."""

    topic: str
    topic_id: UUID
    partition: int
    code: int
    committed: Committed | None


class FetchedTopic(NamedTuple):
    """One topic of an answer, with its partitions."""

    topic: str
    topic_id: UUID
    partitions: Sequence[FetchedPartition]


class Asked(Sequence[FetchedPartition]):
    """Named partitions by topic and partition, each once; the same interface for paging as `Offsets`."""

    def __init__(self, reported: Iterable[FetchedPartition]) -> None:
        """`reported` may be in any order."""
        self._reported = sorted({_position(one): one for one in reported}.values(), key=_position)

    def __len__(self) -> int:
        return len(self._reported)

    def __getitem__(self, position: Any) -> Any:
        return self._reported[position]

    def at(self, cursor: Cursor) -> int:
        """The position of the first partition that is not before a topic and partition."""
        return bisect_left(self._reported, (utf16(cursor[0]), cursor[1]), key=_position)

    def cursor(self, position: int) -> Cursor:
        """Topic and partition of a position."""
        one = self._reported[position]
        return _name(one), one.partition


class Fetched(NamedTuple):
    """One group of an answer."""

    group_id: str
    code: int
    offsets: Offsets | Asked

    @property
    def size(self) -> int:
        """The number of partitions in the answer."""
        return len(self.offsets)


def reported(parts: Sequence[tuple[Fetched, int, int]]) -> Iterator[list[FetchedPartition]]:
    """The partitions of several groups, for each group from one position up to another."""
    wanted = [(of, of.positions(begin, end)) for one, begin, end in parts if isinstance(of := one.offsets, Offsets)]
    found = iter(committed(wanted))
    for fetched, begin, end in parts:
        if isinstance(fetched.offsets, Offsets):
            row = islice(found, end - begin)
            yield [FetchedPartition(one.topic.name, one.topic.topic_id, one.partition, 0, one) for one in row]
        else:
            yield list(fetched.offsets[begin:end])


def asked_of(topics: Iterable[Any], offsets: Offsets, call: Call) -> list[FetchedTopic]:
    """The topics that a request names, as often as the request names them; topics with a code come last."""
    found = [(topic, *_found(topic, call)) for topic in topics]
    return [
        FetchedTopic(name, topic_id, [_reported(name, topic_id, one, code, offsets) for one in topic.partition_indexes])
        for topic, name, topic_id, code in sorted(found, key=lambda one: one[-1] != 0)
    ]


def _reported(name: str, topic_id: UUID, partition: int, code: int, offsets: Offsets) -> FetchedPartition:
    return FetchedPartition(name, topic_id, partition, code, None if code else offsets.of(name, partition))


def _found(asked: Any, call: Call) -> tuple[str, UUID, int]:
    """Name, id and code of a topic, which is identified by its id where the request has ids."""
    names = (getattr(asked, field, None) for field in ("topic_name", "name"))
    topic_id = getattr(asked, "topic_id", None) or NO_ID
    name = next((one for one in names if one), None)
    topic = call.world.topics.get(name) if name else None
    if topic_id != NO_ID:
        topic = call.world.topics.of_id(topic_id)
        name = topic.name if topic else None
    if name is None and call.version >= IDS:
        return "", topic_id, UNKNOWN_TOPIC_ID
    name = name or ""
    return name, topic.topic_id if topic else NO_ID, 0 if may_describe(name, call) else TOPIC_DENIED


def _name(reported: FetchedPartition) -> str:
    """The name of a topic, or a substitute for an unknown id: each id needs its own position."""
    return reported.topic or str(reported.topic_id)


def _position(reported: FetchedPartition) -> tuple[bytes, int]:
    return utf16(_name(reported)), reported.partition
