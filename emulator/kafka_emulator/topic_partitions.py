"""Some partitions of a cluster in the order of topic and index: two columns, no objects."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kafka_emulator.arithmetic import Ints, utf16
from kafka_emulator.names import Names
from kafka_emulator.paging import Cursor


class TopicPartitions(Sequence[tuple[str, int]]):
    """Sorted (topic, partition) pairs: `partitions[position]` is a pair.

    `partitions.at((topic, partition))` is the position of the first pair that is not before it. `ordinals` are the
    topics' ordinals, `indexes` the partitions, by position.
    """

    def __init__(self, names: Names, ordinals: Ints, indexes: Ints) -> None:
        """`ordinals` and `indexes` are in order already."""
        self.names = names
        self.ordinals = ordinals
        self.indexes = indexes

    def __len__(self) -> int:
        return len(self.ordinals)

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            ordinals, indexes = self.ordinals[position].tolist(), self.indexes[position].tolist()
            return [(self.names.name(one), index) for one, index in zip(ordinals, indexes, strict=True)]
        return self.names.name(int(self.ordinals[position])), int(self.indexes[position])

    def at(self, cursor: Cursor) -> int:
        """The position of the first partition that is not before this topic and partition."""
        key = utf16(cursor[0]), int(cursor[1])
        return bisect_left(range(len(self)), key, key=self._key)

    def pick(self, mask: npt.NDArray[np.bool_]) -> "TopicPartitions":
        """The partitions at the positions where the mask is true."""
        return TopicPartitions(self.names, self.ordinals[mask], self.indexes[mask])

    def _key(self, position: int) -> tuple[bytes, int]:
        name, index = self[position]
        return utf16(name), index


def all_partitions(names: Names, sizes: Ints) -> TopicPartitions:
    """Every partition of these topics; `sizes` is the number of partitions of each topic, by position."""
    ordinals = np.repeat(names.ordinals, sizes)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return TopicPartitions(names, ordinals, np.arange(len(ordinals), dtype=np.int64) - starts)
