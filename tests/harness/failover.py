"""One address that leads to one cluster and later to another, as a VIP or a DNS name does that fails over.

    with Failover("127.0.0.1:9092", "127.0.0.1:9192", after=1) as front:
        ClusterSettings("prod", (front.address,))

The first `after` connections lead to the first server, all later ones to the second; `fail_over()` switches
at once. Bytes pass unchanged, so that the servers may be stand-ins or real brokers.
"""

import contextlib
import socket
import threading
from dataclasses import dataclass, field
from typing import Self

from kafka_census.protocol.connection import Endpoint

_PIECE = 1 << 16


@dataclass
class Failover:
    """The address. `connections` counts those that were accepted."""

    first: str
    second: str
    after: int | None = None
    node_id: int = 1
    connections: int = 0
    _sockets: list[socket.socket] = field(default_factory=list)

    def __enter__(self) -> Self:
        """Listen."""
        self._server = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop listening and hang up."""
        for sock in (self._server, *self._sockets):
            with contextlib.suppress(OSError):  # hung up already
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
        for thread in self._threads:
            thread.join(10)

    @property
    def endpoint(self) -> Endpoint:
        """Where it listens."""
        return Endpoint(self.node_id, "127.0.0.1", self._server.getsockname()[1])

    @property
    def address(self) -> str:
        """Where it listens, as host:port."""
        return f"{self.endpoint.host}:{self.endpoint.port}"

    def fail_over(self) -> None:
        """Lead to the second server from now on; open connections are cut, as by a load balancer."""
        self.after = self.connections
        for sock in self._sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            self.connections += 1
            leads_on = self.after is not None and self.connections > self.after
            host, _, port = (self.second if leads_on else self.first).rpartition(":")
            try:
                server = socket.create_connection((host, int(port)), timeout=10)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            self._sockets += [client, server]
            for source, sink in ((client, server), (server, client)):
                self._threads.append(threading.Thread(target=_copy, args=(source, sink), daemon=True))
                self._threads[-1].start()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    """Pass bytes on until either side ends; then both do."""
    with contextlib.suppress(OSError):
        while data := source.recv(_PIECE):
            sink.sendall(data)
    for sock in (source, sink):
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
