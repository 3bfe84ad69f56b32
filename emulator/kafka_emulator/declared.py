"""What a scenario file may declare: one model per section, unknown keys forbidden, every key with a default.

Declared objects exist as declared; objects that are only counted (`groups: {count: 1000000}`) are generated
from the seed. A world is made from these values and from nothing else.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from kafka_emulator.declared_security import SecuritySection
from kafka_emulator.features import GroupType
from kafka_emulator.names import Run
from kafka_emulator.section import Count, HashPartitions, Long, Positive, Section

BrokerIds = tuple[int, ...]


class ListenerSection(Section):
    """A listener, and the brokers that have it; null: all. The first listener is that of the bootstrap servers."""

    name: str
    brokers: BrokerIds | None = None


class BrokersSection(Section):
    """Brokers 1 .. count. Stopped ones do not answer; fenced ones are registered, and not alive to the controller.

    `configs` are static (server.properties), `configs_of` those of single brokers; `dynamic_configs` are the
    cluster's defaults, `dynamic_configs_of` those of single brokers. An offline log dir is (broker, number of the dir).
    `advertised` gives a broker the address of another one, as wrong advertised.listeners do.
    """

    count: Positive = 3
    racks: Count = 0
    listeners: Annotated[tuple[ListenerSection, ...], Field(min_length=1)] = (ListenerSection(name="PLAINTEXT"),)
    stopped: BrokerIds = ()
    fenced: BrokerIds = ()
    advertised: dict[int, int] = Field(default_factory=dict)
    log_dirs: Positive = 1
    offline_log_dirs: tuple[tuple[int, int], ...] = ()
    configs: dict[str, str] = Field(default_factory=dict)
    configs_of: dict[int, dict[str, str]] = Field(default_factory=dict)
    dynamic_configs: dict[str, str] = Field(default_factory=dict)
    dynamic_configs_of: dict[int, dict[str, str]] = Field(default_factory=dict)


class PartitionSection(Section):
    """A partition that differs from its default state; fields that are not given keep the default."""

    partition: Count
    leader: int | None = None
    isr: BrokerIds | None = None
    elr: BrokerIds | None = None
    last_known_elr: BrokerIds | None = None
    adding: BrokerIds = ()
    removing: BrokerIds = ()


class FutureSection(Section):
    """A replica that moves between two log dirs of one broker."""

    partition: Count
    broker: int
    log_dir: Count


class TopicSection(Section):
    """A declared topic. `assignment` gives the replicas of each partition, and then their number.

    Each partition's log has the offsets from `log_start` up to `log_end`; without an end both are drawn. The records of
    a `timeless` topic are stamped -1.
    """

    name: str
    partitions: Positive = 1
    replication_factor: Positive | None = None
    assignment: tuple[Annotated[BrokerIds, Field(min_length=1)], ...] = ()
    configs: dict[str, str] = Field(default_factory=dict)
    states: tuple[PartitionSection, ...] = ()
    futures: tuple[FutureSection, ...] = ()
    producers: Count | None = None
    log_start: Count = 0
    log_end: Count | None = None
    timeless: bool = False

    @property
    def count(self) -> int:
        """The number of partitions."""
        return len(self.assignment) or self.partitions

    @model_validator(mode="after")
    def _has_its_partitions(self) -> Self:
        named = [*(one.partition for one in self.states), *(one.partition for one in self.futures)]
        beyond = [partition for partition in named if partition >= self.count]
        if beyond:
            raise ValueError(f"topic '{self.name}' has {self.count} partitions, not number {beyond[0]}")
        if self.log_end is not None and self.log_end < self.log_start:
            raise ValueError(f"topic '{self.name}' cannot end at offset {self.log_end}, before its start")
        return self

    @property
    def brokers(self) -> set[int]:
        """Every broker id that the section names."""
        named = {one for replicas in self.assignment for one in replicas} | {one.broker for one in self.futures}
        for state in self.states:
            named |= {*(state.isr or ()), *(state.elr or ()), *(state.last_known_elr or ())}
            named |= {*state.adding, *state.removing, *(() if state.leader is None else (state.leader,))}
        return named - {-1}


class TopicsSection(Section):
    """Generated topics of `partitions_per_topic` each, `reassigning` of whose partitions move, and declared ones."""

    partitions: Count = 60
    partitions_per_topic: Positive = 6
    prefix: str = "topic-"
    replication_factor: Positive = 2
    reassigning: Count = 0
    producers_per_partition: Count = 2
    declared: tuple[TopicSection, ...] = ()

    @property
    def run(self) -> Run:
        """The names of the generated topics."""
        count = -(-self.partitions // self.partitions_per_topic)
        return Run(self.prefix, count, max(5, len(str(count))))

    def partitions_of(self, number: int) -> int:
        """The number of partitions of a generated topic: the last topic has the remainder."""
        return min(self.partitions_per_topic, self.partitions - number * self.partitions_per_topic)


GROUP_STATES: dict[GroupType, tuple[str, ...]] = {
    "classic": ("PreparingRebalance", "CompletingRebalance", "Stable", "Empty", "Dead"),
    "consumer": ("Assigning", "Reconciling", "Stable", "Empty", "Dead"),
    "share": ("Stable", "Empty", "Dead"),
    "streams": ("NotReady", "Assigning", "Reconciling", "Stable", "Empty", "Dead"),
}
"""The states in which a group of a type may be: Kafka's GroupState."""


