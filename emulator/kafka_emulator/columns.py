"""Which of all partitions a broker hosts, or are being moved: computed for all of them at once, and kept.

A million partitions take a few milliseconds and two columns of numbers.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kafka_emulator.places import Places, all_places
from kafka_emulator.replicas import Partition
from kafka_emulator.topics import Topics

Mask = npt.NDArray[np.bool_]


@dataclass
class Columns:
    """Answers are kept until the topics change."""

    topics: Topics
    _version: int = -1
    _places: dict[str, Places] = field(default_factory=dict)

    def reassigning(self) -> Places:
        """The partitions that are being moved, in order of topic and partition."""
        return self._get("reassigning", self._moving, lambda state: bool(state.adding or state.removing))

    def hosted(self, broker: int) -> Places:
        """The partitions of which a broker has a replica, whether or not it is alive."""

        def hosts(places: Places) -> Mask:
            brokers = len(self.topics.brokers.ids)
            factor = min(self.topics.section.replication_factor, brokers)
            first = (self.topics.seed + places.ordinals + places.indexes) % brokers
            behind = (broker - 1 - first) % brokers
            # What is being moved has one replica more, right behind the others.
            hosted: Mask = (behind < factor) | ((behind == factor) & self._moving(places))
            return hosted

        return self._get(f"hosted by {broker}", hosts, lambda state: broker in state.replicas)

    def _moving(self, places: Places) -> Mask:
        section = self.topics.section
        step = max(1, section.partitions // max(1, section.reassigning))
        place = places.ordinals * section.partitions_per_topic + places.indexes
        moving: Mask = (place % step == 0) & (place // step < section.reassigning)
        return moving

    def _get(self, what: str, generated: Callable[[Places], Mask], asked: Callable[[Partition], bool]) -> Places:
        topics = self.topics
        if self._version != topics.version:
            self._version = topics.version
            self._places.clear()
        if what not in self._places:
            places = all_places(topics.names, topics.sizes(topics.names))
            mask = generated(places)
            for position in np.flatnonzero(np.isin(places.ordinals, list(topics.kept()))).tolist():
                topic = topics.by_ordinal(int(places.ordinals[position]))
                mask[position] = asked(topics.partition(topic, int(places.indexes[position])))
            self._places[what] = places.pick(mask)
        return self._places[what]
