"""The address of a node."""

from dataclasses import dataclass

_PORTS = range(1, 65_536)


@dataclass(frozen=True)
class Endpoint:
    """The address of a node, on the listener of the bootstrap servers; `node_id` is below 0 for a bootstrap server."""

    node_id: int
    host: str
    port: int

    @property
    def has_a_port(self) -> bool:
        """Whether the port is one: brokers send any number, of which name resolution would take the last 16 bits."""
        return self.port in _PORTS

    def __str__(self) -> str:
        """The name of the node in messages."""
        return f"{self.host}:{self.port}" if self.node_id < 0 else f"broker {self.node_id} at {self.host}:{self.port}"
