"""The producers of a partition, highest id first: 5,000,000 of them are arithmetic.

The open transactions of a partition come from `Transactions`; the others are numbered from FIRST on, in
steps of STEP, all below FIRST_PRODUCER_ID of transactions where there are few, and far above where there are many.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from kafka_census.emulator.arithmetic import mix
from kafka_census.emulator.logs import START_TIME_MS
from kafka_census.emulator.paging import Cursor
from kafka_census.emulator.transactions import Transaction

BEGINNING = 2**63 - 1
"""The producer id with which a partition's cursor begins: none is above it."""

FIRST = 1_000_000_000
STEP = 3
NO_TRANSACTION = -1


class Producer(NamedTuple):
    """One active producer of a partition."""

    producer_id: int
    epoch: int
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int
    current_txn_start_offset: int


class Producers(Sequence[Producer]):
    """The active producers of one partition: `producers[position]`; `at` and `cursor` (id,) for paging."""

    def __init__(self, place: int, idle: int, transactions: Sequence[Transaction], first_offset: int) -> None:
        """`place` tells partitions apart; `idle` producers have no open transaction."""
        self._place, self._idle, self._first_offset = place, idle, first_offset
        self._open = sorted(transactions, key=lambda one: -one.producer_id)

    def __len__(self) -> int:
        return self._idle + len(self._open)

    def __getitem__(self, place: int) -> Producer:  # type: ignore[override]  # nobody slices producers
        if place < self._idle:
            producer_id = FIRST + (self._idle - 1 - place) * STEP
            drawn = mix(self._place, producer_id)
            return Producer(
                producer_id, drawn % 3, drawn % 10_000, START_TIME_MS + drawn % 86_400_000, -1, NO_TRANSACTION
            )
        one = self._open[place - self._idle]
        drawn = mix(self._place, one.producer_id)
        return Producer(
            one.producer_id, one.producer_epoch, drawn % 10_000, one.start_time_ms + 1000, 0, self._first_offset
        )

    def at(self, cursor: Cursor) -> int:
        """The position of the first producer whose id is not above this one."""
        return bisect_left(range(len(self)), -cursor[0], key=lambda place: -self._id(place))

    def cursor(self, position: int) -> Cursor:
        """The producer id of a position."""
        return (self._id(position),)

    def _id(self, place: int) -> int:
        if place < self._idle:
            return FIRST + (self._idle - 1 - place) * STEP
        return self._open[place - self._idle].producer_id
