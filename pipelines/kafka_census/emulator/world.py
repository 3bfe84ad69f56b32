"""The state of a cluster at a moment, and the ways in which it changes.

Made from what a scenario declares. Everything is computed from seed and place when it is asked for;
columns of numbers are kept where millions of things have to be found by position. Handlers read it;
faults, events and the few RPCs that write change it through its methods, each of which ends in `on_change`.

What there is, and where:
  brokers        Brokers: ids, alive, endpoints by listener, racks
  topics         Topics: names, sizes, `partition(topic, index)`
  columns        Columns: reassigning(), hosted(broker), as sorted Places
  groups         Groups: names, shapes, `by_ordinal`
  transactions   Transactions: names, `by_ordinal`
  configs        Configs: of_topic, of_broker, …, limit
  acls           Acls: the resources that have ACLs
  access         Access: what the principal may
and, made of several of these, the methods below.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kafka_census.emulator.acls import Acls
from kafka_census.emulator.arithmetic import mix, utf16
from kafka_census.emulator.authorization import Access, Operation, Resource
from kafka_census.emulator.brokers import Brokers
from kafka_census.emulator.columns import Columns
from kafka_census.emulator.configs import Configs
from kafka_census.emulator.declared import TopicSection
from kafka_census.emulator.declared import World as Declared
from kafka_census.emulator.groups import Group, Groups
from kafka_census.emulator.internal_topics import FACTOR, internal_topic
from kafka_census.emulator.log_dirs import Replicas
from kafka_census.emulator.logs import Log, log_of
from kafka_census.emulator.members import Members
from kafka_census.emulator.names import Names
from kafka_census.emulator.offsets import Offsets
from kafka_census.emulator.paging import Indexes, Nested, partition_is_possible
from kafka_census.emulator.places import Places
from kafka_census.emulator.producers import Producers
from kafka_census.emulator.replicas import Change
from kafka_census.emulator.topics import GROUPS_TOPIC, MIN_ISR, TRANSACTIONS_TOPIC, Topic, Topics
from kafka_census.emulator.transactions import Ordered, Transactions


def unnoticed() -> None:
    """Nobody wants to know of changes."""


@dataclass
class World:
    """One cluster."""

    declared: Declared
    elr: bool = True
    on_change: Callable[[], None] = unnoticed
    brokers: Brokers = field(init=False)
    topics: Topics = field(init=False)
    groups: Groups = field(init=False)
    columns: Columns = field(init=False)
    transactions: Transactions = field(init=False)
    configs: Configs = field(init=False)
    acls: Acls = field(init=False)
    access: Access = field(init=False)
    _kept: dict[Any, tuple[Any, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Internal topics exist from the beginning where something is in them."""
        declared = self.declared
        self.brokers = Brokers(declared.brokers)
        minimum = {**declared.brokers.configs, **declared.brokers.dynamic_configs}.get(MIN_ISR, "1")
        self.topics = Topics(declared.topics, self.brokers, declared.seed, int(minimum), self.elr)
        self.groups = Groups(declared.groups, declared.seed, self.topics.names.run)
        self.columns = Columns(self.topics)
        run = self.topics.names.run
        self.transactions = Transactions(declared.transactions, declared.topics, run, declared.seed)
        self.configs = Configs(
            declared.brokers,
            self.brokers.listeners,
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

    @property
    def seed(self) -> int:
        """The number from which everything generated is made."""
        return self.declared.seed

    @property
    def cluster_id(self) -> str:
        """22 characters, as Kafka has it."""
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        return "".join(alphabet[mix(self.seed, place) % len(alphabet)] for place in range(22))

    # What listings are made of -----------------------------------------------------------------------------------

    def kept(self, what: Any, make: Callable[[], Any]) -> Any:
        """What `make` gives, made anew only when topics, brokers or groups have changed."""
        version = self.topics.version, self.groups.version
        if what not in self._kept or self._kept[what][0] != version:
            self._kept[what] = version, make()
        return self._kept[what][1]

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
        """What a broker has in its log dirs that are not offline: DescribeLogDirs' items."""

        def make() -> Replicas:
            hosted, offline = self.columns.hosted(broker), self.offline_dirs(broker)
            if offline:
                there = (self._dir(hosted, place, broker) not in offline for place in range(len(hosted)))
                hosted = hosted.pick(np.fromiter(there, np.bool_, len(hosted)))
            futures = {
                (topic.name, one.partition): one
                for topic in self.declared.topics.declared
                for one in topic.futures
                if one.broker == broker
            }
            return Replicas(broker, self.topics, hosted, self.log, futures)

        replicas: Replicas = self.kept(("replicas of", broker), make)
        return replicas

    def offline_dirs(self, broker: int) -> frozenset[int]:
        """The numbers of a broker's log dirs that are offline; `log_dirs.path` has their paths."""
        return frozenset(number for one, number in self.declared.brokers.offline_log_dirs if one == broker)

    def _dir(self, hosted: Places, place: int, broker: int) -> int:
        topic = self.topics.by_ordinal(int(hosted.ordinals[place]))
        return self.topics.log_dir(topic, int(hosted.indexes[place]), broker)

    # What single things have -------------------------------------------------------------------------------------

    def log(self, topic: Topic, index: int) -> Log:
        """Offsets, times and size of a partition's log, whether or not it has a leader."""
        has_open = self.transactions.any_open_in(topic.name, topic.ordinal, index)
        epoch = self.topics.partition(topic, index).leader_epoch
        return log_of(topic, index, leader_epoch=epoch, has_open=has_open)

    def members(self, group: Group) -> Members:
        """The members of a group, by position."""
        topics = [topic for topic in map(self.topics.get, group.topics) if topic is not None]
        return Members(group, [(topic.name, index) for topic in topics for index in range(topic.partitions)], self.seed)

    def offsets(self, group: Group) -> Offsets:
        """The committed offsets of a group, by position; those of deleted topics are gone."""
        topics = [topic for topic in map(self.topics.get, sorted(group.topics, key=utf16)) if topic is not None]
        declared = group.declared.offsets if group.declared else None
        return Offsets(topics, group.ordinal, self.seed, self.log, declared)

    def producers(self, topic: Topic, index: int) -> Producers:
        """The active producers of a partition, highest id first."""
        declared, place = self.topics.declared(topic.ordinal), mix(self.seed, topic.ordinal, index)
        count = declared.producers if declared else None
        idle = place % (self.declared.topics.producers_per_partition + 1) if count is None else count
        opened = self.transactions.open_in(topic.name, topic.ordinal, index)
        return Producers(place, idle, opened, self.log(topic, index).last_stable)

    # Coordinators ------------------------------------------------------------------------------------------------

    def group_coordinator(self, group_id: str) -> int:
        """The broker that coordinates an id, whether or not there is such a group; -1 none.

        The brokers that lead partitions which the brokers do not hash to coordinate nothing.
        """
        return self._leader(GROUPS_TOPIC, self.groups.partition_of(group_id))

    def transaction_coordinator(self, transactional_id: str) -> int:
        """The broker that coordinates a transactional id, whether or not it is known; -1 none."""
        return self._leader(TRANSACTIONS_TOPIC, self.transactions.partition_of(transactional_id))

    def _leader(self, name: str, index: int) -> int:
        topic = self.topics.get(name)
        if topic is None or index >= topic.partitions:
            return -1
        return self.topics.partition(topic, index).leader

    def ensure_internal(self, name: str) -> bool:
        """What FindCoordinator does: creates the internal topic where it is missing. False where that fails.

        As in Kafka it fails, and goes on failing, while fewer brokers are alive than its replication factor.
        """
        if self.topics.get(name) is not None:
            return True
        if len(self.brokers.alive) < self.internal_factor:
            return False
        self._create_internal(name)
        self.on_change()
        return True

    @property
    def internal_factor(self) -> int:
        """offsets.topic.replication.factor and its sister; as many as there are brokers where they are fewer."""
        return min(FACTOR, len(self.brokers.ids))

    def _create_internal(self, name: str) -> None:
        declared = self.declared
        count = declared.groups.offsets_partitions if name == GROUPS_TOPIC else declared.transactions.partitions
        self.topics.create(internal_topic(name, count, self.internal_factor))

    # Changes -----------------------------------------------------------------------------------------------------

    def stop(self, broker: int) -> None:
        """A broker shuts down; what it led is led by others."""
        if broker in self.brokers.alive:
            self.brokers.alive.discard(broker)
            self.topics.broker_changed(Change("stop", broker))
            self.on_change()

    def start(self, broker: int) -> None:
        """A broker is there again; it rejoins the ISR and leads again what it prefers to lead."""
        if broker not in self.brokers.alive:
            self.brokers.alive.add(broker)
            self.brokers.fenced.discard(broker)
            self.topics.broker_changed(Change("start", broker))
            self.on_change()

    def move_coordinators(self, name: str, partitions: Iterable[int] | None, to: int) -> None:
        """Another broker leads these partitions of an internal topic from now on; None: all of them."""
        topic = self.topics.get(name)
        if topic is not None:
            for index in range(topic.partitions) if partitions is None else partitions:
                self.topics.lead(topic, index, to)
            self.on_change()

    def delete_topics(self, names: Iterable[str]) -> None:
        """These topics are gone."""
        self.topics.delete(names)
        self.on_change()

    def create_topics(self, sections: Iterable[TopicSection]) -> None:
        """Topics are there that were not."""
        for section in sections:
            self.topics.create(section)
        self.on_change()

    def delete_groups(self, group_ids: Iterable[str]) -> None:
        """These groups are gone, with their offsets."""
        self.groups.delete(group_ids)
        self.on_change()

    def create_groups(self, group_ids: Iterable[str]) -> None:
        """Groups are there that were not: empty classic ones."""
        self.groups.create(group_ids)
        self.on_change()
