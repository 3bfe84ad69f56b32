"""The groups of a cluster: classic, consumer (KIP-848), share and streams ones.

A generated group's type and state come from its ordinal. Two columns by ordinal hold what all groups have:
the partition of __consumer_offsets, and the shape (type, state, protocol).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kafka_emulator.arithmetic import Ints, mix, mixed, partition_for, partitions_for
from kafka_emulator.declared import GROUP_STATES, GroupSection, GroupsSection
from kafka_emulator.features import GROUP_TYPES, LATEST, GroupType
from kafka_emulator.names import Names, Run, names

_PROTOCOL_TYPES = {"classic": "consumer", "consumer": "consumer", "share": "share", "streams": "streams"}
PROTOCOLS = {"classic": "range", "consumer": "uniform", "share": "simple", "streams": "sticky"}
LIVE = "Stable"
REBALANCING = "PreparingRebalance"
"""The state of a classic group that a file declares in a state of another type."""


@dataclass(frozen=True)
class Shape:
    """The fields of a group in ListGroups, which many groups have in common."""

    type: str
    state: str
    protocol_type: str


class Group(NamedTuple):
    """One group; built on request.

    ordinal   its position in the columns, from which its values are computed
    members   the number of members; `World.members(group)` returns the members
    topics    the names of the topics that the group is subscribed to, or has committed offsets of
    """

    group_id: str
    ordinal: int
    shape: Shape
    members: int
    topics: tuple[str, ...]
    declared: GroupSection | None = None

    @property
    def assignor(self) -> str:
        """The assignor of a live group: the protocol of a classic group."""
        return PROTOCOLS[self.shape.type] if self.members else ""

    @property
    def topology(self) -> str:
        """The status of the topology description of a streams group."""
        return self.declared.topology if self.declared else "NOT_STORED"


@dataclass
class Groups:
    """All groups.

    names             the group ids, sorted
    hashed_by         the number of partitions of __consumer_offsets by which the brokers hash
    generated_topics  the topics that generated groups read
    types             the types that the cluster can have: a group of any other type becomes a classic group
    version           grows with every change
    """

    section: GroupsSection
    seed: int
    generated_topics: Run
    types: tuple[GroupType, ...] = GROUP_TYPES[LATEST]
    version: int = 0
    names: Names = field(init=False)
    _shapes: list[Shape] = field(default_factory=list)
    _shape_of: npt.NDArray[np.uint8] = field(init=False)
    _partition_of: npt.NDArray[np.uint16] = field(init=False)

    def __post_init__(self) -> None:
        """Two columns, with one and two bytes per group."""
        section = self.section
        run = section.run
        declared = {group.id: self._possible(group) for group in section.declared}
        self.names = names(run, declared)
        self._declared = [declared[name] for name in self.names.declared]
        self._overridden = {
            number: group for name, group in declared.items() if (number := run.number(name)) is not None
        }
        ordinals = np.arange(run.count, dtype=np.int64)
        self._shapes = [*_generated(tuple(one if one in self.types else "classic" for one in section.types))]
        shapes = (mixed(self.seed, ordinals) % np.uint64(max(1, len(self._shapes)))).astype(np.uint8)
        self._shape_of = np.concatenate((shapes, np.array([self._shape(one) for one in self._declared], np.uint8)))
        for number, group in self._overridden.items():
            self._shape_of[number] = self._shape(group)
        hashed = partitions_for(run.prefix, run.width, run.count, self.hashed_by)
        others = [partition_for(group.id, self.hashed_by) for group in self._declared]
        self._partition_of = np.concatenate((hashed, np.array(others, np.uint16)))

    @property
    def configs(self) -> dict[str, dict[str, str]]:
        """The configs of groups that have configs, by id; whether or not the group exists."""
        return {group.id: group.configs for group in self.section.declared if group.configs}

    @property
    def hashed_by(self) -> int:
        """The brokers' count of the partitions of __consumer_offsets, as of their start."""
        return self.section.hash_partitions or self.section.offsets_partitions

    def get(self, group_id: str) -> Group | None:
        """The group of an id; None where no such group exists."""
        ordinal = self.names.present(group_id)
        return None if ordinal is None else self.by_ordinal(ordinal)

    def by_ordinal(self, ordinal: int) -> Group:
        """The group of an ordinal, whether or not it still exists."""
        name, shape = self.names.name(ordinal), self._shapes[self._shape_of[ordinal]]
        declared = self._overridden.get(ordinal)
        if ordinal >= self.names.run.count:
            declared = self._declared[ordinal - self.names.run.count]
        if declared is not None:
            topics = dict.fromkeys((*declared.topics, *(one.topic for one in declared.offsets or ())))
            return Group(name, ordinal, shape, declared.members, tuple(topics), declared)
        most = self.section.members_at_most if shape.state not in ("Empty", "Dead") else 0
        members = 1 + mix(self.seed, ordinal, 1) % most if most else 0
        return Group(name, ordinal, shape, members, self._topics(ordinal))

    def partition_of(self, group_id: str) -> int:
        """The partition of __consumer_offsets to which brokers hash an id, whether or not the group exists."""
        ordinal = self.names.ordinal(group_id)
        known = ordinal is not None and ordinal < len(self._partition_of)
        return int(self._partition_of[ordinal]) if known else partition_for(group_id, self.hashed_by)

    def shapes(self, ordinals: Ints) -> list[Shape]:
        """The shape of each of these groups."""
        return [self._shapes[shape] for shape in self._shape_of[ordinals].tolist()]

    def on(self, partitions: Sequence[int], of: Names | None = None) -> Names:
        """The groups on these partitions of __consumer_offsets, sorted; `of` restricts the search to these groups."""
        among = self.names if of is None else of
        return among.pick(np.isin(self._partition_of[among.ordinals], np.array(partitions, np.uint16)))

    def of_shape(self, wanted: Iterable[Shape], among: Names) -> Names:
        """The groups among these that have one of these shapes."""
        kept = set(wanted)
        codes = [code for code, shape in enumerate(self._shapes) if shape in kept]
        return among.pick(np.isin(self._shape_of[among.ordinals], np.array(codes, np.uint8)))

    @property
    def all_shapes(self) -> tuple[Shape, ...]:
        """Every shape of a group."""
        return tuple(self._shapes)

    def delete(self, group_ids: Iterable[str]) -> None:
        """Delete groups."""
        self.names = self.names.without(group_ids)
        self.version += 1

    def create(self, group_ids: Iterable[str]) -> None:
        """Create empty classic groups; a group that existed before is as it was."""
        for group_id in (one for one in group_ids if one not in self.names):
            self.names = self.names.having(group_id)
            if len(self.names.declared) > len(self._declared):
                group = GroupSection(id=group_id)
                self._declared.append(group)
                self._shape_of = np.append(self._shape_of, np.uint8(self._shape(group)))
                self._partition_of = np.append(self._partition_of, np.uint16(self.partition_of(group_id)))
        self.version += 1

    def _possible(self, group: GroupSection) -> GroupSection:
        """A declared group; a classic group where the cluster cannot have its type."""
        if group.type in self.types:
            return group
        state = group.state if group.state in (None, *GROUP_STATES["classic"]) else REBALANCING
        return group.model_copy(update={"type": "classic", "state": state, "protocol_type": "consumer"})

    def _topics(self, ordinal: int) -> tuple[str, ...]:
        run = self.generated_topics
        count = min(self.section.topics_per_group, run.count)
        return tuple(sorted(run.name((ordinal + one) % run.count) for one in range(count)))

    def _shape(self, group: GroupSection) -> int:
        state = group.state or (LIVE if group.members else "Empty")
        protocol = group.protocol_type if group.type == "classic" else _PROTOCOL_TYPES[group.type]
        shape = Shape(group.type, state, protocol)
        if shape not in self._shapes:
            self._shapes.append(shape)
        return self._shapes.index(shape)


def _generated(types: tuple[str, ...]) -> list[Shape]:
    """The shapes of generated groups: two of three are alive."""
    return [Shape(one, state, _PROTOCOL_TYPES[one]) for one in types for state in (LIVE, LIVE, "Empty")]
