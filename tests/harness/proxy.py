"""A counting TCP proxy before every broker: records which broker received which request.

    with CountingProxy() as proxy, KafkaCluster(proxies=proxy) as cluster:
        ...
        proxy.counts()[LIST_GROUPS]

It is in front of the listeners under test (not of INTERNAL, which brokers and the harness
use), reads the header of every request frame and passes all bytes on unchanged. TLS hides the
frames, so only plaintext listeners can be counted. Its event loop runs in a separate thread.
"""

import asyncio
import contextlib
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from harness.processes import LOOPBACK, free_ports

_HEADER = struct.Struct(">hhih")


@dataclass(frozen=True)
class Request:
    """One request frame. `body` is the part after the client id: equal bodies are equal requests."""

    node: int
    listener: str
    api_key: int
    api_version: int
    client_id: str | None
    connection: int
    at: float
    body: bytes


class CountingProxy:
    """The argument of `KafkaCluster(proxies=...)`. `watch`, if set, is called before each request is passed on."""

    def __init__(self, watch: Callable[[Request], None] | None = None) -> None:
        self.watch = watch
        self._requests: list[Request] = []
        self._connections = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="counting-proxy", daemon=True)
        self._servers: list[asyncio.Server] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def __call__(self, node: int, listener: str, port: int) -> int:
        """Listen in front of a broker's port; returns the port to advertise instead."""
        front = free_ports(1)[0]
        asyncio.run_coroutine_threadsafe(self._open(node, listener, port, front), self._loop).result(10)
        return front

    @property
    def requests(self) -> list[Request]:
        return list(self._requests)

    def counts(self, client_id: str | None = None) -> Counter[int]:
        """Requests by API key, of one client id or of all."""
        return Counter(r.api_key for r in self.requests if client_id is None or r.client_id == client_id)

    def clear(self) -> None:
        self._requests.clear()

    async def _open(self, node: int, listener: str, port: int, front: int) -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._serve(node, listener, port, reader, writer)

        self._servers.append(await asyncio.start_server(serve, LOOPBACK, front))

    async def _serve(
        self, node: int, listener: str, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve one client connection: both directions until either side closes; at once if the broker is down."""
        self._connections += 1
        number = self._connections
        try:
            upstream_reader, upstream = await asyncio.open_connection(LOOPBACK, port)
        except OSError:
            writer.close()
            return
        directions = [
            asyncio.create_task(self._count(node, listener, number, reader, upstream)),
            asyncio.create_task(_copy(upstream_reader, writer)),
        ]
        try:
            await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for direction in directions:
                direction.cancel()
            for end in (writer, upstream):
                end.close()

    async def _count(
        self, node: int, listener: str, number: int, reader: asyncio.StreamReader, upstream: asyncio.StreamWriter
    ) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                size = await reader.readexactly(4)
                frame = await reader.readexactly(int.from_bytes(size))
                key, version, _, length = _HEADER.unpack_from(frame)
                end = _HEADER.size + max(length, 0)
                client = None if length < 0 else frame[_HEADER.size : end].decode()
                request = Request(node, listener, key, version, client, number, time.time(), frame[end:])
                self._requests.append(request)
                if self.watch:
                    self.watch(request)
                upstream.write(size + frame)
                await upstream.drain()

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        mine = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not mine]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
