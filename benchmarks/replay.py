"""Our side alone: what an emulated broker answered to our own client, replayed by a loopback server of its own.

`Replay(rpc, paging, items)` serves one RPC in one way: pages of 2,000 items with a cursor each, the
same answer for every window, or one whole answer. Every window holds the same items, since what is
measured is fetching, decoding and making Arrow columns. Run as a module
(`python -m benchmarks.replay RPC PAGING ITEMS WINDOW`) it prints its port and serves until killed.
"""

import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from threading import Event
from typing import Any, Self
from unittest.mock import patch

from emulator.asking import cluster, serving, walk
from harness.listener import Listener
from harness.standin import framed, read_exactly
from kafka_census.kafka.paging.page import Chain
from kafka_census.kafka.paging.rpc import partition_key
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_census.kafka.rpc.describe_configs import TOPIC_KEYS
from kafka_emulator.replies import Reply
from kafka_messages import ApiVersionsRequest, ApiVersionsResponse
from kafka_messages.kip_1062 import DescribeConfigsResponse

PER_KEY = 4
"""Offsets per group, members per group, producers per partition."""

CONFIGS = len(TOPIC_KEYS)
"""Configs of a topic that a census asks for."""

_TOPIC, _GROUP = "orders", "group-{:06}"

Sections = dict[str, Any]


@dataclass(frozen=True)
class Keyed:
    """Keys, and a cluster in which each of `keys` keys has `per_key` items.

    is_cut  whether a page may end inside a key: by cursor, all items are then those of one key
    """

    key: Callable[[int], str]
    world: Callable[[int, int], Sections]
    per_key: int = PER_KEY
    is_cut: bool = True


@dataclass(frozen=True)
class Shape:
    """What an RPC is asked for: everything, in a cluster with that many items, or keys."""

    scope: str
    world: Callable[[int], Sections] = lambda _items: {}
    keyed: Keyed | None = None


def _topics(partitions: int, per_topic: int = 50, **more: int) -> Sections:
    return {"topics": {"partitions": partitions, "partitions_per_topic": per_topic, **more}}


def _moving(items: int) -> Sections:
    return {"brokers": {"count": 3}, **_topics(items, reassigning=items)}


def _topic(**of: Any) -> Sections:
    return {"topics": {"partitions": 0, "declared": [{"name": _TOPIC, **of}]}}


def _groups(kind: str, keys: int, members: int) -> Sections:
    held = {"type": kind, "topics": [_TOPIC], "members": members, "offsets": []}
    declared = [{"id": _GROUP.format(n), **held} for n in range(keys)]
    return {**_topic(partitions=PER_KEY), "groups": {"count": 0, "declared": declared}}


def _offsets(keys: int, offsets: int) -> Sections:
    declared = [{"id": _GROUP.format(n), "topics": [_TOPIC]} for n in range(keys)]
    return {**_topic(partitions=offsets), "groups": {"count": 0, "declared": declared}}


def _described(kind: str) -> Shape:
    return Shape("groups", keyed=Keyed(_GROUP.format, lambda keys, members: _groups(kind, keys, members)))


def _partition(n: int) -> str:
    return partition_key(_TOPIC, n)


SHAPES = {
    "OffsetFetch": Shape("groups", keyed=Keyed(_GROUP.format, _offsets)),
    "ListOffsets": Shape(
        "latest", keyed=Keyed(_partition, lambda keys, _: _topic(partitions=keys), per_key=1, is_cut=False)
    ),
    "DescribeProducers": Shape(
        "partitions", keyed=Keyed(_partition, lambda keys, producers: _topic(partitions=keys, producers=producers))
    ),
    "DescribeTransactions": Shape(
        "transactional_ids",
        keyed=Keyed(
            "transaction-{:07}".format, lambda keys, _: {"transactions": {"count": keys}}, per_key=1, is_cut=False
        ),
    ),
    "DescribeGroups": _described("classic"),
    "ConsumerGroupDescribe": _described("consumer"),
    "DescribeConfigs": Shape(
        "topics",
        keyed=Keyed("topic-{:05}".format, lambda keys, _: _topics(keys, per_topic=1), per_key=CONFIGS, is_cut=False),
    ),
    "ListGroups": Shape("groups", lambda items: {"groups": {"count": items}}),
    "ListTransactions": Shape("transactions", lambda items: {"transactions": {"count": items}}),
    "DescribeLogDirs": Shape("log_dirs", _topics),
    "ListPartitionReassignments": Shape("cluster", _moving),
    "DescribeAcls": Shape("acls", lambda items: {"security": {"generated_acls": items}}),
    "Metadata": Shape("names", lambda items: _topics(items, per_topic=1)),
    "DescribeTopicPartitions": Shape("topics", _topics),
}
"""The RPCs of KIP-1062, and the one whose cursor is real."""

TOPIC_PARTITIONS = "DescribeTopicPartitions"


