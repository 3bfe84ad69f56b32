"""A counting TCP proxy before every broker: records which broker received which request.

    with CountingProxy() as proxy, KafkaCluster(proxies=proxy) as cluster:
        ...
        proxy.requests

It is in front of the listeners under test (not of INTERNAL, which brokers and the harness
use), reads the header of every request frame and passes all bytes on unchanged. TLS hides the
frames, so only plaintext listeners can be counted.
"""

import socket
import struct
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Lock

from harness.listener import Listener
from harness.processes import LOOPBACK, free_ports
from harness.standin import read_exactly

_HEADER = struct.Struct(">hhih")


@dataclass(frozen=True)
class Request:
    """One request frame. `body` is the part after the client id: equal bodies are equal requests."""

    api_key: int
    client_id: str | None
    at: float
    body: bytes


class CountingProxy(ExitStack):
    """The argument of `KafkaCluster(proxies=...)`. `watch`, if set, is called before each request is passed on."""

    def __init__(self) -> None:
        super().__init__()
        self.watch: Callable[[Request], None] | None = None
        self.requests: list[Request] = []
        self._one_by_one = Lock()

    def __call__(self, _node: int, _listener: str, port: int) -> int:
        """Listen in front of a broker's port; returns the port to advertise instead."""
        address = (LOOPBACK, free_ports(1)[0])
        return self.enter_context(_Front(port, self._count, listens_at=address)).port

    def clear(self) -> None:
        self.requests.clear()

    def _count(self, frame: bytes) -> None:
        key, _, _, length = _HEADER.unpack_from(frame)
        end = _HEADER.size + max(length, 0)
        client = None if length < 0 else frame[_HEADER.size : end].decode()
        request = Request(key, client, time.time(), frame[end:])
        with self._one_by_one:
            self.requests.append(request)
            if self.watch:
                self.watch(request)


@dataclass
class _Front(Listener):
    """The port before a broker's port; each frame is told before it is passed on."""

    behind: int
    tell: Callable[[bytes], None]

    def _serve(self, sock: socket.socket) -> None:
        with sock, socket.create_connection((LOOPBACK, self.behind)) as broker:
            self._sockets.append(broker)
            self._begin(self._pass_on, broker, sock)
            try:
                while (size := read_exactly(sock, 4)) and (frame := read_exactly(sock, int.from_bytes(size))):
                    self.tell(frame)
                    broker.sendall(size + frame)
            finally:
                self._hang_up(broker)
