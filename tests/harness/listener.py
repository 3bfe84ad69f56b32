"""A server on loopback for some seconds of a test: it accepts, serves each connection in a thread, and hangs up."""

import contextlib
import socket
import threading
from typing import Self


class Listener:
    """`with` it: it listens on a free port. What it does with a connection is its own `_serve`.

    connections  how many were accepted
    """

    connections: int = 0

    def __enter__(self) -> Self:
        """Listen."""
        self._server = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._begin(self._accept)
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop listening and hang up.

        A thread that waits in accept or recv is not woken by close, and one in accept keeps a descriptor for what
        it hopes for: a thousand of them, and Spark's select() fails on the next.
        """
        self._hang_up(self._server)
        for sock in (self._server, *self._sockets):
            self._hang_up(sock)
            sock.close()
        for thread in self._threads:
            thread.join(10)
        for sock in self._sockets:  # a thread may have begun with one meanwhile
            sock.close()

    @property
    def port(self) -> int:
        """Where it listens, on loopback."""
        return int(self._server.getsockname()[1])

    @property
    def address(self) -> str:
        """Where it listens, as host:port."""
        return f"127.0.0.1:{self.port}"

    def _serve(self, sock: socket.socket) -> None:
        """What is done with a connection, in a thread of its own; OSError says that it is over."""
        raise NotImplementedError

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
        with contextlib.suppress(OSError):  # the client hung up, or a handshake failed
            self._serve(sock)

    @staticmethod
    def _hang_up(sock: socket.socket) -> None:
        with contextlib.suppress(OSError):  # hung up already
            sock.shutdown(socket.SHUT_RDWR)
