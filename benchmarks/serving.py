"""What the emulator serves by itself: requests as our client makes them, answered in this process and not read.

Reading the request, finding the page, its rows and their encoding count, no socket and no client. A page has at most
2,000 items, named keys come 500 a request, as a census asks; what is made once, at the first request, is apart.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from benchmarks.common import table
from kafka_census.kafka.paging.rpc import Api, Ask, partition_key
from kafka_census.kafka.rpc import rpc
from kafka_emulator.__main__ import keep_still, server_of
from kafka_emulator.scenario import Scenario
from kafka_emulator.server import Server
from kafka_emulator.world import World

LIMIT, WINDOW = 2000, 500
ENOUGH = 200_000
BROKER, LISTENER = 1, "PLAINTEXT"
SIZE = 4
"""Bytes in front of a frame that say how long it is."""


def _rows(api: Api, ask: Ask, response: Any) -> int:
    return sum(1 for _ in api.rows(response, ask))


def _partitions(_api: Api, _ask: Ask, response: Any) -> int:
    """Metadata's limit counts partitions, our rows are topics."""
    return sum(len(topic.partitions) for topic in response.topics)


def _resources(_api: Api, _ask: Ask, response: Any) -> int:
    """DescribeConfigs' limit counts resources, our rows are their keys."""
    return len(response.results)


def _led(world: World) -> Iterator[str]:
    partitions = world.topics.partitions()
    return (partition_key(one.name, at) for one, at in partitions if world.topics.partition(one, at).leader == BROKER)


def _groups(world: World) -> Iterator[str]:
    return iter(world.groups_of(BROKER))


@dataclass(frozen=True)
class Load:
    """An RPC, a world in which one broker has items enough, the keys by which they are asked for, and their count."""

    rpc: str
    scope: str
    sections: dict[str, dict[str, Any]]
    keys: Callable[[World], Iterator[str]] | None = None
    count: Callable[[Api, Ask, Any], int] = _rows


TOPICS = {"partitions": 700_000, "partitions_per_topic": 20}
GROUPS = {"count": 70_000, "members_at_most": 40}
LOADS = (
    Load("Metadata", "names", {"topics": TOPICS}, count=_partitions),
    Load("DescribeTopicPartitions", "topics", {"topics": TOPICS}),
    Load(
        "DescribeConfigs",
        "topics",
        {"topics": {"partitions": 200_000, "partitions_per_topic": 1}},
        lambda world: iter(world.topics.names),
        _resources,
    ),
    Load("ListPartitionReassignments", "cluster", {"topics": TOPICS | {"reassigning": 200_000}}),
    Load("DescribeLogDirs", "log_dirs", {"topics": TOPICS}),
    Load("ListGroups", "groups", {"groups": {"count": 700_000}}),
    Load("DescribeGroups", "groups", {"groups": {**GROUPS, "types": ["classic"]}}, _groups),
    Load("ConsumerGroupDescribe", "groups", {"groups": {**GROUPS, "types": ["consumer"]}}, _groups),
    Load(
        "OffsetFetch",
        "groups",
        {"groups": {"count": 40_000, "types": ["classic"]}, "topics": {"partitions_per_topic": 20}},
        _groups,
    ),
    Load("ListOffsets", "latest", {"topics": TOPICS}, _led),
    Load("ListTransactions", "transactions", {"transactions": {"count": 700_000}}),
    Load(
        "DescribeTransactions",
        "transactional_ids",
        {"transactions": {"count": 700_000}},
        lambda world: iter(world.transactions_of(BROKER)),
    ),
    Load("DescribeProducers", "partitions", {"topics": TOPICS | {"producers_per_partition": 40}}, _led),
    Load("DescribeAcls", "acls", {"security": {"generated_acls": 200_000}}),
)


def main() -> None:
    """A row per RPC."""
    rows: list[list[object]] = []
    for load in LOADS:
        run = served(load)
        rate = int(run.items / run.seconds)
        rows.append([load.rpc, run.pages, run.items, run.seconds, rate, run.size // run.items])
    table(
        "The emulator's own serving, one process, CPU seconds",
        ["rpc", "pages", "items", "s", "items/s", "bytes per item"],
        rows,
    )


@dataclass
class Run:
    """What was served; `size` in bytes."""

    pages: int = 0
    items: int = 0
    size: int = 0
    seconds: float = 0.0


def served(load: Load) -> Run:
    """Walk until there were items enough, or all."""
    server = server_of(Scenario.model_validate(load.sections))
    server.world.brokers.listens(BROKER, LISTENER, 1)
    api = next(one for one in rpc(load.rpc, load.scope).apis if one.paging == "cursor")
    _answer(server, api, Ask((), None, LIMIT))
    keep_still()
    run = Run()
    for window in _windows(load, server.world):
        ask: Ask | None = Ask(window, None, LIMIT)
        while ask is not None and run.items < ENOUGH:
            frame, seconds = _answer(server, api, ask)
            response = _decoded(server, api, frame)
            run.pages, run.size, run.seconds = run.pages + 1, run.size + len(frame), run.seconds + seconds
            run.items += load.count(api, ask, response)
            follows = api.next_cursor(response)
            ask = None if follows is None else Ask(window, follows, LIMIT)
    return run


def _windows(load: Load, world: World) -> Iterator[tuple[str, ...]]:
    if load.keys is None:
        yield ()
        return
    keys = load.keys(world)
    while window := tuple(islice(keys, WINDOW)):
        yield window


def _answer(server: Server, api: Api, ask: Ask) -> tuple[bytes, float]:
    """A frame, and the CPU seconds that it took."""
    request = api.build(api.max_version, ask)
    request.with_header(correlation_id=1)
    frame = bytes(request.encode(header=True))
    began = time.process_time()
    reply = server.answer(BROKER, LISTENER, frame)
    seconds = time.process_time() - began
    if reply.frame is None:
        raise RuntimeError(f"{api.name}: no answer")
    return reply.frame, seconds


def _decoded(server: Server, api: Api, frame: bytes) -> Any:
    handler = next(one for one in server.handlers if one.request.API_KEY == api.request.API_KEY)
    return handler.response.decode(frame[SIZE:], version=api.max_version, header=True)
