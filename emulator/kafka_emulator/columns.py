"""The partitions that a broker hosts, and those that are being moved: computed for all partitions at once, and cached.

A million partitions take a few milliseconds and two columns of numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kafka_emulator.replicas import Partition
from kafka_emulator.topic_partitions import TopicPartitions, all_partitions
from kafka_emulator.topics import Topics

Mask = npt.NDArray[np.bool_]


@dataclass
class Columns:
    """Columns of a world; results are cached until the topics change."""

    topics: Topics
    _version: int = -1
    _partitions: dict[str, TopicPartitions] = field(default_factory=dict)

    def reassigning(self) -> TopicPartitions:
        """The partitions that are being moved, in order of topic and partition."""
        return self._get("reassigning", self._moving, lambda state: bool(state.adding or state.removing))

    def hosted(self, broker: int) -> TopicPartitions:
        """The partitions of which a broker has a replica, whether or not it is alive."""

        def hosts(partitions: TopicPartitions) -> Mask:
            brokers = len(self.topics.brokers.ids)
            factor = min(self.topics.section.replication_factor, brokers)
            first = (self.topics.seed + partitions.ordinals + partitions.indexes) % brokers
            behind = (broker - 1 - first) % brokers
            # A partition that is being moved has one more replica, directly behind the others.
            hosted: Mask = (behind < factor) | ((behind == factor) & self._moving(partitions))
            return hosted

        return self._get(f"hosted by {broker}", hosts, lambda state: broker in state.replicas)

    def _moving(self, partitions: TopicPartitions) -> Mask:
        section = self.topics.section
        step = max(1, section.partitions // max(1, section.reassigning))
        position = partitions.ordinals * section.partitions_per_topic + partitions.indexes
        moving: Mask = (position % step == 0) & (position // step < section.reassigning)
        return moving

    def _get(
        self, what: str, generated: Callable[[TopicPartitions], Mask], asked: Callable[[Partition], bool]
    ) -> TopicPartitions:
        topics = self.topics
        if self._version != topics.version:
            self._version = topics.version
            self._partitions.clear()
        if what not in self._partitions:
            partitions = all_partitions(topics.names, topics.sizes(topics.names))
            mask = generated(partitions)
            for position in np.flatnonzero(np.isin(partitions.ordinals, list(topics.kept()))).tolist():
                topic = topics.by_ordinal(int(partitions.ordinals[position]))
                mask[position] = asked(topics.partition(topic, int(partitions.indexes[position])))
            self._partitions[what] = partitions.pick(mask)
        return self._partitions[what]
