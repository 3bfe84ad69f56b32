"""The state of a cluster at a moment, and the ways in which it changes.

Made from a scenario's declarations. Everything is computed from seed and position on request;
columns of numbers are kept where millions of objects have to be found by position. Handlers read the world;
faults, events and the few RPCs that write change it through its methods, each of which ends with a call of
`on_change` with the objects that may have changed; None: any object.

Its attributes:
  brokers        Brokers: ids, alive, endpoints by listener, racks
  topics         Topics: names, sizes, `partition(topic, index)`
  columns        Columns: reassigning(), hosted(broker), as sorted TopicPartitions
  groups         Groups: names, shapes, `by_ordinal`
  transactions   Transactions: names, `by_ordinal`
  configs        Configs: of_topic, of_broker, …, limit
  acls           Acls: the resources that have ACLs
  access         Access: what the principal may do
The methods below combine several of these.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kafka_emulator.acls import Acls
from kafka_emulator.arithmetic import mix, mixed, partition_for, utf16
from kafka_emulator.authorization import Access, Operation, Resource
from kafka_emulator.brokers import Brokers
from kafka_emulator.columns import Columns
from kafka_emulator.configs import Configs
from kafka_emulator.declared import TopicSection
from kafka_emulator.declared import World as Declared
from kafka_emulator.features import ELR_SINCE, GROUP_TYPES, LATEST, AsVersion
from kafka_emulator.groups import Group, Groups
from kafka_emulator.internal_topics import FACTOR, SHARES_PARTITIONS, internal_topic
from kafka_emulator.log_dirs import Replicas
from kafka_emulator.logs import Log, logs_of
from kafka_emulator.members import Members
from kafka_emulator.names import Names
from kafka_emulator.offsets import Offsets
from kafka_emulator.paging import Indexes, Nested, partition_is_possible
from kafka_emulator.producers import Producers
from kafka_emulator.replicas import Change
from kafka_emulator.topic_partitions import TopicPartitions
from kafka_emulator.topics import (
    GROUPS_TOPIC,
    INTERNAL,
    MIN_ISR,
    SHARES_TOPIC,
    TRANSACTIONS_TOPIC,
    Topic,
    Topics,
)
from kafka_emulator.transactions import Ordered, Transaction, Transactions

KEPT_FOR_EACH = 16
"""The number of cached results per broker: its listings, and some of the listings by filter."""


Things = list[tuple[str, str]]
"""Kinds and keys of objects, as in `truth`."""


def unnoticed(_things: Things | None) -> None:
    """Ignore changes."""


@dataclass
class World:
    """One cluster; `oldest` is the version of its oldest broker, which decides which groups the cluster can have."""

    declared: Declared
    oldest: AsVersion = LATEST
    on_change: Callable[[Things | None], None] = unnoticed
    brokers: Brokers = field(init=False)
    topics: Topics = field(init=False)
    groups: Groups = field(init=False)
    columns: Columns = field(init=False)
    transactions: Transactions = field(init=False)
    configs: Configs = field(init=False)
    acls: Acls = field(init=False)
    access: Access = field(init=False)
    _kept: dict[Any, Any] = field(default_factory=dict)
    _kept_of: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        """Create the internal topics that are not empty at the beginning."""
        declared = self.declared
        self.brokers = Brokers(declared.brokers)
        offline = declared.brokers.offline_log_dirs
        self._offline_dirs = {
            broker: frozenset(number for one, number in offline if one == broker) for broker in self.brokers.ids
        }
        minimum = {**declared.brokers.configs, **declared.brokers.dynamic_configs}.get(MIN_ISR, "1")
        self.topics = Topics(declared.topics, self.brokers, declared.seed, int(minimum), self.oldest >= ELR_SINCE)
        types = GROUP_TYPES[self.oldest]
        self.groups = Groups(declared.groups, declared.seed, self.topics.names.run, types)
        self.columns = Columns(self.topics)
        run = self.topics.names.run
        self.transactions = Transactions(declared.transactions, declared.topics, run, declared.seed)
        self.configs = Configs(
            declared.brokers,
            self.brokers.listeners,
            self.brokers.voters,
            self.internal_factor,
            declared.groups.offsets_partitions,
            declared.transactions.partitions,
        )
        self.acls = Acls(declared.security)
        self.access = Access(declared.security)
        if len(self.groups.names):
            self._create_internal(GROUPS_TOPIC)
        if declared.transactions.count or declared.transactions.declared:
            self._create_internal(TRANSACTIONS_TOPIC)
        if SHARES_TOPIC in self.topics.names:
            self._create_internal(SHARES_TOPIC)

    @property
    def seed(self) -> int:
        """The number from which all generated values are computed."""
        return self.declared.seed

    @property
    def cluster_id(self) -> str:
        """The cluster id: 22 characters, as in Kafka."""
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        return "".join(alphabet[mix(self.seed, position) % len(alphabet)] for position in range(22))

    # The parts of listings ---------------------------------------------------------------------------------------

    def kept(self, what: Any, make: Callable[[], Any]) -> Any:
        """The result of `make`, cached as `what` until topics, brokers or groups change, or newer results evict it."""
        version = self.topics.version, self.groups.version
        if version != self._kept_of:
            self._kept_of = version
            self._kept.clear()
        found = self._kept.pop(what) if what in self._kept else make()
        self._kept[what] = found
        if len(self._kept) > KEPT_FOR_EACH * len(self.brokers.ids):
            del self._kept[next(iter(self._kept))]  # the result used longest ago
        return found

    def visible_topics(self) -> Names:
        """The names of all topics that the principal may DESCRIBE, sorted."""

        def make() -> Names:
            return self.access.visible(Operation.DESCRIBE, Resource.TOPIC, self.topics.names)

        names: Names = self.kept("visible topics", make)
        return names

    def visible_partitions(self) -> Nested:
        """The partitions of `visible_topics()`: holders are topics, cursors (topic, partition)."""

        def make() -> Nested:
            names = self.visible_topics()
            sizes = self.topics.sizes(names)
            return Nested(names, sizes, lambda _holder: Indexes(), (0,), partition_is_possible)

        nested: Nested = self.kept("visible partitions", make)
        return nested

    def groups_of(self, broker: int) -> Names:
        """The ids of the groups that a broker coordinates and the principal may see, sorted: ListGroups' items."""

        def make() -> Names:
            names = self.groups.on(self.topics.led_by(broker, GROUPS_TOPIC))
            every = self.access.allows(Operation.DESCRIBE, Resource.CLUSTER)
            return names if every else self.access.visible(Operation.DESCRIBE, Resource.GROUP, names)

        names: Names = self.kept(("groups of", broker), make)
        return names

    def transactions_of(self, broker: int) -> Ordered:
        """The transactional ids that a broker coordinates and the principal may see: ListTransactions' items."""

        def make() -> Ordered:
            names = self.access.visible(Operation.DESCRIBE, Resource.TRANSACTIONAL_ID, self.transactions.names)
            return self.transactions.on(self.topics.led_by(broker, TRANSACTIONS_TOPIC), names)

        ordered: Ordered = self.kept(("transactions of", broker), make)
        return ordered

    def replicas_of(self, broker: int) -> Replicas:
        """The replicas in a broker's log dirs that are not offline: DescribeLogDirs' items."""

        def make() -> Replicas:
            hosted, offline = self.columns.hosted(broker), self.offline_dirs(broker)
            if offline:
                there = (self._dir(hosted, position, broker) not in offline for position in range(len(hosted)))
                hosted = hosted.pick(np.fromiter(there, np.bool_, len(hosted)))
            futures = {
                (topic.name, one.partition): one
                for topic in self.declared.topics.declared
                for one in topic.futures
                if one.broker == broker
            }
            return Replicas(broker, self.topics, hosted, self.logs, futures)

        replicas: Replicas = self.kept(("replicas of", broker), make)
        return replicas

    def offline_dirs(self, broker: int) -> frozenset[int]:
        """The numbers of a broker's log dirs that are offline; `log_dirs.path` has their paths."""
        return self._offline_dirs[broker]

    def _dir(self, hosted: TopicPartitions, position: int, broker: int) -> int:
        topic = self.topics.by_ordinal(int(hosted.ordinals[position]))
        return self.topics.log_dir(topic, int(hosted.indexes[position]), broker)

    # Single objects ----------------------------------------------------------------------------------------------

    def log(self, topic: Topic, index: int) -> Log:
        """Offsets, times and size of a partition's log, whether or not it has a leader."""
        return self.logs([(topic, index)])[0]

    def logs(self, partitions: Sequence[tuple[Topic, int]]) -> list[Log]:
        """The logs of many partitions, which together cost little more than one."""
        topics, indexes = [topic for topic, _ in partitions], np.array([index for _, index in partitions], np.int64)
        drawn = mixed(np.array([topic.drawn for topic in topics], np.uint64), indexes)
        sections = [(at, self.topics.declared(topic.ordinal)) for at, topic in enumerate(topics)]
        declared = {at: (one.log_start, one.log_end) for at, one in sections if one and one.log_end is not None}
        timeless = [at for at, one in sections if one and one.timeless]
        epochs = [state.leader_epoch for state in self.topics.states(partitions)]
        return logs_of(drawn, epochs, self.transactions.any_open_in(partitions), declared, timeless)

    def members(self, group: Group) -> Members:
        """The members of a group, by position."""
        return Members(group, [topic for topic in map(self.topics.get, group.topics) if topic is not None])

    def offsets(self, group: Group) -> Offsets:
        """The committed offsets of a group, or a share group's start offsets, by position; without deleted topics."""
        topics = [topic for topic in map(self.topics.get, sorted(group.topics, key=utf16)) if topic is not None]
        declared = group.declared.offsets if group.declared else None
        return Offsets(topics, group.ordinal, self.seed, self.logs, declared)

    def producers(self, topic: Topic, index: int) -> Producers:
        """The active producers of a partition, highest id first."""
        declared, drawn = self.topics.declared(topic.ordinal), mix(self.seed, topic.ordinal, index)
        count = declared.producers if declared else None
        idle = drawn % (self.declared.topics.producers_per_partition + 1) if count is None else count
        known = self.transactions.known_in(topic.name, topic.ordinal, index)
        first_offset = self.log(topic, index).last_stable if len(known) else 0

        def transaction(ordinal: int) -> Transaction:
            return self.transactions.written(ordinal, topic.name, index)

        return Producers(drawn, idle, known, transaction, first_offset)

    # Coordinators ------------------------------------------------------------------------------------------------

    def group_coordinator(self, group_id: str) -> int:
        """The broker that coordinates an id, whether or not the group exists; -1 without a coordinator.

        Partitions to which the brokers do not hash have no groups: their leaders coordinate nothing.
        """
        return self._leader(GROUPS_TOPIC, self.groups.partition_of(group_id))

    def transaction_coordinator(self, transactional_id: str) -> int:
        """The broker that coordinates a transactional id, whether or not it is known; -1 without a coordinator."""
        return self._leader(TRANSACTIONS_TOPIC, self.transactions.partition_of(transactional_id))

    def share_coordinator(self, key: str) -> int:
        """The broker that keeps the state of a share group's partition, `group:topic id:partition`; -1 without one."""
        return self._leader(SHARES_TOPIC, partition_for(key, self._counts[SHARES_TOPIC]))

    def _leader(self, name: str, index: int) -> int:
        leaders = self.topics.leaders(name)
        return leaders[index] if index < len(leaders) else -1

    @property
    def _counts(self) -> dict[str, int]:
        """The number of partitions with which brokers create internal topics, and by which they hash."""
        declared = self.declared
        return {
            GROUPS_TOPIC: declared.groups.offsets_partitions,
            TRANSACTIONS_TOPIC: declared.transactions.partitions,
            SHARES_TOPIC: int(declared.brokers.configs.get(SHARES_PARTITIONS, "50")),
        }

    def ensure_internal(self, name: str) -> None:
        """Create a missing internal topic, as FindCoordinator does.

        As in Kafka, the topic is not created while fewer brokers are alive than its replication factor.
        """
        if self.topics.get(name) is None and len(self.brokers.alive) >= self.internal_factor:
            self._create_internal(name)
            self.on_change(None)

    @property
    def internal_factor(self) -> int:
        """offsets.topic.replication.factor and the like; at most the number of brokers."""
        return min(FACTOR, len(self.brokers.ids))

    def _create_internal(self, name: str) -> None:
        """Create it as brokers do; a scenario may declare where its replicas are."""
        declared, configs = self.declared, self.declared.brokers.configs
        assignment = next((one.assignment for one in declared.topics.declared if one.name == name), ())
        section = internal_topic(name, self._counts[name], self.internal_factor, configs)
        self.topics.create(section.model_copy(update={"assignment": assignment}))

    # Changes -----------------------------------------------------------------------------------------------------

    def stop(self, broker: int) -> None:
        """Shut a broker down; it stays registered, and others lead its partitions."""
        if broker in self.brokers.alive:
            self.brokers.alive.discard(broker)
            self.brokers.fenced.add(broker)
            self.topics.broker_changed(Change("stop", broker))
            self.on_change(None)

    def start(self, broker: int) -> None:
        """Start a broker again; it rejoins the ISR and leads the partitions whose preferred leader it is."""
        if broker not in self.brokers.alive:
            self.brokers.alive.add(broker)
            self.brokers.fenced.discard(broker)
            self.topics.broker_changed(Change("start", broker))
            self.on_change(None)

    def move_coordinators(self, name: str, partitions: Iterable[int] | None, to: int) -> None:
        """Make another broker the leader of these partitions of an internal topic; None: all partitions."""
        topic = self.topics.get(name)
        if topic is not None:
            for index in range(topic.partitions) if partitions is None else partitions:
                self.topics.lead(topic, index, to)
            self.on_change(None)

    def delete_topics(self, names: Iterable[str]) -> None:
        """Delete topics."""
        gone = tuple(names)
        things = self._of_topics(gone)
        self.topics.delete(gone)
        self.on_change(None if INTERNAL.intersection(gone) else things)

    def create_topics(self, sections: Iterable[TopicSection]) -> None:
        """Create topics."""
        created = tuple(sections)
        names = [section.name for section in created]
        before = self._of_topics(names)
        for section in created:
            self.topics.create(section)
        self.on_change(None if INTERNAL.intersection(names) else before + self._of_topics(names))

    def delete_groups(self, group_ids: Iterable[str]) -> None:
        """Delete groups, with their offsets."""
        gone = tuple(group_ids)
        self.groups.delete(gone)
        self.on_change([("group", group_id) for group_id in gone])

    def create_groups(self, group_ids: Iterable[str]) -> None:
        """Create empty classic groups."""
        created = tuple(group_ids)
        self.groups.create(created)
        self.on_change([("group", group_id) for group_id in created])

    def _of_topics(self, names: Iterable[str]) -> Things:
        """The kinds and keys of those of these topics that exist, and of their partitions."""
        there = [topic for topic in map(self.topics.get, names) if topic is not None]
        partitions = [("partition", f"{topic.name}/{index}") for topic in there for index in range(topic.partitions)]
        return [*(("topic", topic.name) for topic in there), *partitions]
