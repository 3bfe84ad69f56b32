"""Our side alone: frames that were built beforehand, replayed by a loopback server in a process of its own.

`Replay(rpc, paging, items)` serves one RPC in one way: pages of 2,000 items with a cursor each, the
same answer for every window, or one whole answer. Pages follow each other, as our side makes
sure of; every window holds the same items, since what is measured is fetching, decoding and
making Arrow columns. Run as a module
(`python -m benchmarks.replay RPC PAGING ITEMS`) it prints its port and serves until killed.
"""

import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

from kafka.protocol.admin import DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse
from kafka.protocol.metadata import ApiVersionsRequest, ApiVersionsResponse

from harness.paging_broker import PAGINATION, Item, Paged
from harness.paging_groups import (
    CONSUMER_GROUP_DESCRIBE,
    DESCRIBE_GROUPS,
    DESCRIBE_TRANSACTIONS,
    LIST_GROUPS,
    LIST_TRANSACTIONS,
    OFFSET_FETCH,
)
from harness.paging_rpcs import (
    DESCRIBE_ACLS,
    DESCRIBE_CONFIGS,
    DESCRIBE_LOG_DIRS,
    DESCRIBE_PRODUCERS,
    LIST_OFFSETS,
    LIST_PARTITION_REASSIGNMENTS,
    METADATA,
)
from harness.responses import described_topic
from harness.standin import framed, read_exactly
from kafka_census.paging.page import Chain
from kafka_census.paging.rpc import partition_key
from kafka_census.protocol.connection import Endpoint
from kafka_census.rpc import rpc as rpc_named
from kafka_messages.kip_1062 import DescribeConfigsResponse

PAGE = 2000
PER_KEY = 4
"""Offsets a group, members a group, producers a partition."""


@dataclass(frozen=True)
class Shape:
    """How an RPC's items look: `item(n)` is the nth, `key(n)` the key that it answers; how many share a key."""

    scope: str
    paged: Paged
    item: Callable[[int], Item]
    key: Callable[[int], str] | None = None
    per_key: int = 1


def _partition(n: int) -> tuple[str, int]:
    return f"topic-{n // 50:05}", n % 50


