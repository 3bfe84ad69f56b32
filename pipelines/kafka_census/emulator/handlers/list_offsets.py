"""ListOffsets (API 2; isolation v2, epochs v4, KIP-1062 v12): offsets of named partitions, by timestamp.

Special timestamps by version: -1 latest, -2 earliest, -3 newest record (v7), -4 earliest local (v8), -5 latest
tiered (v9) and -6 pending upload (v11), of which nothing is; any other negative one is 35. Only the leader answers
(6, 74, 75), but a request of replica -2 reads the end of any replica. A partition listed twice is 42. Code 0 with
offset -1: there is none. Version 0 lists offsets: the end, then the one segment. A code costs no page anything.
"""

from typing import Any, NamedTuple

import numpy as np

from kafka_census.emulator.authorization import Operation, Resource
from kafka_census.emulator.call import Call
from kafka_census.emulator.handlers.handler import Handler, Versions
from kafka_census.emulator.hosting import hosting_code
from kafka_census.emulator.logs import START_TIME_MS, Log
from kafka_census.emulator.paging import Indexes, Nested, Sorted, partition_is_possible
from kafka_census.emulator.topics import Topic
from kafka_census.protocol.kip_1062 import ListOffsetsRequest, ListOffsetsResponse

NOT_LEADER, DENIED, UNSUPPORTED, INVALID_REQUEST, FENCED_EPOCH, UNKNOWN_EPOCH = 6, 29, 35, 42, 74, 75
LATEST, EARLIEST, MAX_TIMESTAMP, EARLIEST_LOCAL, LATEST_TIERED, EARLIEST_PENDING_UPLOAD = range(-1, -7, -1)
SINCE = {LATEST: 0, EARLIEST: 0, MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING_UPLOAD: 11}
CONSUMER, DEBUGGING = -1, -2
READ_COMMITTED = 1
NOTHING = -1, -1, -1
"""Timestamp, offset and leader epoch where there is no such offset."""


class _Asked(NamedTuple):
    """One partition of a request; `twice` where it is there more than once. Topics are looked up once a request."""

    topic: Topic | None
    partition: int
    timestamp: int
    leader_epoch: int
    max_offsets: int
    twice: bool


def _answer(request: Any, call: Call) -> Any:
    asked = _asked(request, call)
    places = Sorted(asked)
    allows = call.world.access.allows
    allowed = {topic.name: allows(Operation.DESCRIBE, Resource.TOPIC, topic.name) for topic in request.topics}
    codes = [_code(request, call, asked[place], allowed=allowed[place[0]]) for place in places]
    failed, none = np.array(codes, np.int64) != 0, np.zeros(len(places), np.int64)
    listing = Nested(places, none, lambda _holder: Indexes(), (), partition_is_possible, failed)
    page = call.page(listing, request)
    holders = [part.holder for part in listing.parts(page)]
    told = [asked[places[holder]] for holder in holders if not codes[holder]]
    logs = iter(call.world.logs([(one.topic, one.partition) for one in told if one.topic is not None]))
    topics: dict[str, list[Any]] = {}
    for holder in holders:
        place, code = places[holder], codes[holder]
        row = _told(place[1], code, call.version) if code else _row(request, call, asked[place], next(logs))
        topics.setdefault(place[0], []).append(row)
    return ListOffsetsResponse(
        throttle_time_ms=0, topics=list(topics.items()), **call.follows(ListOffsetsResponse, page)
    )


def _asked(request: Any, call: Call) -> dict[tuple[str, int], _Asked]:
    every = [((topic.name, one.partition_index), one) for topic in request.topics for one in topic.partitions]
    topics = {topic.name: call.world.topics.get(topic.name) for topic in request.topics}
    found: dict[tuple[str, int], _Asked] = {}
    for place, one in every:
        name, index = place
        epoch, count, twice = one.current_leader_epoch, one.max_num_offsets, place in found
        found[place] = _Asked(topics[name], index, one.timestamp, epoch, count, twice)
    return found


def _code(request: Any, call: Call, asked: _Asked, *, allowed: bool) -> int:
    if not allowed:
        return DENIED
    if asked.twice:
        return INVALID_REQUEST
    if asked.timestamp < 0 and call.version < SINCE.get(asked.timestamp, call.version + 1):
        return UNSUPPORTED
    code = hosting_code(call.world, call.broker, asked.topic, asked.partition)
    return code if code or asked.topic is None else _leader_code(request, call, asked.topic, asked)


def _leader_code(request: Any, call: Call, topic: Topic, asked: _Asked) -> int:
    """The epoch is looked at first: a broker that others have replaced says that it is fenced."""
    state = call.world.topics.partition(topic, asked.partition)
    if 0 <= asked.leader_epoch != state.leader_epoch:
        return FENCED_EPOCH if asked.leader_epoch < state.leader_epoch else UNKNOWN_EPOCH
    return 0 if request.replica_id == DEBUGGING or state.leader == call.broker else NOT_LEADER


def _row(request: Any, call: Call, asked: _Asked, log: Log) -> tuple[Any, ...]:
    """A partition's fields in the order of the message: version 0 has a list, others have the first ones of these."""
    readable = _readable(request, call, asked, log)
    if call.version == 0:
        return asked.partition, 0, _old_style(log, asked, readable)
    return asked.partition, 0, *_found(log, asked.timestamp, readable)


def _readable(request: Any, call: Call, asked: _Asked, log: Log) -> int:
    """Up to where this reader may: isolation counts for consumers only, all others read to the replica's own end."""
    if request.replica_id == CONSUMER:
        return log.last_stable if request.isolation_level == READ_COMMITTED else log.high_watermark
    if asked.topic is None:
        return log.end
    state = call.world.topics.partition(asked.topic, asked.partition)
    behind = call.broker in state.adding and call.broker not in state.isr
    return log.start + (log.end - log.start) // 2 if behind else log.end


def _found(log: Log, timestamp: int, readable: int) -> tuple[int, int, int]:
    """Timestamp, offset and leader epoch; a time is told only of the record that was looked for by its time."""
    if timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
        return NOTHING
    if timestamp == LATEST:
        return -1, readable, log.leader_epoch
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return -1, log.start, log.leader_epoch
    offset = log.max_timestamp_offset if timestamp == MAX_TIMESTAMP else log.offset_at(timestamp)
    return (START_TIME_MS + offset, offset, log.leader_epoch) if 0 <= offset < readable else NOTHING


def _old_style(log: Log, asked: _Asked, readable: int) -> list[int]:
    """Descending: the end, and the beginning of the one segment where it was last written before that time."""
    begins = [log.start] if asked.timestamp < 0 or log.max_timestamp <= asked.timestamp else []
    ends = [readable] if asked.timestamp == LATEST and readable > log.start else []
    return [*ends, *begins][: max(0, asked.max_offsets)]


def _told(index: int, code: int, version: int) -> tuple[Any, ...]:
    return (index, code, *(NOTHING if version else ([],)))


def _refuse(request: Any, call: Call, code: int) -> Any:
    """There is no code at the top: every partition has it."""
    topics: dict[str, list[Any]] = {}
    for name, index in Sorted(_asked(request, call)):
        topics.setdefault(name, []).append(_told(index, code, call.version))
    return ListOffsetsResponse(throttle_time_ms=0, topics=list(topics.items()))


VERSIONS: Versions = {"2.8": (0, 6), "3.9": (0, 9), "4.3": (1, 11)}
LIST_OFFSETS = Handler(ListOffsetsRequest, ListOffsetsResponse, VERSIONS, _answer, paged=12, refuse=_refuse)
