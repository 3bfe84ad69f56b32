"""DescribeTopicPartitions (API 75, KIP-966): partitions with ELR, in pages, as Kafka 4.4's handler returns them.

The RPC is older than KIP-1062 and differs in details that real clients rely on; so it has its own paging, over the
same listing. No names: all topics that may be described. A named topic that is unknown (3) or invalid (17) costs
nothing, but keeps its position: where the limit is spent before it, it is the next cursor. Named topics that are
denied (29) come at the end of every page. A cursor outside a named list, or a negative one, is 42 on every name;
without names a negative cursor has an empty answer that looks like the end. The empty name without a cursor is -1 on
every name: Kafka's handler fails on it.
"""

from typing import Any
from uuid import UUID

import numpy as np
from kafka.protocol.admin import DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse

from kafka_emulator import paging
from kafka_emulator.arithmetic import utf16
from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call, cursor_of, position_of
from kafka_emulator.configs import Configs
from kafka_emulator.features import Speaks
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.paging import Indexes, Nested, Part, Sorted
from kafka_emulator.replicas import NO_LEADER
from kafka_emulator.topic_names import is_possible
from kafka_emulator.topics import Topic

UNKNOWN_SERVER_ERROR, UNKNOWN_TOPIC, INVALID_TOPIC, DENIED, INVALID_REQUEST = -1, 3, 17, 29, 42
NO_ID = UUID(int=0)
UNKNOWN_OPERATIONS = -(2**31)
_BEYOND = 2**31
"""One above the highest int32: the sum of a cursor and a limit overflows in Kafka."""

_TOPIC = DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic


def _answer(request: Any, call: Call) -> Any:
    names = Sorted(topic.name for topic in request.topics)
    cursor = position_of(request.cursor)
    if cursor is None and "" in names and _allowed("", call):
        return _refuse(request, call, UNKNOWN_SERVER_ERROR)
    if cursor is not None and (cursor[1] < 0 or (names and cursor[0] not in names)):
        return _refuse(request, call, INVALID_REQUEST)
    listing = _named(names, call) if names else call.world.visible_partitions()
    limit = paging.clamp(request.response_partition_limit, call.server_limit)
    page = paging.page(listing, cursor, limit)
    topics = [_described(listing, part, call) for part in listing.parts(page)]
    follows = page.next_cursor
    if cursor is not None and (past := _past_the_end(cursor, limit, listing, call)) is not None:
        runs_over = cursor[1] + limit >= _BEYOND
        topics = [past] if runs_over else [past, *topics]
        follows = (cursor[0], cursor[1] + limit - 2 * _BEYOND) if runs_over else follows
    behind = [name for name in names if cursor is None or utf16(name) >= utf16(cursor[0])]
    return _response([*topics, *(_failed(name, DENIED) for name in behind if not _allowed(name, call))], follows)


def _limit(configs: Configs, broker: int, speaks: Speaks) -> int:
    return configs.partition_limit(broker, speaks)


def _allowed(name: str, call: Call) -> bool:
    return call.world.access.allows(Operation.DESCRIBE, Resource.TOPIC, name)


def _named(names: Sorted, call: Call) -> Nested:
    allowed = Sorted(name for name in names if _allowed(name, call))
    topics = [call.world.topics.get(name) for name in allowed]
    sizes = np.array([topic.partitions if topic else 0 for topic in topics], np.int64)
    failed = np.array([topic is None for topic in topics], np.bool_)
    return Nested(allowed, sizes, lambda _holder: Indexes(), (0,), failed=failed, free=True)


def _described(listing: Nested, part: Part, call: Call) -> Any:
    name = listing.holders[part.holder]
    topic = call.world.topics.get(name)
    if topic is None:
        return _failed(name, UNKNOWN_TOPIC if is_possible(name) else INVALID_TOPIC, _operations(name, call))
    return _topic(topic, _rows(topic, part, call), call)


def _rows(topic: Topic, part: Part, call: Call) -> list[tuple[Any, ...]]:
    """The rows of partitions; their error code is never set, and a leader without this listener is reported as none."""
    lacking = call.world.brokers.without(call.listener)
    return [
        (
            0,
            index,
            NO_LEADER if state.leader in lacking else state.leader,
            state.leader_epoch,
            state.replicas,
            state.isr,
            state.elr,
            state.last_known_elr,
            state.offline,
        )
        for index, state in enumerate(call.world.topics.partitions(topic, part.begin, part.end), part.begin)
    ]


def _past_the_end(cursor: paging.Cursor, limit: int, listing: Nested, call: Call) -> Any:
    """The row, without partitions, of the cursor's topic if the cursor is beyond its partitions; None otherwise."""
    name, index = cursor
    topic = call.world.topics.get(name)
    position = listing.holders.at(name)
    visible = position < len(listing.holders) and listing.holders[position] == name
    is_past = topic is not None and (index >= topic.partitions or index + limit >= _BEYOND)
    return _topic(topic, [], call) if topic is not None and visible and is_past else None


def _topic(topic: Topic, rows: list[tuple[Any, ...]], call: Call) -> Any:
    return _TOPIC(
        error_code=0,
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.is_internal,
        partitions=rows,
        topic_authorized_operations=_operations(topic.name, call),
    )


def _operations(name: str, call: Call) -> int:
    """The authorized operations as a bit field, whether or not the topic exists."""
    return sum(1 << bit for bit in call.world.access.operations(Resource.TOPIC, name))


def _failed(name: str, code: int, operations: int = UNKNOWN_OPERATIONS) -> Any:
    return _TOPIC(
        error_code=code,
        name=name,
        topic_id=NO_ID,
        is_internal=False,
        partitions=[],
        topic_authorized_operations=operations,
    )


def _refuse(request: Any, _call: Call, code: int) -> Any:
    """The response has no code at the top: every name has the code, as often as the request names it."""
    return _response([_failed(topic.name, code) for topic in request.topics], None)


def _response(topics: list[Any], follows: paging.Cursor | None) -> Any:
    cursor = cursor_of(DescribeTopicPartitionsResponse, follows)
    return DescribeTopicPartitionsResponse(throttle_time_ms=0, topics=topics, next_cursor=cursor)


DESCRIBE_TOPIC_PARTITIONS = Handler(
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    {"3.9": (0, 0)},
    _answer,
    limit=_limit,
)
