"""Listeners that are none of Kafka's: they answer whatever they are told with the same bytes, or speak first.

with Impostor(HTTP) as server:
    ClusterSettings("prod", (server.address,))
"""

import contextlib
import socket
import ssl
import threading
from dataclasses import dataclass, field
from typing import Self

HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
TLS_ALERT = bytes.fromhex("15030300020246")
SSH = b"SSH-2.0-OpenSSH_9.6\r\n"
SMTP = b"220 mail.example.org ESMTP\r\n"


@dataclass
class Impostor:
    """One listener.

    says     what it answers with; nothing: it hangs up at once
    greets   whether it says so before it is asked
    secured  a context to speak TLS with; its handshakes may fail
    """

    says: bytes = b""
    greets: bool = False
    secured: ssl.SSLContext | None = None
    connections: int = 0
    _sockets: list[socket.socket] = field(default_factory=list)

    def __enter__(self) -> Self:
        """Listen."""
        self._server = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop listening and hang up."""
        for sock in (self._server, *self._sockets):
            with contextlib.suppress(OSError):  # hung up already
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
        self._thread.join(10)

    @property
    def port(self) -> int:
        """Where it listens, on loopback."""
        return int(self._server.getsockname()[1])

    @property
    def address(self) -> str:
        """host:port."""
        return f"127.0.0.1:{self.port}"

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._server.accept()
            except OSError:
                return
            self.connections += 1
            self._sockets.append(sock)
            with contextlib.suppress(OSError):  # a handshake that failed, or a client that hung up
                self._serve(sock)

    def _serve(self, sock: socket.socket) -> None:
        sock.settimeout(10)
        if self.secured is not None:
            sock = self.secured.wrap_socket(sock, server_side=True)
            self._sockets.append(sock)
        if self.greets or sock.recv(1 << 16):
            sock.sendall(self.says)
        if not self.says:
            sock.shutdown(socket.SHUT_RDWR)
