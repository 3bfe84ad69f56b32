"""An HTTP proxy on loopback, which opens a tunnel for whoever asks by CONNECT: what `HTTPS_PROXY` names."""

import socket
from dataclasses import dataclass, field

from harness.listener import Listener


@dataclass
class HttpProxy(Listener):
    """One proxy.

    targets  the address of each tunnel, such as 127.0.0.1:443
    """

    targets: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    def _serve(self, sock: socket.socket) -> None:
        with sock.makefile("rb") as stream:
            method, target, _ = stream.readline().decode().split()
            while stream.readline() not in (b"\r\n", b""):
                continue
        assert method == "CONNECT"
        self.targets.append(target)
        host, _, port = target.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=10) as there:
            sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            self._join(sock, there)
