"""The brokers of a cluster: who is alive, in which rack, and where each listens.

Broker ids are 1 .. count. Ports are known once the server listens.
"""

from dataclasses import dataclass, field

from kafka_emulator.declared import BrokersSection

HOST = "127.0.0.1"
VOTERS = 3


@dataclass(frozen=True)
class Endpoint:
    """Where a broker listens on one listener."""

    host: str
    port: int


@dataclass
class Brokers:
    """All brokers, stopped ones too.

    ids      all ids, ascending
    alive    the ids of those that run and are not fenced; it changes when brokers stop and start
    fenced   the ids of those that are registered but not alive to the controller; they do not answer
    """

    section: BrokersSection
    alive: set[int] = field(init=False)
    fenced: set[int] = field(init=False)
    _endpoints: dict[tuple[int, str], Endpoint] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """All that are not declared to be stopped or fenced are alive."""
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
        """The brokers that are controllers too, and vote on the metadata log: the first three; one of fewer."""
        return self.ids[: VOTERS if len(self.ids) >= VOTERS else 1]

    @property
    def listeners(self) -> tuple[str, ...]:
        """The names of the listeners; the first is the bootstrap servers'."""
        return tuple(listener.name for listener in self.section.listeners)

    def has(self, broker: int, listener: str) -> bool:
        """Whether a broker has this listener."""
        named = next(one for one in self.section.listeners if one.name == listener)
        return named.brokers is None or broker in named.brokers

    def without(self, listener: str) -> frozenset[int]:
        """The brokers that have not this listener."""
        return self._without[listener]

    def listens(self, broker: int, listener: str, port: int) -> None:
        """FetchedPartition by the server: where it listens for this broker."""
        self._endpoints[broker, listener] = Endpoint(HOST, port)

    def endpoint(self, broker: int, listener: str) -> Endpoint | None:
        """Where a broker listens, alive or not; None where it has no such listener."""
        return self._endpoints.get((broker, listener))

    def reachable(self, broker: int, listener: str) -> Endpoint | None:
        """Where a broker that is alive listens."""
        return self.endpoint(broker, listener) if broker in self.alive else None

    def rack(self, broker: int) -> str | None:
        """broker.rack; None when not set."""
        return f"rack-{(broker - 1) % self.section.racks}" if self.section.racks else None

    def controller(self) -> int:
        """What a KRaft broker answers for the controller: some alive broker; here the lowest, -1 without any."""
        return min(self.alive, default=-1)
