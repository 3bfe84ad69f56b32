"""A server on loopback for a few seconds of a test: it accepts and serves each connection in a thread, then closes."""

import contextlib
import socket
import ssl
import threading
from dataclasses import dataclass
from typing import Self

from kafka_census.kafka.protocol.endpoint import Endpoint


@dataclass(kw_only=True)
class Listener:
    """A context manager that listens on a free port. Subclasses serve a connection in `_serve`.

    node_id      the broker that it stands for
    secured      a context for TLS; its handshakes may fail
    connections  the number of accepted connections
    listens_at   another address and port
    """

    node_id: int = 1
    secured: ssl.SSLContext | None = None
    connections: int = 0
    listens_at: tuple[str, int] = ("127.0.0.1", 0)

    def __enter__(self) -> Self:
        self._server = socket.create_server(self.listens_at)
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._begin(self._accept)
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop listening and close all connections.

        A thread that waits in accept or recv is not woken by close, and a thread in accept keeps a descriptor open:
        after a thousand of them Spark's select() fails.
        """
        self._hang_up(self._server)
        for sock in (self._server, *self._sockets):
            self._hang_up(sock)
            sock.close()
        for thread in self._threads:
            thread.join(10)
        for sock in self._sockets:  # a thread may use one of them meanwhile
            sock.close()

    @property
    def port(self) -> int:
        return int(self._server.getsockname()[1])

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(self.node_id, "127.0.0.1", self.port)

    def _serve(self, sock: socket.socket) -> None:
        """Serve a connection, in its own thread; OSError ends it."""
        raise NotImplementedError

    def _join(self, one: socket.socket, other: socket.socket) -> None:
        """Pass bytes on in both directions until either side closes; then hang up both."""
        self._sockets.append(other)
        self._begin(self._pass_on, other, one)
        self._pass_on(one, other)

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
        for sock in (source, sink):
            self._hang_up(sock)

    def _begin(self, target: object, *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._server.accept()
            except OSError:
                return
            self.connections += 1
            self._sockets.append(sock)
            self._begin(self._serve_one, sock)

    def _serve_one(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the client closed it, or a handshake failed
            if self.secured is not None:
                sock.settimeout(10)
                sock = self.secured.wrap_socket(sock, server_side=True)
                self._sockets.append(sock)
            self._serve(sock)

    @staticmethod
    def _hang_up(sock: socket.socket) -> None:
        with contextlib.suppress(OSError):  # closed already
            sock.shutdown(socket.SHUT_RDWR)