def ways(rpc: str) -> tuple[str, ...]:
    """How an RPC is paged: by cursor, and how it is without one."""
    if rpc == TOPIC_PARTITIONS:
        return ("cursor",)
    return "cursor", ("window" if SHAPES[rpc].keyed else "whole")


def scope(rpc: str) -> str:
    """The scope of its walk."""
    return SHAPES[rpc].scope


def window_of(rpc: str) -> int:
    """The number of keys in one of its windows, by default."""
    return rpc_named(rpc, scope(rpc)).window_size(CollectSettings())


def chains(rpc: str, paging: str, items: int, endpoint: Endpoint, window: int) -> Iterator[Chain]:
    """What a plan would ask of the server for at least that many items."""
    keys, held = _asked(rpc, paging, items, window)
    for number in range(-(-items // held)):
        yield Chain(1, f"chain-{number}", endpoint, keys)


def _asked(rpc: str, paging: str, items: int, window: int) -> tuple[tuple[str, ...], int]:
    """The keys of a chain, and how many items it brings."""
    keyed = SHAPES[rpc].keyed
    if keyed is None:
        return (), items
    if paging == "cursor" and keyed.is_cut:
        return (keyed.key(0),), items
    return tuple(keyed.key(n) for n in range(window)), window * keyed.per_key


def _world(rpc: str, keys: tuple[str, ...], items: int) -> Sections:
    shape = SHAPES[rpc]
    nothing: Sections = {"topics": {"partitions": 0}, "groups": {"count": 0}, "transactions": {"count": 0}}
    held = shape.keyed.world(len(keys), items // len(keys)) if shape.keyed else shape.world(items)
    return {"brokers": {"count": 1}, **nothing, **held}


@dataclass(frozen=True)
class Answers:
    """The frames of one chain, of an API at a version; `features` are those without which it is not asked."""

    api_key: int
    version: int
    features: tuple[str, ...]
    frames: tuple[bytes, ...]


def answers(rpc: str, paging: str, items: int, window: int) -> Answers:
    """What an emulated broker answers to one chain of our own client."""
    keys, held = _asked(rpc, paging, items, window)
    server = cluster(kip_1062=paging == "cursor", **_world(rpc, keys, held))
    kept: list[tuple[int, int, bytes]] = []
    answer = server.answer

    def keeping(broker: int, listener: str, frame: bytes) -> Reply:
        reply = answer(broker, listener, frame)
        api_key, version = struct.unpack_from(">hh", frame)
        kept.append((api_key, version, reply.frame or b""))
        return reply

    with patch.object(server, "answer", keeping), serving(server):
        (*_, page) = walk(server, rpc, scope(rpc), keys=keys, collect=CollectSettings(pages_per_wave=10_000))
    way = next(
        api
        for api in rpc_named(rpc, scope(rpc)).apis
        if api.paging == page.paging and api.min_version <= page.api_version <= api.max_version
    )
    asked = way.request.API_KEY, page.api_version
    return Answers(*asked, way.features, tuple(frame for *of, frame in kept if tuple(of) == asked))


@dataclass
class Replayer(Listener):
    """The server: each connection gets the frames in their order, over and over."""

    kept: Answers

    def _serve(self, sock: socket.socket) -> None:
        with sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            frames = cycle(self.kept.frames)
            while (head := read_exactly(sock, 4)) and (frame := read_exactly(sock, struct.unpack(">i", head)[0])):
                api_key, version, correlation_id = struct.unpack(">hhi", frame[:8])
                if api_key == ApiVersionsRequest.API_KEY:
                    sock.sendall(framed(self._offered(min(version, 3)), correlation_id))
                elif (api_key, version) == (self.kept.api_key, self.kept.version):
                    page = next(frames)
                    sock.sendall(page[:4] + struct.pack(">i", correlation_id))
                    sock.sendall(memoryview(page)[8:])
                else:  # DescribeConfigs, for the limit of a page
                    nothing = DescribeConfigsResponse(throttle_time_ms=0, results=[])
                    sock.sendall(framed(nothing, correlation_id, version))

    def _offered(self, version: int) -> Any:
        one, feature = ApiVersionsResponse.ApiVersion, ApiVersionsResponse.SupportedFeatureKey
        features = [feature(name=name, min_version=1, max_version=1) for name in self.kept.features]
        return ApiVersionsResponse(
            version=version,
            error_code=0,
            api_keys=[one(api_key=self.kept.api_key, min_version=0, max_version=self.kept.version)],
            **({"supported_features": features} if features else {}),
        )


class Replay:
    """The server, in a process of its own while the block runs."""

    def __init__(self, rpc: str, paging: str, items: int, window: int) -> None:
        """Builds nothing here."""
        self._command = [sys.executable, "-m", "benchmarks.replay", rpc, paging, str(items), str(window)]

    def __enter__(self) -> Self:
        """Wait until it has its frames."""
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


if __name__ == "__main__":
    with Replayer(answers(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))) as server:
        print(server.port, flush=True)
        Event().wait()
