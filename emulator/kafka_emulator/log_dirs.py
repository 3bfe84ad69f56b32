"""The contents of a broker's log dirs: replicas, and future replicas that move between two dirs."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, overload

from kafka_emulator.arithmetic import utf16
from kafka_emulator.declared import FutureSection
from kafka_emulator.logs import Log
from kafka_emulator.paging import Cursor
from kafka_emulator.topic_partitions import TopicPartitions
from kafka_emulator.topics import Topic, Topics

TOTAL_BYTES = 2**40


class Replica(NamedTuple):
    """One row of DescribeLogDirs.

    offset_lag   the lag of a future replica; 0 for a current replica, even if it is behind
    """

    topic: str
    partition: int
    log_dir: str
    size: int
    offset_lag: int
    is_future: bool


def path(number: int) -> str:
    """The path of a log dir."""
    return f"/kafka/logs-{number}"


class Replicas(Sequence[Replica]):
    """All replicas in a broker's dirs that are not offline, in the order of topic, partition, dir.

    `replicas[position]`; `at` and `cursor` (topic, partition, dir) for paging.
    """

    def __init__(
        self,
        broker: int,
        topics: Topics,
        hosted: TopicPartitions,
        logs: Callable[[Sequence[tuple[Topic, int]]], list[Log]],
        futures: dict[tuple[str, int], FutureSection],
    ) -> None:
        """`hosted` are the partitions with a replica in a dir that is not offline; `futures` move between dirs.

        A move to the current dir of a replica is ignored, as in Kafka.
        """
        self._broker, self._topics, self._hosted, self._logs = broker, topics, hosted, logs
        found = ((position, one, topics.get(position[0])) for position, one in futures.items())
        self._futures = {
            position: one
            for position, one, topic in found
            if topic and topics.log_dir(topic, position[1], broker) != one.log_dir
        }

    def __len__(self) -> int:
        return len(self._hosted) + len(self._doubled)

    @overload
    def __getitem__(self, position: int) -> Replica: ...
    @overload
    def __getitem__(self, position: slice) -> list[Replica]: ...
    def __getitem__(self, position: int | slice) -> Replica | list[Replica]:
        if isinstance(position, slice):
            return self.some(range(len(self))[position])
        return self.some([range(len(self))[position]])[0]

    def some(self, positions: Sequence[int]) -> list[Replica]:
        """The replicas at these positions."""
        rows = [self._row(position) for position in positions]
        logs = self._logs([(topic, index) for topic, index, _ in rows])
        return [self._replica(*row, log) for row, log in zip(rows, logs, strict=True)]

    def _replica(self, topic: Topic, index: int, future: FutureSection | None, log: Log) -> Replica:
        if future is not None:
            half = log.size // 2
            return Replica(topic.name, index, path(future.log_dir), half, (log.end - log.start) // 2, True)
        current = self._topics.log_dir(topic, index, self._broker)
        size = log.size // 2 if self._broker in self._topics.partition(topic, index).adding else log.size
        return Replica(topic.name, index, path(current), size, 0, False)

    def at(self, cursor: Cursor) -> int:
        """The position of the first replica that is not before a topic, partition and dir."""
        key = utf16(cursor[0]), cursor[1], utf16(cursor[2])
        return bisect_left(range(len(self)), key, key=self._key)

    def cursor(self, position: int) -> Cursor:
        """Topic, partition and dir of a position."""
        topic, index, future = self._row(position)
        number = future.log_dir if future else self._topics.log_dir(topic, index, self._broker)
        return topic.name, index, path(number)

    def _key(self, position: int) -> Any:
        topic, partition, log_dir = self.cursor(position)
        return utf16(topic), partition, utf16(log_dir)

    @cached_property
    def _doubled(self) -> list[int]:
        """The positions in `hosted` of partitions that move between dirs and so have two rows."""
        found = ((self._hosted.at(position), position) for position in self._futures)
        return sorted(at for at, position in found if at < len(self._hosted) and self._hosted[at] == position)

    @cached_property
    def _seconds(self) -> list[int]:
        """The positions of the second rows of these partitions."""
        return [at + before + 1 for before, at in enumerate(self._doubled)]

    def _row(self, position: int) -> tuple[Topic, int, FutureSection | None]:
        """Topic and partition of a row, and the move if the row is the future replica's."""
        before = bisect_right(self._seconds, position)
        at = position - before
        is_second = before > 0 and self._seconds[before - 1] == position
        topic = self._topics.by_ordinal(int(self._hosted.ordinals[at]))
        index = int(self._hosted.indexes[at])
        future = self._futures.get((topic.name, index))
        if future is None:
            return topic, index, None
        current = self._topics.log_dir(topic, index, self._broker)
        is_first = utf16(path(future.log_dir)) < utf16(path(current))
        return topic, index, future if is_first != is_second else None
