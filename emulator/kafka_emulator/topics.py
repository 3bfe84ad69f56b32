"""The topics of a cluster and their partitions, computed from seed and position; only deviations are stored.

A generated partition's replicas are consecutive brokers, beginning at (seed + topic + partition) modulo
brokers, so that all partitions with the same first broker share one state. Stops and starts of brokers are
replayed over it, once for each first broker.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

import numpy as np

from kafka_emulator.arithmetic import Ints, mix
from kafka_emulator.brokers import Brokers
from kafka_emulator.declared import PartitionSection, TopicSection, TopicsSection
from kafka_emulator.names import Names, names
from kafka_emulator.replicas import Change, Partition, changed, led_by

GROUPS_TOPIC, TRANSACTIONS_TOPIC, SHARES_TOPIC = "__consumer_offsets", "__transaction_state", "__share_group_state"
INTERNAL = frozenset({GROUPS_TOPIC, TRANSACTIONS_TOPIC, SHARES_TOPIC})
MIN_ISR = "min.insync.replicas"
KEPT_TOPICS = 4096
"""The number of topics that are cached, so that a request for the next partition does not build them again."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic; built on request. `drawn` is the random number from which its logs and log dirs are computed."""

    name: str
    ordinal: int
    topic_id: UUID
    partitions: int
    replication_factor: int
    configs: dict[str, str]
    drawn: int

    @property
    def is_internal(self) -> bool:
        """Whether the topic is internal to Kafka."""
        return self.name in INTERNAL


