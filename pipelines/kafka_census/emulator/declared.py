"""What a scenario file may declare: one model a section, unknown keys forbidden, everything with a default.

What is declared is there as it says; what is only counted (`groups: {count: 1000000}`) is generated
from the seed. A world is made from these values and from nothing else.
"""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
Positive = Annotated[int, Field(ge=1, le=2**31 - 1)]
BrokerIds = tuple[int, ...]


class Section(BaseModel):
    """A mapping of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _empty(cls, value: object) -> object:
        return {} if value is None else value


class ListenerSection(Section):
    """A listener, and which brokers have it; null: all. The first one is the bootstrap servers'."""

    name: str
    brokers: BrokerIds | None = None


class BrokersSection(Section):
    """Brokers 1 .. count. Stopped ones do not answer; fenced ones are registered, and not alive to the controller.

    `configs` are static (server.properties), `configs_of` those of single brokers; `dynamic_configs` are the
    cluster's defaults, `dynamic_configs_of` those of single brokers. An offline log dir is (broker, its number).
    """

    count: Positive = 3
    racks: Count = 0
    listeners: tuple[ListenerSection, ...] = (ListenerSection(name="PLAINTEXT"),)
    stopped: BrokerIds = ()
    fenced: BrokerIds = ()
    log_dirs: Positive = 1
    offline_log_dirs: tuple[tuple[int, int], ...] = ()
    configs: dict[str, str] = {}
    configs_of: dict[int, dict[str, str]] = {}
    dynamic_configs: dict[str, str] = {}
    dynamic_configs_of: dict[int, dict[str, str]] = {}


class PartitionSection(Section):
    """A partition that is not as it would be by itself; what is not given is."""

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
    """A declared topic. `assignment` gives the replicas of each partition, and then their number."""

    name: str
    partitions: Positive = 1
    replication_factor: Positive | None = None
    assignment: tuple[BrokerIds, ...] = ()
    configs: dict[str, str] = {}
    states: tuple[PartitionSection, ...] = ()
    futures: tuple[FutureSection, ...] = ()
    producers: Count | None = None

    @property
    def count(self) -> int:
        """How many partitions it has."""
        return len(self.assignment) or self.partitions

    @model_validator(mode="after")
    def _has_its_partitions(self) -> Self:
        named = [*(one.partition for one in self.states), *(one.partition for one in self.futures)]
        beyond = [partition for partition in named if partition >= self.count]
        if beyond:
            raise ValueError(f"topic '{self.name}' has {self.count} partitions, not number {beyond[0]}")
        return self

    @property
    def brokers(self) -> set[int]:
        """Every broker id that it names."""
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


GroupType = Literal["classic", "consumer", "share", "streams"]


class OffsetSection(Section):
    """A committed offset."""

    topic: str
    partition: Count = 0
    offset: Count
    metadata: str = ""


class GroupSection(Section):
    """A declared group. Without `offsets` it has committed for every partition of its topics."""

    id: str
    type: GroupType = "classic"
    state: str | None = None
    protocol_type: str = "consumer"
    members: Count = 0
    topics: tuple[str, ...] = ()
    offsets: tuple[OffsetSection, ...] | None = None


class GroupsSection(Section):
    """Generated groups of all types, and declared ones.

    `hash_partitions` is what brokers hash by, where __consumer_offsets has grown since they started.
    """

    count: Count = 100
    prefix: str = "group-"
    types: tuple[GroupType, ...] = ("classic", "consumer", "share", "streams")
    topics_per_group: Count = 1
    members_at_most: Count = 4
    offsets_partitions: Positive = 50
    hash_partitions: Positive | None = None
    declared: tuple[GroupSection, ...] = ()


class TransactionSection(Section):
    """A declared transactional id."""

    id: str
    producer_id: int
    state: str = "Ongoing"
    partitions: tuple[tuple[str, int], ...] = ()


class TransactionsSection(Section):
    """Generated transactional ids, and declared ones. Without any the internal topic does not exist."""

    count: Count = 20
    prefix: str = "transaction-"
    partitions: Positive = 50
    declared: tuple[TransactionSection, ...] = ()


class AclSection(Section):
    """One ACL entry, in Kafka's words."""

    principal: str = "User:ANONYMOUS"
    host: str = "*"
    operation: Literal[
        "ALL",
        "READ",
        "WRITE",
        "CREATE",
        "DELETE",
        "ALTER",
        "DESCRIBE",
        "CLUSTER_ACTION",
        "DESCRIBE_CONFIGS",
        "ALTER_CONFIGS",
        "IDEMPOTENT_WRITE",
    ] = "DESCRIBE"
    permission: Literal["ALLOW", "DENY"] = "ALLOW"
    resource_type: Literal["TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID", "DELEGATION_TOKEN", "USER"]
    resource_name: str
    pattern_type: Literal["LITERAL", "PREFIXED"] = "LITERAL"


class QuotaSection(Section):
    """The quotas of one entity: `entity` maps user, client-id or ip to a name; null is the default."""

    entity: dict[str, str | None]
    values: dict[str, float]


class ScramSection(Section):
    """A user with SCRAM credentials; a mechanism and its iterations."""

    user: str
    mechanisms: dict[str, int]


class SecuritySection(Section):
    """Without an authorizer everything is allowed, and DescribeAcls is refused. `acls` may be generated too."""

    authorizer: bool = True
    super_users: tuple[str, ...] = ("User:ANONYMOUS",)
    acls: tuple[AclSection, ...] = ()
    generated_acls: Count = 0
    quotas: tuple[QuotaSection, ...] = ()
    scram_users: tuple[ScramSection, ...] = ()


class World(Section):
    """Everything that a cluster is made of."""

    seed: int = 0
    brokers: BrokersSection = BrokersSection()
    topics: TopicsSection = TopicsSection()
    groups: GroupsSection = GroupsSection()
    transactions: TransactionsSection = TransactionsSection()
    security: SecuritySection = SecuritySection()

    @model_validator(mode="after")
    def _has_its_brokers(self) -> Self:
        named = {*self.brokers.stopped, *self.brokers.fenced, *(one for one, _ in self.brokers.offline_log_dirs)}
        named |= {one for listener in self.brokers.listeners for one in listener.brokers or ()}
        named |= {one for topic in self.topics.declared for one in topic.brokers}
        beyond = sorted(named - set(range(1, self.brokers.count + 1)))
        if beyond:
            raise ValueError(f"brokers are 1 to {self.brokers.count}; there is no broker {beyond[0]}")
        return self
