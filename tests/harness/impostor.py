"""Listeners that are not Kafka: they answer every request with the same bytes, or speak first.

with Impostor(HTTP) as server:
    ClusterSettings("prod", (server.address,))
"""

import socket
from dataclasses import dataclass

from harness.listener import Listener

HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
TLS_ALERT = bytes.fromhex("15030300020246")
SSH = b"SSH-2.0-OpenSSH_9.6\r\n"
SMTP = b"220 mail.example.org ESMTP\r\n"


@dataclass
class Impostor(Listener):
    """One listener.

    says    the bytes of every answer; empty: it closes the connection at once
    greets  whether it sends them before a request
    """

    says: bytes = b""
    greets: bool = False

    def _serve(self, sock: socket.socket) -> None:
        sock.settimeout(10)
        if self.greets or sock.recv(1 << 16):
            sock.sendall(self.says)
        if not self.says:
            sock.shutdown(socket.SHUT_RDWR)
