"""The objects of an emulated, calm cluster, each computed once, and the values that many rows need."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kafka_emulator.groups import Group
from kafka_emulator.log_dirs import path
from kafka_emulator.logs import Log
from kafka_emulator.replicas import NO_LEADER, Partition
from kafka_emulator.topics import Topic
from kafka_emulator.transactions import Transaction
from kafka_emulator.world import World

Row = dict[str, Any]
TopicPartition = tuple[str, int]


@dataclass(frozen=True, eq=False)
class KnownWorld:
    """A world and the `ports` of its brokers, by id, on the only listener; all of them are alive."""

    world: World
    ports: Mapping[int, int]

    @cached_property
    def topics(self) -> list[Topic]:
        return [self.world.topics.by_ordinal(ordinal) for ordinal in self.world.topics.names.ordinals.tolist()]

    @cached_property
    def states(self) -> dict[TopicPartition, Partition]:
        find = self.world.topics.partition
        return {(topic.name, index): find(topic, index) for topic in self.topics for index in range(topic.partitions)}

    @cached_property
    def logs(self) -> dict[TopicPartition, Log]:
        """The log of every partition, whether or not it has a leader."""
        partitions = [(topic, index) for topic in self.topics for index in range(topic.partitions)]
        logs = self.world.logs(partitions)
        return {(topic.name, index): log for (topic, index), log in zip(partitions, logs, strict=True)}

    @cached_property
    def by_name(self) -> dict[str, Topic]:
        return {topic.name: topic for topic in self.topics}

    @cached_property
    def groups(self) -> list[Group]:
        return [self.world.groups.by_ordinal(ordinal) for ordinal in self.world.groups.names.ordinals.tolist()]

    @cached_property
    def transactions(self) -> list[Transaction]:
        names = self.world.transactions.names
        return [self.world.transactions.by_ordinal(ordinal) for ordinal in names.ordinals.tolist()]

    @cached_property
    def futures(self) -> list[tuple[TopicPartition, int, str]]:
        """Replicas that move between log dirs: partition, broker, and target dir; without moves to the current dir.

        A declared move without a replica on the broker is left out.
        """
        declared = ((section.name, one) for section in self.world.declared.topics.declared for one in section.futures)
        every = (((name, one.partition), one.broker, path(one.log_dir)) for name, one in declared)
        hosted = [one for one in every if one[1] in self.states[one[0]].replicas]
        return [one for one in hosted if self.log_dir(one[0], one[1]) != one[2]]

    def held(self, partition: TopicPartition, broker: int) -> int | None:
        """Bytes of a replica: half of the log while it is being added; None where its log dir is offline."""
        size = self.logs[partition].size
        if self.log_dir(partition, broker) is None:
            return None
        return size // 2 if broker in self.states[partition].adding else size

    def log_dir(self, partition: TopicPartition, broker: int) -> str | None:
        """The log dir of a broker's replica of a partition; None where that dir is offline."""
        number = self.world.topics.log_dir(self.by_name[partition[0]], partition[1], broker)
        return None if number in self.world.offline_dirs(broker) else path(number)

    def is_led(self, partition: TopicPartition) -> bool:
        return self.states[partition].leader != NO_LEADER


def leader_of(state: Partition) -> int | None:
    return None if state.leader == NO_LEADER else state.leader
