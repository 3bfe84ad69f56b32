"""A receiver of webhooks on loopback: it stores the messages, and answers with configured statuses.

with Receiver() as receiver:
    Webhook(Secret(f"{receiver.url}?token=..."), timedelta(seconds=10))
"""

import json
import socket
import time
from dataclasses import dataclass, field
from typing import Any

from harness.listener import Listener

_SOON = 0.05


@dataclass
class Receiver(Listener):
    """One receiver.

    answers   the status of each answer in turn, the last status for all later answers; 0: it only listens
    location  the target of redirects
    drip      whether it answers byte by byte without end
    received  the bodies, as plain data
    targets   the target of each request, such as /hook
    """

    answers: tuple[int, ...] = (200,)
    location: str = ""
    drip: bool = False
    received: list[dict[str, Any]] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{'https' if self.secured else 'http'}://{self.address}/hook"

    def _serve(self, sock: socket.socket) -> None:
        sock.settimeout(10)
        with sock.makefile("rb") as stream:
            method, target, _ = stream.readline().decode().split()
            headers = dict(line.decode().rstrip().lower().split(": ", 1) for line in iter(stream.readline, b"\r\n"))
            body = stream.read(int(headers.get("content-length", "0")))
            assert (method, headers["content-type"]) == ("POST", "application/json")
            self.targets.append(target)
            self.received.append(json.loads(body))
            status = self.answers[min(len(self.received), len(self.answers)) - 1]
            if not status:
                stream.read()
            redirect = f"Location: {self.location}\r\n" if self.location else ""
            answer = f"HTTP/1.1 {status} So\r\n{redirect}Content-Length: 0\r\nConnection: close\r\n\r\n".encode()
            while self.drip:
                sock.sendall(answer[:1])
                answer = answer[1:] + b"x"
                time.sleep(_SOON)
            sock.sendall(answer)
