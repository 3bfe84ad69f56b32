"""The producers of a partition, highest id first, computed by position: 5,000,000 producers need no storage.

Producers of transactions come from `Transactions`; the others are numbered from FIRST on, in steps of STEP: few
idle producers are all below FIRST_PRODUCER_ID of transactions, many reach far above it.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, repeat
from typing import NamedTuple, overload

import numpy as np

from kafka_emulator.arithmetic import mix, mixed, positions
from kafka_emulator.logs import START_TIME_MS
from kafka_emulator.paging import Cursor
from kafka_emulator.transactions import OPEN, Ordered, Transaction

BEGINNING = 2**63 - 1
"""The producer id of a cursor at the beginning of a partition: the highest possible id."""

FIRST = 1_000_000_000
STEP = 3
NO_TRANSACTION = -1


class Producer(NamedTuple):
    """One active producer of a partition, its fields in the order of DescribeProducers."""

    producer_id: int
    epoch: int
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int
    current_txn_start_offset: int


class Producers(Sequence[Producer]):
    """The active producers of one partition: `producers[position]`; `at` and `cursor` (id,) for paging."""

    def __init__(
        self, seed: int, idle: int, known: Ordered, transaction: Callable[[int], Transaction], first_offset: int
    ) -> None:
        """`seed` differs by partition; `first_offset` is an open transaction's; `idle` producers have none."""
        self.seed, self.idle, self._first_offset = seed, idle, first_offset
        self._known, self._transaction = known, transaction

    def __len__(self) -> int:
        return self.idle + len(self._known)

    @overload
    def __getitem__(self, position: int) -> Producer: ...
    @overload
    def __getitem__(self, position: slice) -> list[Producer]: ...
    def __getitem__(self, position: int | slice) -> Producer | list[Producer]:
        if isinstance(position, slice):
            begin, end, _ = position.indices(len(self))
            return next(reported([(self, begin, end)]))
        at = range(len(self))[position]
        return self[at : at + 1][0]

    def transactional(self, position: int) -> Producer:
        """The producer of a transaction, at a position behind the idle producers."""
        one = self._transaction(int(self._known.ordinals[position - self.idle]))
        drawn = mix(self.seed, one.producer_id)
        # The coordinator epoch is known only after the marker that ends a transaction.
        coordinator, first = (-1, self._first_offset) if one.state in OPEN else (0, NO_TRANSACTION)
        written = max(one.start_time_ms, START_TIME_MS) + 1000
        return Producer(one.producer_id, one.producer_epoch, drawn % 10_000, written, coordinator, first)

    def at(self, cursor: Cursor) -> int:
        """The position of the first producer whose id is not above this one."""
        return bisect_left(range(len(self)), -cursor[0], key=lambda position: -self._id(position))

    def cursor(self, position: int) -> Cursor:
        """The producer id of a position."""
        return (self._id(position),)

    def _id(self, position: int) -> int:
        if position < self.idle:
            return FIRST + (self.idle - 1 - position) * STEP
        return int(self._known.producer_ids[position - self.idle])


def reported(parts: Sequence[tuple[Producers, int, int]]) -> Iterator[list[Producer]]:
    """The producers of several partitions, each from one position up to another; idle producers are drawn at once."""
    part_of, position = positions([(begin, max(begin, min(end, one.idle))) for one, begin, end in parts])
    producer_ids = FIRST + (np.array([one.idle for one, _, _ in parts], np.int64)[part_of] - 1 - position) * STEP
    drawn = mixed(np.array([one.seed for one, _, _ in parts], np.uint64)[part_of], producer_ids)
    times = START_TIME_MS + (drawn % 86_400_000).astype(np.int64)
    columns = producer_ids, drawn % 3, drawn % 10_000, times
    idle = map(Producer, *(column.tolist() for column in columns), repeat(-1), repeat(NO_TRANSACTION))
    for one, begin, end in parts:
        rest = range(max(begin, one.idle), end)
        yield [*islice(idle, end - begin - len(rest)), *map(one.transactional, rest)]
