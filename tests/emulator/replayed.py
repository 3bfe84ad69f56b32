"""Kept frames as what a broker answers: our own client reads them, and no socket is between."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from kafka import errors as kafka_errors
from kafka.net.selector import NetworkSelector

from golden.kept import Frame, codec, load
from kafka_census.clock import Clock
from kafka_census.paging.nodes import Nodes
from kafka_census.paging.page import Chain, Page
from kafka_census.paging.pager import Pager
from kafka_census.paging.rpc import Ask, Rpc
from kafka_census.protocol.connection import Connection
from kafka_census.protocol.endpoint import Endpoint
from kafka_census.protocol.kafka_connection import FrameParser
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.rpc import RPCS
from kafka_census.tables.walks import walk_named

_ENDPOINT = Endpoint(1, "golden", 1)
_SIZE, _CORRELATION_ID = 4, 4

Change = Callable[[bytes], bytes]
"""What becomes of an answer, its size in front."""


@dataclass(frozen=True)
class Replay:
    """A kept answer and a walk that reads it."""

    frame: Frame
    rpc: Rpc
    keys: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.frame} as {self.rpc.name} of {self.rpc.scope}"

    def walk(self, net: NetworkSelector, collect: CollectSettings, change: Change) -> list[Page]:
        """The pages of a walk to a node that answers everything with this frame, changed."""
        cluster = ClusterSettings("golden", ())
        nodes = Nodes(net, cluster, collect)
        nodes._connections[_ENDPOINT] = _Replayed(net, _ENDPOINT, cluster, collect, _Peer(self.frame, change))
        pages: list[Page] = []

        async def emit(page: Page) -> None:
            pages.append(page)

        pager = Pager(net, self.rpc, walk_named(self.rpc.name, self.rpc.scope).lookup, nodes, collect, Clock(), emit)
        net.run(pager.walk, Chain(1, "chain", _ENDPOINT, self.keys))
        return pages


def replays() -> Iterator[Replay]:
    """Every kept answer of every walk that may get it."""
    for frame in load():
        for rpc in RPCS if frame.kind == "response" else ():
            for api in rpc.apis:
                if api.name == frame.api and api.min_version <= frame.version <= api.max_version and not api.features:
                    yield Replay(frame, rpc, _keys(frame, rpc, api))


def _keys(frame: Frame, rpc: Rpc, api: Any) -> tuple[str, ...]:
    """The keys that a frame answers, none for a walk of everything."""
    walk = walk_named(rpc.name, rpc.scope)
    if walk.keys is None:
        return ("1",) if walk.scope == "brokers" else ()
    response = codec(frame.message).decode(frame.bytes, version=frame.version, header=True)
    rows = api.rows(response, Ask(("key",), None, 1))
    return tuple(sorted({str(api.key(row)) for row in rows})) or ("key/0",)


@dataclass
class _Peer:
    """An open connection of kafka-python's, as far as `Connection` knows it."""

    frame: Frame
    change: Change
    connected: bool = True
    closed: bool = False
    parser: Any = field(default_factory=lambda: FrameParser(client_id="golden"))

    @property
    def broker_version_data(self) -> Any:
        version = self.frame.version
        return SimpleNamespace(api_versions={codec(self.frame.message).API_KEY: (version, version)})

    async def send_request(self, request: Any, request_timeout_ms: float) -> Any:
        assert request_timeout_ms > 0
        correlation_id = self.parser.send_request(request).to_bytes(_CORRELATION_ID)
        answer = correlation_id + self.frame.bytes[_CORRELATION_ID:]
        try:
            ((_, response),) = self.parser.receive_bytes(self.change(len(answer).to_bytes(_SIZE) + answer))
        except kafka_errors.KafkaError:
            self.parser = FrameParser(client_id="golden")
            raise
        return response

    def close(self) -> None:
        """It is opened again as it was."""


class _Replayed(Connection):
    """A connection that is always open, to its peer."""

    def __init__(
        self,
        net: NetworkSelector,
        endpoint: Endpoint,
        cluster: ClusterSettings,
        collect: CollectSettings,
        peer: _Peer,
    ) -> None:
        super().__init__(net, endpoint, cluster, collect)
        self._peer = peer

    async def _open(self) -> Any:
        return self._peer