@dataclass
class Topics:
    """All topics.

    names            the names of topics, sorted; all else is computed from `names.ordinal(name)`
    default_min_isr  min.insync.replicas of a topic that does not override it
    elr              whether the cluster keeps eligible leader replicas (KIP-966)
    version          grows with every change, so that derived values can be cached until then
    """

    section: TopicsSection
    brokers: Brokers
    seed: int
    default_min_isr: int = 1
    elr: bool = True
    version: int = 0
    names: Names = field(init=False)
    _declared: dict[int, TopicSection] = field(default_factory=dict)
    _incarnations: dict[str, int] = field(default_factory=dict)
    _history: list[Change] = field(default_factory=list)
    _states: dict[tuple[int, int], tuple[Partition, int]] = field(default_factory=dict)
    _made: dict[int, Topic] = field(default_factory=dict)
    _has_states: set[int] = field(default_factory=set)
    _rotations: dict[tuple[int, int, bool], list[Partition]] = field(default_factory=dict)
    _settled: dict[tuple[Partition, int, int], Partition] = field(default_factory=dict)
    _plain: dict[int, list[Partition] | None] = field(default_factory=dict)
    _leaders: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Declared topics replace generated topics of the same name."""
        self.names = names(self.section.run)
        self._history = [Change("stop", one) for one in self.brokers.ids if one not in self.brokers.alive]
        for topic in self.section.declared:
            self.create(topic)

    def create(self, section: TopicSection) -> Topic:
        """Create a topic; after a deletion of the same name the new topic has another id."""
        if section.name not in self.names:
            self.names = self.names.having(section.name)
        ordinal = self.names.ordinals[self.names.at(section.name)].item()
        self._declared[ordinal] = section
        for state in section.states:
            self._states[ordinal, state.partition] = self._declared_state(ordinal, state), 0
        self._changed()
        return self.by_ordinal(ordinal)

    def delete(self, gone: Iterable[str]) -> None:
        """Delete topics."""
        for name in (one for one in gone if one in self.names):
            self._incarnations[name] = self._incarnations.get(name, 0) + 1
            ordinal = self.names.ordinal(name)
            self._states = {key: state for key, state in self._states.items() if key[0] != ordinal}
            self.names = self.names.without([name])
        self._changed()

    def get(self, name: str) -> Topic | None:
        """The topic of a name; None where no such topic exists."""
        ordinal = self.names.present(name)
        return None if ordinal is None else self.by_ordinal(ordinal)

    def configs(self, names: Sequence[str]) -> list[Mapping[str, str] | None]:
        """The overridden configs of these topics, without building the topics; None where a topic does not exist."""
        declared, nothing = self._declared, dict[str, str]()
        ordinals = self.names.ordinals_of(names).tolist()
        return [None if one < 0 else declared[one].configs if one in declared else nothing for one in ordinals]

    def of_id(self, topic_id: UUID | None) -> Topic | None:
        """The topic of an id, which contains the ordinal. None, as which the zero id is read, is no topic's id."""
        if topic_id is None:
            return None
        ordinal = topic_id.int & 0xFFFFFFFF
        known = ordinal < self.names.run.count + len(self.names.declared)
        topic = self.get(self.names.name(ordinal)) if known else None
        return topic if topic is not None and topic.topic_id == topic_id else None

    def by_ordinal(self, ordinal: int) -> Topic:
        """The topic of an ordinal, whether or not it still exists."""
        topic = self._made.get(ordinal)
        if topic is None:
            if len(self._made) >= KEPT_TOPICS:
                self._made.clear()
                self._plain.clear()
            topic = self._made[ordinal] = self._make(ordinal)
        return topic

    def declared(self, ordinal: int) -> TopicSection | None:
        """The declaration of a topic; None for a generated topic."""
        return self._declared.get(ordinal)

    def sizes(self, of: Names) -> Ints:
        """The number of partitions of each of these topics, by position."""
        run, section = of.run, self.section
        sizes = np.full(len(of), section.partitions_per_topic, np.int64)
        rest = section.partitions % section.partitions_per_topic
        if rest:
            sizes[of.ordinals == run.count - 1] = rest
        for ordinal in self._declared:
            sizes[of.ordinals == ordinal] = self._count(ordinal)
        return sizes

    def partition(self, topic: Topic, index: int) -> Partition:
        """The current state of one partition."""
        if (plain := self._plain.get(topic.ordinal) or self._plain_states(topic)) is not None:
            return plain[(self.seed + topic.ordinal + index) % len(plain)]
        kept = self._states.get((topic.ordinal, index))
        if kept is not None:
            return self._replayed(*kept, self.min_isr(topic))
        if topic.ordinal in self._declared or self.brokers.section.offline_log_dirs:
            return self._replayed(self._base(topic, index), 0, self.min_isr(topic))
        states = self._rotation(topic, moves=self.moves(topic.ordinal, index))
        return states[(self.seed + topic.ordinal + index) % len(states)]

    def states(self, partitions: Iterable[tuple[Topic, int]]) -> list[Partition]:
        """The states of many partitions, of any topics."""
        seed, plain = self.seed, self._plain
        return [
            states[(seed + topic.ordinal + index) % len(states)]
            if (states := plain.get(topic.ordinal)) is not None
            else self.partition(topic, index)
            for topic, index in partitions
        ]

    def partitions(self, topic: Topic, begin: int, end: int) -> list[Partition]:
        """The states of consecutive partitions of a topic, for a page."""
        if (states := self._plain_states(topic)) is not None:
            first = self.seed + topic.ordinal
            return [states[(first + index) % len(states)] for index in range(begin, end)]
        return [self.partition(topic, index) for index in range(begin, end)]

    def min_isr(self, topic: Topic) -> int:
        """min.insync.replicas of a topic."""
        return int(topic.configs.get(MIN_ISR, self.default_min_isr))

    def moves(self, ordinal: int, index: int) -> bool:
        """Whether a generated partition is being reassigned."""
        count, total = self.section.reassigning, self.section.partitions
        if not count or ordinal in self._declared:
            return False
        step = max(1, total // count)
        position = ordinal * self.section.partitions_per_topic + index
        return position % step == 0 and position // step < count

    def log_dir(self, topic: Topic, index: int, broker: int) -> int:
        """The number of the log dir in which a broker keeps its replica."""
        dirs = self.brokers.section.log_dirs
        return mix(topic.drawn, index, broker) % dirs if dirs > 1 else 0

    def led_by(self, broker: int, name: str) -> list[int]:
        """The partitions of one topic that a broker leads; [] where there is no such topic."""
        return [index for index, leader in enumerate(self.leaders(name)) if leader == broker]

    def leaders(self, name: str) -> list[int]:
        """The leaders of one topic's partitions; [] where there is no such topic."""
        if name not in self._leaders:
            topic = self.get(name)
            states = self.partitions(topic, 0, topic.partitions) if topic else []
            self._leaders[name] = [state.leader for state in states]
        return self._leaders[name]

    def kept(self) -> set[int]:
        """The ordinals of topics that are declared or have a partition with a stored state."""
        return {*self._declared, *self._has_states}

    def broker_changed(self, change: Change) -> None:
        """Note that a broker stopped or started."""
        self._history.append(change)
        self._changed()

    def lead(self, topic: Topic, index: int, leader: int) -> None:
        """Make another broker the leader of a partition."""
        state = led_by(self.partition(topic, index), leader)
        self._states[topic.ordinal, index] = state, len(self._history)
        self._changed()

    def every_partition(self) -> Iterator[tuple[Topic, int]]:
        """Every partition of every topic, one by one: for small clusters."""
        for ordinal in self.names.ordinals.tolist():
            topic = self.by_ordinal(ordinal)
            for index in range(topic.partitions):
                yield topic, index

    def _make(self, ordinal: int) -> Topic:
        name, declared = self.names.name(ordinal), self._declared.get(ordinal)
        factor = declared and declared.replication_factor
        assigned = len(declared.assignment[0]) if declared and declared.assignment else None
        drawn = mix(self.seed, ordinal, self._incarnations.get(name, 0))
        return Topic(
            name,
            ordinal,
            UUID(int=drawn << 64 | ordinal),
            self._count(ordinal),
            assigned or min(factor or self.section.replication_factor, len(self.brokers.ids)),
            declared.configs if declared else {},
            drawn,
        )

    def _changed(self) -> None:
        self.version += 1
        self._made.clear()
        self._plain.clear()
        self._leaders.clear()
        self._has_states = {ordinal for ordinal, _ in self._states}
        self._rotations.clear()
        self._settled.clear()

    def _count(self, ordinal: int) -> int:
        declared = self._declared.get(ordinal)
        if declared is not None:
            return declared.count
        return self.section.partitions_of(ordinal)

    def _row(self, first: int, factor: int) -> tuple[int, ...]:
        count = len(self.brokers.ids)
        return tuple((first + one) % count + 1 for one in range(factor))

    def _plain_states(self, topic: Topic) -> list[Partition] | None:
        """The states of a topic whose partitions are all generated, without a stored state or a reassignment."""
        ordinal = topic.ordinal
        if ordinal not in self._plain:
            kept = ordinal in self._declared or ordinal in self._has_states or self.brokers.section.offline_log_dirs
            is_plain = not kept and not self._has_moving(ordinal)
            self._plain[ordinal] = self._rotation(topic, moves=False) if is_plain else None
        return self._plain[ordinal]

    def _has_moving(self, ordinal: int) -> bool:
        """Whether a partition of a generated topic is being reassigned."""
        count, held = self.section.reassigning, self.section.partitions_per_topic
        if not count:
            return False
        step = max(1, self.section.partitions // count)
        first = -(-ordinal * held // step)
        return first < count and first * step < (ordinal + 1) * held

    def _rotation(self, topic: Topic, *, moves: bool) -> list[Partition]:
        """The states of generated partitions, by the first of their consecutive brokers."""
        key = topic.replication_factor, self.default_min_isr, moves
        if key not in self._rotations:
            self._rotations[key] = [self._rotated(first, *key) for first in range(len(self.brokers.ids))]
        return self._rotations[key]

    def _rotated(self, first: int, factor: int, min_isr: int, moves: bool) -> Partition:
        return self._replayed(self._generated(first, factor, moves), 0, min_isr)

    def _generated(self, first: int, factor: int, moves: bool) -> Partition:
        replicas = self._row(first, factor)
        state = Partition(replicas[0], first % 4, replicas, replicas)
        if not moves:
            return state
        adding = self._row(first + factor, 1) if factor < len(self.brokers.ids) else ()
        moved = (*replicas[:-1], *adding, replicas[-1])
        return replace(state, replicas=moved, adding=adding, removing=replicas[-1:])

    def _base(self, topic: Topic, index: int) -> Partition:
        declared = self._declared.get(topic.ordinal)
        if declared and declared.assignment:
            replicas = declared.assignment[index]
            state = Partition(replicas[0], 0, replicas, replicas)
        else:
            first = (self.seed + topic.ordinal + index) % len(self.brokers.ids)
            state = self._generated(first, topic.replication_factor, self.moves(topic.ordinal, index))
        for broker, offline in self.brokers.section.offline_log_dirs:
            if broker in state.replicas and self.log_dir(topic, index, broker) == offline:
                state = changed(state, Change("stop", broker), self.min_isr(topic), elr=self.elr)
        return state

    def _declared_state(self, ordinal: int, declared: PartitionSection) -> Partition:
        state = self._base(self.by_ordinal(ordinal), declared.partition)
        kept = (one for one in state.replicas if one not in (*declared.adding, *declared.removing))
        replicas = (*kept, *declared.adding, *declared.removing)
        given = declared.model_dump(include={"leader", "isr", "elr", "last_known_elr"}, exclude_none=True)
        return replace(state, replicas=replicas, adding=declared.adding, removing=declared.removing, **given)

    def _replayed(self, state: Partition, since: int, min_isr: int) -> Partition:
        key = state, since, min_isr
        if key not in self._settled:
            for change in self._history[since:]:
                state = changed(state, change, min_isr, elr=self.elr)
            self._settled[key] = state
        return self._settled[key]
