"""The objects of an emulated, calm cluster, each computed once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kafka_emulator.groups import Group
from kafka_emulator.replicas import Partition
from kafka_emulator.topics import Topic
from kafka_emulator.transactions import Transaction
from kafka_emulator.world import World

Row = dict[str, Any]
TopicPartition = tuple[str, int]


@dataclass(frozen=True, eq=False)
class KnownWorld:
    """A world whose brokers are all alive."""

    world: World

    @cached_property
    def topics(self) -> dict[str, Topic]:
        every = (self.world.topics.by_ordinal(ordinal) for ordinal in self.world.topics.names.ordinals.tolist())
        return {topic.name: topic for topic in every}

    @cached_property
    def states(self) -> dict[TopicPartition, Partition]:
        find = self.world.topics.partition
        return {
            (name, index): find(topic, index)
            for name, topic in self.topics.items()
            for index in range(topic.partitions)
        }

    @cached_property
    def groups(self) -> list[Group]:
        return [self.world.groups.by_ordinal(ordinal) for ordinal in self.world.groups.names.ordinals.tolist()]

    @cached_property
    def transactions(self) -> list[Transaction]:
        names = self.world.transactions.names
        return [self.world.transactions.by_ordinal(ordinal) for ordinal in names.ordinals.tolist()]
