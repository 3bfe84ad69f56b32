"""DescribeLogDirs (API 35; code v3, sizes v4, cordoned v5, KIP-1062 v6): the replicas of this broker by log dir.

Needs DESCRIBE on the cluster: 31 without, below v3 an answer without dirs. An offline dir has code 56, and its
replicas are absent. A replica that moves between dirs has a row in both, one of them future. Null topics are all
topics; unknown topics are absent. Pages are in the order of topic, partition and dir, and name the dirs of their
replicas; dirs without replicas are on the last page. A limit counts replicas.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.log_dirs import TOTAL_BYTES, Replica, Replicas, path
from kafka_emulator.paging import Cursor, Flat, partition_is_possible
from kafka_messages.kip_1062 import DescribeLogDirsRequest, DescribeLogDirsResponse

DENIED, KAFKA_STORAGE_ERROR = 31, 56
USABLE_BYTES = TOTAL_BYTES // 2
UNKNOWN_BYTES = -1


def _answer(request: Any, call: Call) -> Any:
    if not call.world.access.allows(Operation.DESCRIBE, Resource.CLUSTER):
        return _refuse(request, call, DENIED)
    replicas = call.world.replicas_of(call.broker)
    positions = range(len(replicas)) if request.topics is None else _named(request.topics, replicas)

    def at(cursor: Cursor) -> int:
        partition_is_possible(cursor)
        return bisect_left(positions, replicas.at(cursor))

    page = call.page(Flat(len(positions), at, lambda position: replicas.cursor(positions[position])), request)
    dirs = _by_dir(replicas.some(positions[page.begin : page.end]))
    is_last = page.next_cursor is None
    used = _used(call, replicas, positions) if is_last else frozenset()
    paths = [path(number) for number in range(call.world.declared.brokers.log_dirs)]
    offline = {path(number) for number in call.world.offline_dirs(call.broker)}
    return DescribeLogDirsResponse(
        throttle_time_ms=0,
        error_code=0,
        results=[
            _result(one, dirs.get(one, {}), is_offline=one in offline)
            for one in paths
            if one in dirs or (is_last and one not in used)
        ],
        **call.follows(DescribeLogDirsResponse, page),
    )


def _named(topics: Any, replicas: Replicas) -> list[int]:
    """The positions of the replicas that a request names, ascending; a replica that moves has two positions."""
    found: set[int] = set()
    for topic in topics:
        for index in topic.partitions:
            found.update(range(replicas.at((topic.topic, index, "")), replicas.at((topic.topic, index + 1, ""))))
    return sorted(found)


def _used(call: Call, replicas: Replicas, positions: Sequence[int]) -> frozenset[str]:
    """The dirs with a replica on any page: the search ends when all dirs are found, soon where replicas are many."""
    online = call.world.declared.brokers.log_dirs - len(call.world.offline_dirs(call.broker))
    found: set[str] = set()
    for position in positions:
        found.add(replicas.cursor(position)[2])
        if len(found) == online:
            break
    return frozenset(found)


def _by_dir(replicas: Sequence[Replica]) -> dict[str, dict[str, list[Any]]]:
    """Partitions by dir and topic, as the message nests them, each with its fields in the order of the message."""
    dirs: dict[str, dict[str, list[Any]]] = {}
    for one in replicas:
        row = one.partition, one.size, one.offset_lag, one.is_future
        dirs.setdefault(one.log_dir, {}).setdefault(one.topic, []).append(row)
    return dirs


def _result(name: str, topics: dict[str, list[Any]], *, is_offline: bool) -> tuple[Any, ...]:
    """A dir's fields in the order of the message; older versions have only the first fields."""
    code = KAFKA_STORAGE_ERROR if is_offline else 0
    total, usable = (UNKNOWN_BYTES, UNKNOWN_BYTES) if is_offline else (TOTAL_BYTES, USABLE_BYTES)
    return code, name, list(topics.items()), total, usable, False


def _refuse(_request: Any, _call: Call, code: int) -> Any:
    """A refusal has no dirs; below v3 it has no code either."""
    return DescribeLogDirsResponse(throttle_time_ms=0, error_code=code, results=[])


DESCRIBE_LOG_DIRS = Handler(
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    {"2.8": (1, 2), "3.9": (1, 4), "4.3": (1, 5)},
    _answer,
    paged=6,
    refuse=_refuse,
)
