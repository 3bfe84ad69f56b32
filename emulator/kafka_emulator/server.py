"""The brokers on loopback: frames in, frames out, in Kafka's real protocol.

One asyncio loop serves all brokers; a connection's requests are answered one after the other. A
version that is not offered closes the connection, as in Kafka; only ApiVersions is answered.
While a broker is stopped nothing listens on its ports; the ports stay reserved for its restart.
"""

import asyncio
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kafka_emulator.brokers import HOST
from kafka_emulator.call import Call
from kafka_emulator.changes import change
from kafka_emulator.faults import Faults
from kafka_emulator.features import Speaks
from kafka_emulator.handlers import HANDLERS
from kafka_emulator.handlers.api_versions import API_VERSIONS, unsupported
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.replies import HANG_UP, Asked, Reply, asked, framed, respond, sent
from kafka_emulator.requests import read_request
from kafka_emulator.world import World

LARGEST_REQUEST = 100 * 1024 * 1024
"""socket.request.max.bytes."""

_HEADER = 8
"""API key, version and correlation id."""


@dataclass
class Server:
    """All brokers of a world.

    speaks   the version and the features of each broker
    faults   the faults of the scenario
    asked    the number of requests that each broker has received, by broker and API name
    failure  an error of the emulator in a handler or an event, not one of the client
    """

    world: World
    speaks: dict[int, Speaks]
    faults: Faults = field(default_factory=Faults)
    handlers: tuple[Handler, ...] = HANDLERS
    asked: dict[tuple[int, str], int] = field(default_factory=dict)
    failure: BaseException | None = None
    _before: dict[tuple[int, str], Asked] = field(default_factory=dict)
    _loop: asyncio.AbstractEventLoop | None = None
    _bound: dict[tuple[int, str], socket.socket] = field(default_factory=dict)
    _servers: dict[tuple[int, str], asyncio.Server] = field(default_factory=dict)
    _starting: set[asyncio.Task[None]] = field(default_factory=set)
    _connections: dict[int, set[asyncio.Task[None]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Index the handlers by API key."""
        self._by_key = {handler.api_key: handler for handler in self.handlers}
        # Configs do not change, so values that depend on them and on versions are computed once.
        self._offers: dict[Speaks, Mapping[int, tuple[int, int]]] = {}
        self._limits: dict[tuple[int, int, Speaks], int] = {}

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of the brokers that are alive, on the first listener."""
        brokers, first = self.world.brokers, self.world.brokers.listeners[0]
        found = (brokers.reachable(broker, first) for broker in brokers.ids)
        return ",".join(f"{one.host}:{one.port}" for one in found if one)

    async def listen(self) -> None:
        """Reserve the ports of every broker; brokers that are alive listen on them."""
        self._loop = asyncio.get_running_loop()
        brokers = self.world.brokers
        for broker in brokers.ids:
            for listener in (one for one in brokers.listeners if brokers.has(broker, one)):
                self._bound[broker, listener] = reserved = _bound(0)
                brokers.listens(broker, listener, reserved.getsockname()[1])
            await self.start(broker)

    async def start(self, broker: int) -> None:
        """Have a broker that is alive listen on its ports."""
        for key in [key for key in self._bound if key[0] == broker]:
            # The broker may be stopped while it starts: each server is known before it listens.
            if broker in self.world.brokers.alive and key in self._bound:
                self._servers[key] = server = await asyncio.start_server(
                    self._serving(*key), sock=self._bound.pop(key), start_serving=False
                )
                await server.start_serving()

    def listen_again(self, broker: int) -> None:
        """Have a stopped broker listen again, in the next turn of the loop."""
        if self._loop is not None:
            self._starting.add(task := self._loop.create_task(self.start(broker)))
            task.add_done_callback(self._starting.discard)

    def stop(self, broker: int) -> None:
        """Close a broker's connections and its listeners."""
        for key in [key for key in self._servers if key[0] == broker]:
            server = self._servers.pop(key)
            port = server.sockets[0].getsockname()[1]
            server.close()
            self._bound[key] = _bound(port)
        self.hang_up(broker)

    def hang_up(self, broker: int) -> None:
        """Close a broker's connections."""
        for connection in self._connections.pop(broker, set()):
            connection.cancel()

    def close(self) -> None:
        """Stop all brokers and free their ports."""
        for broker in self.world.brokers.ids:
            self.stop(broker)
        while self._bound:
            self._bound.popitem()[1].close()

    def _serving(self, broker: int, listener: str) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        """The callback of a listener: each connection is a task, which `hang_up` ends."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                while await self._one(broker, listener, reader, writer):
                    pass
            except (OSError, asyncio.IncompleteReadError):
                pass  # the client hung up
            except Exception as error:
                self.failure = error
                raise
            finally:
                writer.close()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            tasks = self._connections.setdefault(broker, set())
            tasks.add(task := asyncio.get_running_loop().create_task(serve(reader, writer)))
            task.add_done_callback(tasks.discard)

        return connected

    async def _one(
        self, broker: int, listener: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; false where the connection ends."""
        size = int.from_bytes(await reader.readexactly(4), signed=True)
        if not 0 <= size <= LARGEST_REQUEST:
            return False
        reply = self.answer(broker, listener, await reader.readexactly(size))
        if reply.delay:
            await asyncio.sleep(reply.delay)
        for part in reply.parts():
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(reply.drip)
        if reply.muted:
            # KIP-219: the answer is sent at once, and later requests are not read meanwhile.
            await asyncio.sleep(reply.muted)
        return not reply.hang_up

    def answer(self, broker: int, listener: str, frame: bytes) -> Reply:
        """The reply to one frame."""
        if len(frame) < _HEADER:
            return HANG_UP
        api_key, version, correlation_id = struct.unpack_from(">hhi", frame)
        speaks = self.speaks[broker]
        offers = self._offers_of(speaks)
        lowest, highest = offers.get(api_key, (0, -1))
        if not lowest <= version <= highest:
            return Reply(framed(unsupported(offers), correlation_id, 0)) if api_key == API_VERSIONS.api_key else HANG_UP
        handler = self._by_key[api_key]
        request = read_request(handler.request, frame, version)
        if request is None:
            return HANG_UP
        limit = self._limit_of(handler, broker, speaks)
        call = Call(self.world, broker, listener, speaks, offers, version, handler.pages(speaks, version), limit)
        return self._met(handler, request, call, correlation_id)

    def _offers_of(self, speaks: Speaks) -> Mapping[int, tuple[int, int]]:
        if speaks not in self._offers:
            every = ((key, one.offered(speaks)) for key, one in self._by_key.items())
            self._offers[speaks] = {key: offer for key, offer in every if offer is not None}
        return self._offers[speaks]

    def _limit_of(self, handler: Handler, broker: int, speaks: Speaks) -> int:
        key = handler.api_key, broker, speaks
        if key not in self._limits:
            self._limits[key] = handler.server_limit(self.world.configs, broker, speaks)
        return self._limits[key]

    def _met(self, handler: Handler, request: Any, call: Call, correlation_id: int) -> Reply:
        """The reply to a request, with its faults."""
        key, now = (call.broker, handler.name), asked(request, call)
        number, before = self.asked.get(key, 0), self._before.get(key)
        self.asked[key], self._before[key] = number + 1, now
        due = self.faults.due(handler.name, call.broker, number, has_cursor=now.cursor is not None)
        for fault in due:
            if fault.do.changes_the_cluster:
                self.faults.hit([fault])
                if call.broker in change(self, fault.do, call.broker):
                    return HANG_UP
        actions = {fault.do.name: fault.do for fault in due if not fault.do.changes_the_cluster}
        response, answered = respond(handler, request, call, actions, before)
        reply, done = sent(response, correlation_id, call.version, actions, f"{call.broker}/{handler.name}/{number}")
        self.faults.hit(fault for fault in due if fault.do.name in answered | done)
        return reply

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Call `do` after a delay; at once where nothing listens, as in a test that sends frame by frame."""
        if self._loop is None:
            do()
        else:
            self._loop.call_later(seconds, do)


def _bound(port: int) -> socket.socket:
    """A socket that is bound and does not listen: no other process gets the port; clients are refused. 0: any port."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind((HOST, port))
    return made
