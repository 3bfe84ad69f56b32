"""The committed offsets of a group, by position, in the order of topic and partition."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from kafka_census.emulator.arithmetic import mix, utf16
from kafka_census.emulator.declared import OffsetSection
from kafka_census.emulator.logs import Log
from kafka_census.emulator.paging import Cursor
from kafka_census.emulator.topics import Topic


class Committed(NamedTuple):
    """One committed offset."""

    topic: Topic
    partition: int
    offset: int
    leader_epoch: int
    metadata: str


class Offsets(Sequence[Committed]):
    """What one group has committed: `offsets[position]`; `at` and `cursor` (topic, partition) for paging.

    `of(topic, partition)` is one of them, None where nothing is committed.
    """

    def __init__(
        self,
        topics: Sequence[Topic],
        ordinal: int,
        seed: int,
        log: Callable[[Topic, int], Log],
        declared: tuple[OffsetSection, ...] | None,
    ) -> None:
        """`topics` are sorted and there; `declared` offsets replace what would be generated."""
        self._topics = topics
        self._ordinal, self._seed, self._log = ordinal, seed, log
        self._declared = None if declared is None else {(one.topic, one.partition): one for one in declared}
        self._ends = list(accumulate(len(self._partitions(topic)) for topic in topics))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, place: int) -> Committed:  # type: ignore[override]  # nobody slices offsets
        topic, partition = self._place(place)
        return self._committed(topic, partition)

    def of(self, name: str, partition: int) -> Committed | None:
        """What is committed for one partition."""
        topic = next((one for one in self._topics if one.name == name), None)
        if topic is None or partition not in self._partitions(topic):
            return None
        return self._committed(topic, partition)

    def at(self, cursor: Cursor) -> int:
        """The position of the first offset that is not before a topic and partition."""
        key = utf16(cursor[0]), cursor[1]
        return bisect_left(range(len(self)), key, key=self._key)

    def cursor(self, position: int) -> Cursor:
        """Topic and partition of a position."""
        topic, partition = self._place(position)
        return topic.name, partition

    def _key(self, position: int) -> Any:
        topic, partition = self._place(position)
        return utf16(topic.name), partition

    def _partitions(self, topic: Topic) -> Sequence[int]:
        if self._declared is None:
            return range(topic.partitions)
        return sorted(index for name, index in self._declared if name == topic.name and index < topic.partitions)

    def _place(self, position: int) -> tuple[Topic, int]:
        which = bisect_left(self._ends, position + 1)
        before = self._ends[which - 1] if which else 0
        topic = self._topics[which]
        return topic, self._partitions(topic)[position - before]

    def _committed(self, topic: Topic, partition: int) -> Committed:
        if self._declared is not None:
            declared = self._declared[topic.name, partition]
            return Committed(topic, partition, declared.offset, 0, declared.metadata)
        log = self._log(topic, partition)
        lag = mix(self._seed, self._ordinal, topic.ordinal, partition) % 100
        return Committed(topic, partition, max(log.start, log.end - lag), log.leader_epoch, "")