class OffsetSection(Section):
    """A committed offset."""

    topic: str
    partition: Count = 0
    offset: Count
    metadata: str = ""


class GroupSection(Section):
    """A declared group. Without `offsets` the group has committed an offset for every partition of its topics.

    `configs` are those of the group as a resource, which brokers list whether or not the group exists. `topology` says
    what the brokers' plugin has of a streams group: a description, or an error, on which the group is not deleted.
    """

    id: str
    type: GroupType = "classic"
    state: str | None = None
    protocol_type: str = "consumer"
    members: Count = 0
    topics: tuple[str, ...] = ()
    offsets: tuple[OffsetSection, ...] | None = None
    configs: dict[str, str] = Field(default_factory=dict)
    topology: Literal["NOT_STORED", "ERROR", "AVAILABLE"] = "NOT_STORED"

    @model_validator(mode="after")
    def _is_in_a_state_of_its_type(self) -> Self:
        possible = GROUP_STATES[self.type]
        if self.state is not None and self.state not in possible:
            raise ValueError(f"a {self.type} group is {', '.join(possible[:-1])} or {possible[-1]}, not {self.state}")
        return self


class GroupsSection(Section):
    """Generated groups of all types, and declared ones.

    `hash_partitions` is the count by which brokers hash, where __consumer_offsets has grown since they started.
    """

    count: Count = 100
    prefix: str = "group-"
    types: Annotated[tuple[GroupType, ...], Field(min_length=1)] = ("classic", "consumer", "share", "streams")
    topics_per_group: Count = 1
    members_at_most: Count = 4
    offsets_partitions: HashPartitions = 50
    hash_partitions: HashPartitions | None = None
    declared: tuple[GroupSection, ...] = ()

    @property
    def run(self) -> Run:
        """The ids of the generated groups."""
        return Run(self.prefix, self.count, max(7, len(str(self.count))))


TransactionState = Literal[
    "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "PrepareEpochFence", "Dead"
]
"""Kafka's TransactionState."""


class TransactionSection(Section):
    """A declared transactional id. `hanging` partitions have an open transaction that the coordinator has ended."""

    id: str
    producer_id: Annotated[int, Field(ge=0, le=2**63 - 2)]
    state: TransactionState = "Ongoing"
    partitions: tuple[tuple[str, int], ...] = ()
    hanging: tuple[tuple[str, int], ...] = ()


class TransactionsSection(Section):
    """Generated and declared transactional ids. Without any id the internal topic does not exist."""

    count: Count = 20
    prefix: str = "transaction-"
    partitions: HashPartitions = 50
    declared: tuple[TransactionSection, ...] = ()

    @property
    def run(self) -> Run:
        """The generated ids."""
        return Run(self.prefix, self.count, max(7, len(str(self.count))))


class World(Section):
    """All sections of a cluster."""

    seed: Long = 0
    brokers: BrokersSection = BrokersSection()
    topics: TopicsSection = TopicsSection()
    groups: GroupsSection = GroupsSection()
    transactions: TransactionsSection = TransactionsSection()
    security: SecuritySection = SecuritySection()
