"""The committed offsets of a group, by position, in the order of topic and partition."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate, repeat
from typing import Any, NamedTuple, overload

import numpy as np

from kafka_emulator.arithmetic import mixed, utf16
from kafka_emulator.declared import OffsetSection
from kafka_emulator.logs import Log
from kafka_emulator.paging import Cursor
from kafka_emulator.topics import Topic


class Committed(NamedTuple):
    """One committed offset."""

    topic: Topic
    partition: int
    offset: int
    leader_epoch: int
    metadata: str


class Offsets(Sequence[Committed]):
    """The committed offsets of one group: `offsets[position]`; `at` and `cursor` (topic, partition) for paging.

    `of(topic, partition)` is the offset of a partition, None without a committed offset.
    """

    def __init__(
        self,
        topics: Sequence[Topic],
        ordinal: int,
        seed: int,
        logs: Callable[[Sequence[tuple[Topic, int]]], list[Log]],
        declared: tuple[OffsetSection, ...] | None,
    ) -> None:
        """`topics` are sorted and exist; `declared` offsets replace generated ones."""
        self._topics = topics
        self.ordinal, self.seed, self.logs = ordinal, seed, logs
        self._declared = None if declared is None else {(one.topic, one.partition): one for one in declared}
        self._partitions = [self._partitions_of(topic) for topic in topics]
        self._ends = list(accumulate(map(len, self._partitions)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, position: int) -> Committed: ...
    @overload
    def __getitem__(self, position: slice) -> list[Committed]: ...
    def __getitem__(self, position: int | slice) -> Committed | list[Committed]:
        if isinstance(position, slice):
            begin, end, _ = position.indices(len(self))
            return committed([(self, self.positions(begin, end))])
        at = range(len(self))[position]
        return self[at : at + 1][0]

    def of(self, name: str, partition: int) -> Committed | None:
        """The committed offset of one partition; None without one."""
        found = [one for one in zip(self._topics, self._partitions, strict=True) if one[0].name == name]
        there = [(topic, partition) for topic, partitions in found if partition in partitions]
        return committed([(self, there)])[0] if there else None

    def at(self, cursor: Cursor) -> int:
        """The position of the first offset that is not before a topic and partition."""
        key = utf16(cursor[0]), cursor[1]
        return bisect_left(range(len(self)), key, key=self._key)

    def cursor(self, position: int) -> Cursor:
        """Topic and partition of a position."""
        ((topic, partition),) = self.positions(position, position + 1)
        return topic.name, partition

    def positions(self, begin: int, end: int) -> list[tuple[Topic, int]]:
        """Topics and partitions from one position up to another."""
        found: list[tuple[Topic, int]] = []
        for topic, partitions, last in zip(self._topics, self._partitions, self._ends, strict=True):
            first = last - len(partitions)
            wanted = partitions[max(0, begin - first) : max(0, end - first)]
            found += zip(repeat(topic), wanted)
        return found

    def declared(self, topic: Topic, partition: int) -> OffsetSection | None:
        """The offset that a scenario declares for a partition."""
        return self._declared[topic.name, partition] if self._declared is not None else None

    def _key(self, position: int) -> Any:
        name, partition = self.cursor(position)
        return utf16(name), partition

    def _partitions_of(self, topic: Topic) -> Sequence[int]:
        if self._declared is None:
            return range(topic.partitions)
        return sorted(index for name, index in self._declared if name == topic.name and index < topic.partitions)


def committed(wanted: Sequence[tuple[Offsets, list[tuple[Topic, int]]]]) -> list[Committed]:
    """The offsets of several groups for some of their partitions, in sequence; random numbers are drawn at once."""
    rows = [(of, topic, partition) for of, positions in wanted for topic, partition in positions]
    if not rows:
        return []
    first = rows[0][0]
    logs = first.logs([(topic, partition) for _, topic, partition in rows])
    of_groups = np.array([of.ordinal for of, _, _ in rows], np.int64)
    of_topics = np.array([topic.ordinal for _, topic, _ in rows], np.int64)
    of_partitions = np.array([partition for _, _, partition in rows], np.int64)
    lags = (mixed(first.seed, of_groups, of_topics, of_partitions) % 100).tolist()
    return [
        Committed(topic, partition, max(log.start, log.end - lag), log.leader_epoch, "")
        if (declared := of.declared(topic, partition)) is None
        else Committed(topic, partition, declared.offset, 0, declared.metadata)
        for (of, topic, partition), log, lag in zip(rows, logs, lags, strict=True)
    ]
