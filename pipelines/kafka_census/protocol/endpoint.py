"""Where a node listens."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Endpoint:
    """Where a node listens, on the listener that the bootstrap servers belong to."""

    node_id: int
    host: str
    port: int

    def __str__(self) -> str:
        """How messages name it."""
        return f"{self.host}:{self.port}" if self.node_id < 0 else f"broker {self.node_id} at {self.host}:{self.port}"
