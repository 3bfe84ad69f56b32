"""One address that leads to one cluster and later to another, like a VIP or a DNS name that fails over.

    with Failover("127.0.0.1:9092", "127.0.0.1:9192", after=1) as front:
        ClusterSettings("prod", (front.address,))

The first `after` connections lead to the first server, all later ones to the second; `fail_over()` switches
at once. Bytes pass unchanged, so that the servers may be stand-ins or real brokers.
"""

import socket
from dataclasses import dataclass

from harness.listener import Listener


@dataclass
class Failover(Listener):
    """The address. `connections` counts the accepted connections."""

    first: str
    second: str
    after: int | None = None

    def fail_over(self) -> None:
        """Lead to the second server from now on; open connections are cut, as by a load balancer."""
        self.after = self.connections
        for sock in self._sockets:
            self._hang_up(sock)

    def _serve(self, sock: socket.socket) -> None:
        leads_on = self.after is not None and self.connections > self.after
        host, _, port = (self.second if leads_on else self.first).rpartition(":")
        try:
            server = socket.create_connection((host, int(port)), timeout=10)
        except OSError:
            sock.close()
            return
        server.settimeout(None)
        self._join(sock, server)
