"""The actions of a scenario's faults and events, as its file declares them: `do: drop`, `do: {delay_ms: 500}`.

An action concerns one answer (drop, delay, another cursor) or changes the cluster (stop, move, delete).
"""

from typing import Literal, Self

from pydantic import model_validator

from kafka_emulator.declared import BrokerIds, TopicSection
from kafka_emulator.features import AsVersion
from kafka_emulator.section import Code, Count, Positive, Section


class MoveSection(Section):
    """Partitions of __consumer_offsets or __transaction_state get another leader; null: all of them."""

    of: Literal["groups", "transactions"] = "groups"
    partitions: tuple[int, ...] | None = None
    to: int


class RestartSection(Section):
    """Brokers close connections, are down for a while, and come back; null: the broker that received the request."""

    brokers: BrokerIds | None = None
    down_ms: Count = 200


class DowngradeSection(Section):
    """Brokers close connections and speak another version from then on; null: the broker that received the request."""

    brokers: BrokerIds | None = None
    as_version: AsVersion | None = None
    kip_1062: bool = False


class FaultAction(Section):
    """One of these actions.

    drop            close the connection without an answer
    delay_ms        answer later
    drip_ms         send the answer byte by byte, so long after each other
    throttle_ms     answer with this throttle time, and read nothing more for as long
    error           answer with this code, in the fields where the RPC has codes
    truncate        announce the whole frame, leave out its last bytes, close the connection
    cut             leave out the last bytes, up to all of the message: a complete frame that cannot be parsed
    oversize        announce a frame of this many bytes
    mutate          change bytes of the answer at random, by this seed and the request; its size stays correct
    impersonate     say yes in ApiVersions to whatever broker and cluster the client means
    limit           return at most this many items
    repeat_cursor   the next cursor is the request's own
    lose_page       answer with the page after the requested page
    double_page     begin where the previous page began: its items come again, with those of this page
    """

    drop: Literal[True] | None = None
    delay_ms: Positive | None = None
    drip_ms: Positive | None = None
    throttle_ms: Positive | None = None
    impersonate: Literal[True] | None = None
    error: Code | None = None
    truncate: Positive | None = None
    cut: Positive | None = None
    oversize: Positive | None = None
    mutate: Count | None = None
    limit: Positive | None = None
    repeat_cursor: Literal[True] | None = None
    lose_page: Literal[True] | None = None
    double_page: Literal[True] | None = None
    stop: int | None = None
    start: int | None = None
    restart: RestartSection | None = None
    downgrade: DowngradeSection | None = None
    move_coordinators: MoveSection | None = None
    delete_topics: tuple[str, ...] | None = None
    create_topics: tuple[TopicSection, ...] | None = None
    delete_groups: tuple[str, ...] | None = None
    create_groups: tuple[str, ...] | None = None

    @model_validator(mode="before")
    @classmethod
    def _word(cls, value: object) -> object:
        return {value: True} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one(self) -> Self:
        if len(self.model_fields_set) != 1:
            raise ValueError("do exactly one thing, such as drop or {delay_ms: 500}")
        return self

    @property
    def name(self) -> str:
        """The name of the action."""
        return next(iter(self.model_fields_set))

    @property
    def changes_the_cluster(self) -> bool:
        """Whether the action concerns more than one answer."""
        return self.name in CHANGES


CHANGES = frozenset(
    {
        "stop",
        "start",
        "restart",
        "downgrade",
        "move_coordinators",
        "delete_topics",
        "create_topics",
        "delete_groups",
        "create_groups",
    }
)


class FaultSection(Section):
    """A fault, and the request that it concerns.

    api      Kafka's name; null: any
    broker   the broker that receives the request; null: any
    page     the number of earlier requests of this API to the broker: 0 is the first request; null: any
    always   every request from that one on, rather than one request
    """

    api: str | None = None
    broker: int | None = None
    page: Count | None = None
    always: bool = False
    do: FaultAction

    def __str__(self) -> str:
        """The fault as messages name it."""
        at = f" of broker {self.broker}" if self.broker is not None else ""
        page = f" at page {self.page}" if self.page is not None else ""
        return f"{self.do.name} on {self.api or 'any API'}{at}{page}"


class EventSection(Section):
    """A change of the cluster at a time after the start, without a request."""

    after_ms: Count
    do: FaultAction

    @model_validator(mode="after")
    def _changes(self) -> Self:
        if not self.do.changes_the_cluster:
            raise ValueError(f"an event changes the cluster; {self.do.name} belongs to a fault")
        return self