SHAPES = {
    "OffsetFetch": Shape(
        "groups",
        OFFSET_FETCH,
        lambda n: Item((f"group-{n // PER_KEY:06}", "orders", n % PER_KEY)),
        lambda n: f"group-{n:06}",
        PER_KEY,
    ),
    "ListOffsets": Shape(
        "latest", LIST_OFFSETS, lambda n: Item(_partition(n)), lambda n: partition_key(*_partition(n))
    ),
    "DescribeProducers": Shape(
        "partitions",
        DESCRIBE_PRODUCERS,
        lambda n: Item((*_partition(n // PER_KEY), 10**6 - n)),
        lambda n: partition_key(*_partition(n)),
        PER_KEY,
    ),
    "DescribeTransactions": Shape(
        "transactional_ids",
        DESCRIBE_TRANSACTIONS,
        lambda n: Item((f"id-{n:06}", 10**6 - n), of=(("orders", (0,)),)),
        lambda n: f"id-{n:06}",
    ),
    "DescribeGroups": Shape(
        "groups",
        DESCRIBE_GROUPS,
        lambda n: Item((f"group-{n // PER_KEY:06}", f"member-{n:08}")),
        lambda n: f"group-{n:06}",
        PER_KEY,
    ),
    "ConsumerGroupDescribe": Shape(
        "groups",
        CONSUMER_GROUP_DESCRIBE,
        lambda n: Item((f"group-{n // PER_KEY:06}", f"member-{n:08}")),
        lambda n: f"group-{n:06}",
        PER_KEY,
    ),
    "DescribeConfigs": Shape(
        "topics",
        DESCRIBE_CONFIGS,
        lambda n: Item((f"topic-{n:06}", 2), of=(("min.insync.replicas", "2"),)),
        lambda n: f"topic-{n:06}",
    ),
    "ListGroups": Shape("groups", LIST_GROUPS, lambda n: Item((f"group-{n:06}",))),
    "ListTransactions": Shape("transactions", LIST_TRANSACTIONS, lambda n: Item((f"id-{n:06}", 10**6 - n))),
    "DescribeLogDirs": Shape("log_dirs", DESCRIBE_LOG_DIRS, lambda n: Item((*_partition(n), "/data"))),
    "ListPartitionReassignments": Shape("cluster", LIST_PARTITION_REASSIGNMENTS, lambda n: Item(_partition(n))),
    "DescribeAcls": Shape("acls", DESCRIBE_ACLS, lambda n: Item((f"topic-{n:06}", 2, 3), of=("User:a",))),
    "Metadata": Shape("names", METADATA, lambda n: Item((f"topic-{n:06}", 0))),
}
"""The RPCs of KIP-1062; DescribeTopicPartitions is apart, as its cursor is real."""

TOPIC_PARTITIONS = "DescribeTopicPartitions"


def ways(rpc: str) -> tuple[str, ...]:
    """How an RPC is paged: by cursor, and how it is without one."""
    if rpc == TOPIC_PARTITIONS:
        return ("cursor",)
    return "cursor", ("window" if SHAPES[rpc].key else "whole")


def scope(rpc: str) -> str:
    """The scope of its walk."""
    return "topics" if rpc == TOPIC_PARTITIONS else SHAPES[rpc].scope


def in_windows(name: str, paging: str) -> bool:
    """Whether each page answers the keys of one window; of keys that are answered as a whole, also by cursor."""
    return (
        name != TOPIC_PARTITIONS and SHAPES[name].key is not None and (paging == "window" or SHAPES[name].per_key == 1)
    )


def is_proven(name: str) -> bool:
    """Whether our side asks for the first item alone, too, to prove a page that no cursor names."""
    api = next(api for api in rpc_named(name, scope(name)).apis if api.paging == "cursor")
    shape = SHAPES[name]
    return any(True for _ in api.places(shape.paged.answer([shape.item(0)])))


def version(name: str, paging: str) -> int:
    """The version in which that way is spoken."""
    if paging == "cursor" and name != TOPIC_PARTITIONS:
        return SHAPES[name].paged.since
    return max(
        api.max_version for api in rpc_named(name, scope(name)).apis if api.paging == paging and not api.features
    )


def chains(rpc: str, paging: str, items: int, endpoint: Endpoint, window: int) -> Iterator[Chain]:
    """What a plan would ask of the server for that many items."""
    key = str if rpc == TOPIC_PARTITIONS else SHAPES[rpc].key
    if key is None or not in_windows(rpc, paging):
        yield Chain(1, "chain", endpoint, (key(0),) if key else ())
        return
    shape = SHAPES[rpc]
    keys = tuple(key(n) for n in range(window))
    for start in range(0, items // shape.per_key, window):
        yield Chain(1, f"chain-{start}", endpoint, keys)


def frames(rpc: str, paging: str, items: int, window: int) -> Iterator[bytes]:
    """The answers, in order; each window is given the same."""
    if rpc == TOPIC_PARTITIONS:
        for start in range(0, items, PAGE):
            end = start + PAGE
            follows = DescribeTopicPartitionsResponse.Cursor(topic_name="t", partition_index=end)
            yield framed(
                DescribeTopicPartitionsResponse(
                    throttle_time_ms=0,
                    topics=[described_topic("t", range(start, end))],
                    next_cursor=None if end >= items else follows,
                ),
                0,
                0,
            )
        return
    shape = SHAPES[rpc]

    def page(start: int, end: int, *, is_last: bool) -> bytes:
        response = shape.paged.answer([shape.item(n) for n in range(start, end)])
        if not is_last:
            follows = dict(zip(response.Cursor.fields, shape.item(end).place, strict=True))
            response.next_cursor = response.Cursor(**follows)
        return framed(response, 0, version(rpc, paging))

    size = PAGE
    if paging == "whole" or in_windows(rpc, paging):
        size = items = items if paging == "whole" else window * shape.per_key
    yield page(0, size, is_last=size >= items)
    if paging == "cursor" and is_proven(rpc):
        yield page(0, 1, is_last=False)
    for start in range(size, items, size):
        yield page(start, start + size, is_last=start + size >= items)


class Replay:
    """The server, in a process of its own while the block runs."""

    def __init__(self, rpc: str, paging: str, items: int, window: int) -> None:
        """Builds nothing here."""
        self._command = [sys.executable, "-m", "benchmarks.replay", rpc, paging, str(items), str(window)]

    def __enter__(self) -> Self:
        """Wait until its frames are built."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        if self._process.stdout is None:
            raise RuntimeError("the server has no output")
        self.endpoint = Endpoint(1, "127.0.0.1", int(self._process.stdout.readline()))
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop it."""
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def serve(rpc: str, paging: str, items: int, window: int) -> None:
    """Print the port; give each connection the frames in their order, over and over."""
    built = list(frames(rpc, paging, items, window))
    request = DescribeTopicPartitionsRequest if rpc == TOPIC_PARTITIONS else SHAPES[rpc].paged.request
    key = ApiVersionsResponse.ApiVersion
    offered = [key(api_key=request.API_KEY, min_version=0, max_version=request.max_version)]
    feature = ApiVersionsResponse.SupportedFeatureKey(name=PAGINATION, min_version=1, max_version=1)
    features = {"supported_features": [feature]} if paging == "cursor" and rpc != TOPIC_PARTITIONS else {}
    server = socket.create_server(("127.0.0.1", 0))
    print(server.getsockname()[1], flush=True)
    while True:
        sock, _ = server.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        given = 0
        while (head := read_exactly(sock, 4)) and (frame := read_exactly(sock, struct.unpack(">i", head)[0])):
            api_key, asked, correlation_id = struct.unpack(">hhi", frame[:8])
            if api_key == ApiVersionsRequest.API_KEY:
                answer = ApiVersionsResponse(version=min(asked, 3), error_code=0, api_keys=offered, **features)
                sock.sendall(framed(answer, correlation_id))
                continue
            if (api_key, asked) != (request.API_KEY, version(rpc, paging)):  # DescribeConfigs, for the limit of a page
                sock.sendall(framed(DescribeConfigsResponse(throttle_time_ms=0, results=[]), correlation_id, asked))
                continue
            page = built[given % len(built)]
            sock.sendall(page[:4] + struct.pack(">i", correlation_id))
            sock.sendall(memoryview(page)[8:])
            given += 1


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
