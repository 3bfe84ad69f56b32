"""DescribeShareGroupOffsets (API 90, KIP-932; lag KIP-1226, v1): the start offsets of share groups.

A group that does not exist, or is of another type, is no error: it has no offsets. All topics (null): topics that may
not be described are left out. Named topics: 29 for each partition where denied; -1 without an offset. Named
topics are read from the share coordinators, so that any broker answers: only null topics need the coordinator.
The lag needs the leader: a partition without a leader is reported with 5. Groups are in the order of the request.
"""

from itertools import groupby
from typing import Any

from kafka_emulator.call import Call
from kafka_emulator.fetched import NO_ID
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.logs import Log
from kafka_emulator.named_groups import NOT_COORDINATOR, SHARE_MESSAGES, code_of, may_describe, offsets_of
from kafka_emulator.offsets import Committed, Offsets
from kafka_emulator.replicas import NO_LEADER
from kafka_messages import DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse

LEADER_NOT_AVAILABLE, TOPIC_DENIED = 5, 29
LAGS = 1

_GROUP = DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseGroup
_TOPIC = _GROUP.DescribeShareGroupOffsetsResponseTopic

Row = tuple[Any, ...]


def _answer(request: Any, call: Call) -> Any:
    groups = [_group(asked, call) for asked in request.groups]
    return DescribeShareGroupOffsetsResponse(throttle_time_ms=0, groups=groups)


def _group(asked: Any, call: Call) -> Any:
    code = code_of(asked.group_id, call)
    if code and (code != NOT_COORDINATOR or asked.topics is None):
        message = SHARE_MESSAGES.get(code)
        return _GROUP(group_id=asked.group_id, topics=[], error_code=code, error_message=message)
    group = call.world.groups.get(asked.group_id)
    offsets = offsets_of(group if group and group.shape.type == "share" else None, call)
    topics = _all(offsets, call) if asked.topics is None else _named(asked.topics, offsets, call)
    return _GROUP(group_id=asked.group_id, topics=topics, error_code=0, error_message=None)


def _all(offsets: Offsets, call: Call) -> list[Any]:
    every = offsets[:]
    logs = call.world.logs([(one.topic, one.partition) for one in every])
    return [
        _TOPIC(topic_name=topic.name, topic_id=topic.topic_id, partitions=[_row(*one, call) for one in partitions])
        for topic, partitions in groupby(zip(every, logs, strict=True), lambda one: one[0].topic)
    ]


def _named(topics: Any, offsets: Offsets, call: Call) -> list[Any]:
    """Known topics, then unknown topics, then topics that may not be described."""
    known: list[Any] = []
    unknown: list[Any] = []
    denied: list[Any] = []
    for asked in topics:
        name, topic = asked.topic_name, call.world.topics.get(asked.topic_name)
        if not may_describe(name, call):
            rows = [_without(one, call, TOPIC_DENIED) for one in asked.partitions]
            denied.append(_TOPIC(topic_name=name, topic_id=NO_ID, partitions=rows))
            continue
        found = ((one, offsets.of(name, one)) for one in asked.partitions)
        rows = [
            _row(offset, call.world.log(offset.topic, one), call) if offset else _without(one, call)
            for one, offset in found
        ]
        reported = _TOPIC(topic_name=name, topic_id=topic.topic_id if topic else NO_ID, partitions=rows)
        (known if topic else unknown).append(reported)
    return [*known, *unknown, *denied]


def _row(offset: Committed, log: Log, call: Call) -> Row:
    """The row of an offset, in the order of the version's fields."""
    if call.world.topics.partition(offset.topic, offset.partition).leader == NO_LEADER:
        return _without(offset.partition, call, LEADER_NOT_AVAILABLE)
    lag = (log.high_watermark - offset.offset,) if call.version >= LAGS else ()
    return offset.partition, offset.offset, offset.leader_epoch, *lag, 0, None


def _without(partition: int, call: Call, code: int = 0) -> Row:
    """A partition without an offset: Kafka leaves the epoch 0, and beside a code the offset, too."""
    return partition, 0 if code else -1, 0, *((-1,) if call.version >= LAGS else ()), code, None


DESCRIBE_SHARE_GROUP_OFFSETS = Handler(
    DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse, {"4.3": (0, 1)}, _answer
)
