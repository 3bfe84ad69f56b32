"""The brokers of a cluster: which are alive, their racks and their endpoints.

Broker ids are 1 .. count. Ports are known once the server listens.
"""

from dataclasses import dataclass, field

from kafka_emulator.declared import BrokersSection

HOST = "127.0.0.1"
VOTERS = 3


@dataclass(frozen=True)
class Endpoint:
    """The address of one listener of a broker."""

    host: str
    port: int


@dataclass
class Brokers:
    """All brokers, including stopped brokers.

    ids      all ids, ascending
    alive    the ids of brokers that run and are not fenced; changes when brokers stop and start
    fenced   the ids of brokers that are registered but not alive to the controller; they do not answer
    """

    section: BrokersSection
    alive: set[int] = field(init=False)
    fenced: set[int] = field(init=False)
    _endpoints: dict[tuple[int, str], Endpoint] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Brokers that are not declared as stopped or fenced are alive."""
        self.fenced = set(self.section.fenced)
        lacking = {one: [broker for broker in self.ids if not self.has(broker, one)] for one in self.listeners}
        self._without = {listener: frozenset(brokers) for listener, brokers in lacking.items()}
        self.alive = set(self.ids) - set(self.section.stopped) - self.fenced

    @property
    def ids(self) -> range:
        """All broker ids."""
        return range(1, self.section.count + 1)

    @property
    def voters(self) -> range:
        """The brokers that are controllers too and vote on the metadata log: the first three, or the first of fewer."""
        return self.ids[: VOTERS if len(self.ids) >= VOTERS else 1]

    @property
    def listeners(self) -> tuple[str, ...]:
        """The names of the listeners; the first is that of the bootstrap servers."""
        return tuple(listener.name for listener in self.section.listeners)

    def has(self, broker: int, listener: str) -> bool:
        """Whether a broker has this listener."""
        named = next(one for one in self.section.listeners if one.name == listener)
        return named.brokers is None or broker in named.brokers

    def without(self, listener: str) -> frozenset[int]:
        """The brokers that do not have this listener."""
        return self._without[listener]

    def listens(self, broker: int, listener: str, port: int) -> None:
        """Called by the server with the port on which it listens for this broker."""
        self._endpoints[broker, listener] = Endpoint(HOST, port)

    def endpoint(self, broker: int, listener: str) -> Endpoint | None:
        """The advertised endpoint of a broker, alive or not; None where it has no such listener."""
        return self._endpoints.get((self.section.advertised.get(broker, broker), listener))

    def reachable(self, broker: int, listener: str) -> Endpoint | None:
        """The endpoint of a broker that is alive; None otherwise."""
        return self.endpoint(broker, listener) if broker in self.alive else None

    def rack(self, broker: int) -> str | None:
        """broker.rack; None when not set."""
        return f"rack-{(broker - 1) % self.section.racks}" if self.section.racks else None

    def controller(self) -> int:
        """The controller in a KRaft broker's answers, any alive broker: here the lowest id, -1 if none is alive."""
        return min(self.alive, default=-1)
