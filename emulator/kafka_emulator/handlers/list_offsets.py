"""ListOffsets (API 2; isolation v2, epochs v4, KIP-1062 v12): offsets of named partitions, by timestamp.

Special timestamps by version: -1 latest, -2 earliest, -3 newest record (v7), -4 earliest local (v8), -5 latest
tiered (v9) and -6 pending upload (v11), which find no offset; any other negative one is 35. Only the leader answers
(6, 74, 75), but a request of replica -2 reads the end of any replica. A partition listed twice is 42. Code 0 with
offset -1: no such offset exists. Version 0 lists offsets: the end, then the start of the only segment.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler, Versions
from kafka_emulator.hosting import hosted
from kafka_emulator.logs import START_TIME_MS, Log
from kafka_emulator.paging import Indexes, Nested, Sorted, by_name_and_number, partition_is_possible
from kafka_emulator.replicas import Partition
from kafka_messages.kip_1062 import ListOffsetsRequest, ListOffsetsResponse

NOT_LEADER, DENIED, UNSUPPORTED, INVALID_REQUEST, FENCED_EPOCH, UNKNOWN_EPOCH = 6, 29, 35, 42, 74, 75
LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING_UPLOAD = range(-1, -7, -1)
SINCE = {LATEST: 0, EARLIEST: 0, MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING_UPLOAD: 11}
CONSUMER, DEBUGGING = -1, -2
READ_COMMITTED = 1
NOTHING = -1, -1, -1
"""Timestamp, offset and leader epoch where there is no such offset."""

TopicPartition = tuple[str, int]
"""A topic and a partition."""


def _answer(request: Any, call: Call) -> Any:
    asked = _Asked(request, call)
    partitions, parts = asked.partitions, asked.parts
    codes = [asked.code(partition, part) for partition, part in zip(partitions, parts, strict=True)]
    failed, none = np.array(codes, np.int64) != 0, np.zeros(len(partitions), np.int64)
    listing = Nested(partitions, none, lambda _holder: Indexes(), (), partition_is_possible, failed)
    page = call.page(listing, request)
    on = listing.reported(page)
    reported = list(zip(partitions[on], parts[on], codes[on], strict=True))
    well = (partition for partition, _, code in reported if not code)
    found = [(topic, index) for name, index in well if (topic := asked.topics[name])]
    logs = iter(call.world.logs(found))
    topics: dict[str, list[Any]] = {}
    for partition, part, code in reported:
        row = _reported(partition[1], code, call.version) if code else asked.row(partition, part, next(logs))
        topics.setdefault(partition[0], []).append(row)
    return ListOffsetsResponse(
        throttle_time_ms=0, topics=list(topics.items()), **call.follows(ListOffsetsResponse, page)
    )


class _Asked:
    """The partitions of a request, each once; topics and permissions are looked up once per request.

    partitions   (topic, partition) pairs, sorted
    parts    the item of the request for each partition
    topics   the topics by name; None where the topic does not exist
    """

    def __init__(self, request: Any, call: Call) -> None:
        self._request, self._call, world = request, call, call.world
        self._known = {timestamp for timestamp, since in SINCE.items() if call.version >= since}
        every = [((topic.name, one.partition_index), one) for topic in request.topics for one in topic.partitions]
        each = dict(every)
        self._twice = _repeated(partition for partition, _ in every) if len(each) < len(every) else frozenset()
        self.partitions = Sorted(each, by_name_and_number)
        self.parts = [each[partition] for partition in self.partitions]
        self.topics = {topic.name: world.topics.get(topic.name) for topic in request.topics}
        self._denied = {
            name for name in self.topics if not world.access.allows(Operation.DESCRIBE, Resource.TOPIC, name)
        }

    def code(self, partition: TopicPartition, part: Any) -> int:
        """The code of a partition; 0 where its offset is reported."""
        (name, index), call, timestamp = partition, self._call, part.timestamp
        if name in self._denied:
            return DENIED
        if partition in self._twice:
            return INVALID_REQUEST
        if timestamp < 0 and timestamp not in self._known:
            return UNSUPPORTED
        state = hosted(call.world, call.broker, self.topics[name], index)
        return state if isinstance(state, int) else self._leader_code(state, part.current_leader_epoch)

    def _leader_code(self, state: Partition, epoch: int) -> int:
        """The epoch is checked before the leader: a request with an older epoch is fenced."""
        if 0 <= epoch != state.leader_epoch:
            return FENCED_EPOCH if epoch < state.leader_epoch else UNKNOWN_EPOCH
        return 0 if self._request.replica_id == DEBUGGING or state.leader == self._call.broker else NOT_LEADER

    def row(self, partition: TopicPartition, part: Any, log: Log) -> tuple[Any, ...]:
        """A partition's fields in the order of the message: version 0 has a list, other versions offset fields."""
        readable = self._readable(partition, log)
        if self._call.version == 0:
            return partition[1], 0, _old_style(log, part.timestamp, part.max_num_offsets, readable)
        return partition[1], 0, *_found(log, part.timestamp, readable)

    def _readable(self, partition: TopicPartition, log: Log) -> int:
        """The offset up to which the client may read: isolation is for consumers; others read to the replica's end."""
        request, topic = self._request, self.topics[partition[0]]
        if request.replica_id == CONSUMER:
            return log.last_stable if request.isolation_level == READ_COMMITTED else log.high_watermark
        if topic is None:
            return log.end
        state, broker = self._call.world.topics.partition(topic, partition[1]), self._call.broker
        behind = broker in state.adding and broker not in state.isr
        return log.start + (log.end - log.start) // 2 if behind else log.end


def _repeated(partitions: Iterable[TopicPartition]) -> frozenset[TopicPartition]:
    return frozenset(partition for partition, times in Counter(partitions).items() if times > 1)


def _found(log: Log, timestamp: int, readable: int) -> tuple[int, int, int]:
    """Timestamp, offset and leader epoch; the timestamp is -1 unless the record was searched by its timestamp."""
    if timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
        return NOTHING
    if timestamp == LATEST:
        return -1, readable, log.leader_epoch
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return -1, log.start, log.leader_epoch
    newest = log.max_timestamp, log.max_timestamp_offset
    at = log.offset_at(timestamp)
    time, offset = newest if timestamp == MAX_TIMESTAMP else (START_TIME_MS + at, at)
    return (time, offset, log.leader_epoch) if 0 <= offset < readable else NOTHING


def _old_style(log: Log, timestamp: int, most: int, readable: int) -> list[int]:
    """Offsets descending: the end, and the start of the only segment if its last write is not after the timestamp."""
    begins = [log.start] if timestamp < 0 or log.max_timestamp <= timestamp else []
    ends = [readable] if timestamp == LATEST and readable > log.start else []
    return [*ends, *begins][: max(0, most)]


def _reported(index: int, code: int, version: int) -> tuple[Any, ...]:
    return (index, code, *(NOTHING if version else ([],)))


def _refuse(request: Any, call: Call, code: int) -> Any:
    """The response has no code at the top: every partition has the code."""
    topics: dict[str, list[Any]] = {}
    for name, index in _Asked(request, call).partitions:
        topics.setdefault(name, []).append(_reported(index, code, call.version))
    return ListOffsetsResponse(throttle_time_ms=0, topics=list(topics.items()))


VERSIONS: Versions = {"2.8": (0, 6), "3.9": (0, 9), "4.3": (1, 11)}
LIST_OFFSETS = Handler(ListOffsetsRequest, ListOffsetsResponse, VERSIONS, _answer, paged=12, refuse=_refuse)
