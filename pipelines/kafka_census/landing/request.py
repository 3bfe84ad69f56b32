"""A request: one chain to walk in a wave, planned in the driver; Spark plans windows of keys (`windows`)."""

from dataclasses import dataclass
from typing import NamedTuple

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.landing.route import Node
from kafka_census.pages.header import WalkName


class Request(NamedTuple):
    """A row of a requests frame; fields as in `source.schema.REQUEST`."""

    task: int
    turn: int
    rpc: str
    scope: str
    node_id: int
    host: str | None
    port: int | None
    chain_id: str
    page_no: int = 0
    try_no: int = 0
    cursor: str | None = None
    keys: tuple[str, ...] = ()
    refusal_code: int | None = None
    refusal: str | None = None
    waves: int = 0
    empty_pages: int = 0


@dataclass(frozen=True)
class Brokers:
    """The nodes that owe answers, and which of them is the controller."""

    nodes: tuple[Node, ...]
    controller_id: int = -1

    @property
    def alive(self) -> list[Node]:
        """Nodes that can be asked, in order of id."""
        return [node for node in self.nodes if node.endpoint is not None]

    @property
    def controller(self) -> Node | None:
        """The controller; None where it is not alive."""
        return next((node for node in self.alive if node.node_id == self.controller_id), None)

    def alive_at(self, slot: int) -> Node:
        """The alive node at a position, modulo their number."""
        return self.alive[slot % len(self.alive)]


def to_node(walk: WalkName, node: Node, chain_id: str, keys: tuple[str, ...] = ()) -> Request:
    """The first page of a chain at a node; a node that cannot be asked refuses it."""
    if node.endpoint is None:
        why = f"broker {node.node_id} is not alive, or not on the listener that was asked (known: {node.why})"
        code = ErrorCode.BROKER_NOT_ALIVE
        return Request(0, 0, *walk, node.node_id, None, None, chain_id, keys=keys, refusal_code=code, refusal=why)
    return Request(0, 0, *walk, node.node_id, node.endpoint.host, node.endpoint.port, chain_id, keys=keys)


def not_asked(walk: WalkName, node: Node, topic: str) -> Request:
    """A chain that is refused because asking would create the topic."""
    why = f"{topic} was not seen (it does not exist, or an ACL hides it), and asking would create it"
    code = ErrorCode.NOT_ASKED
    return Request(0, 0, *walk, node.node_id, None, None, walk[1], refusal_code=code, refusal=why)
