"""Transactional ids and their transactions, in the KIP's order: producer id descending, then by id.

A generated id's number gives everything: transaction i has producer id FIRST + i, and writes to partition
i modulo all generated ones, so that a partition knows which transactions are open in it.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from kafka_census.emulator.arithmetic import Ints, mix, partition_for, partitions_for, utf16
from kafka_census.emulator.declared import TopicsSection, TransactionSection, TransactionsSection
from kafka_census.emulator.logs import START_TIME_MS
from kafka_census.emulator.names import Names, Run, names
from kafka_census.emulator.paging import Cursor

FIRST_PRODUCER_ID = 1_000_000
STATES = ("Ongoing", "CompleteCommit", "Ongoing", "Empty", "CompleteAbort")
"""Of generated transactions, in turn."""

OPEN = frozenset({"Ongoing", "PrepareCommit", "PrepareAbort"})
TIMEOUT_MS = 60_000


@dataclass(frozen=True)
class Transaction:
    """One transactional id and its last transaction.

    start_time_ms   -1 where none is open
    partitions      (topic, partition) pairs of an open one, sorted; topics may be gone by now
    """

    transactional_id: str
    producer_id: int
    producer_epoch: int
    state: str
    timeout_ms: int
    start_time_ms: int
    partitions: tuple[tuple[str, int], ...]


class Ordered(Sequence[str]):
    """Transactional ids by producer id, highest first, then by id; `at` takes (id, producer id)."""

    def __init__(self, all_names: Names, ordinals: Ints, producer_ids: Ints) -> None:
        """Both columns are in order already."""
        self.names, self.ordinals, self.producer_ids = all_names, ordinals, producer_ids

    def __len__(self) -> int:
        return len(self.ordinals)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self.names.name(ordinal) for ordinal in self.ordinals[place].tolist()]
        return self.names.name(int(self.ordinals[place]))

    def at(self, cursor: Cursor) -> int:
        """The position of the first transaction that is not before this one."""
        return bisect_left(range(len(self)), (-cursor[1], utf16(cursor[0])), key=self._key)

    def cursor(self, position: int) -> Cursor:
        """Transactional id and producer id of a position."""
        return self[position], int(self.producer_ids[position])

    def _key(self, position: int) -> tuple[int, bytes]:
        return -int(self.producer_ids[position]), utf16(self[position])


@dataclass
class Transactions:
    """All transactional ids.

    names      sorted by id; `World.transactions_of(broker)` has them in the order of ListTransactions
    """

    section: TransactionsSection
    topics: TopicsSection
    generated_topics: Run
    seed: int
    names: Names = field(init=False)
    _partition_of: npt.NDArray[np.uint16] = field(init=False)

    def __post_init__(self) -> None:
        """One column: the partition of __transaction_state, by ordinal."""
        section = self.section
        run = Run(section.prefix, section.count, max(7, len(str(section.count))))
        declared = {one.id: one for one in section.declared}
        self.names = names(run, declared)
        ordinals = {self.names.ordinals[self.names.at(name)].item(): one for name, one in declared.items()}
        self._declared: dict[int, TransactionSection] = ordinals
        others = [partition_for(name, section.partitions) for name in self.names.declared]
        hashed = partitions_for(run.prefix, run.width, run.count, section.partitions)
        self._partition_of = np.concatenate((hashed, np.array(others, np.uint16)))

    def get(self, transactional_id: str) -> Transaction | None:
        """The transaction of an id; None where there is none."""
        ordinal = self.names.ordinal(transactional_id) if transactional_id in self.names else None
        return None if ordinal is None else self.by_ordinal(ordinal)

    def by_ordinal(self, ordinal: int) -> Transaction:
        """The transaction of an ordinal."""
        name, declared = self.names.name(ordinal), self._declared.get(ordinal)
        if declared is not None:
            partitions = tuple(sorted(declared.partitions))
            return self._made(name, ordinal, declared.producer_id, declared.state, partitions)
        state = self.state(ordinal)
        place = self._place(ordinal)
        return self._made(name, ordinal, FIRST_PRODUCER_ID + ordinal, state, (place,) if place else ())

    def state(self, ordinal: int) -> str:
        """The state of one transaction, cheaply."""
        declared = self._declared.get(ordinal)
        return declared.state if declared else STATES[ordinal % len(STATES)]

    def open_in(self, topic: str, ordinal: int, index: int) -> list[Transaction]:
        """The open transactions that have written to a partition."""
        return [self.by_ordinal(one) for one in self._open_in(topic, ordinal, index)]

    def any_open_in(self, topic: str, ordinal: int, index: int) -> bool:
        """Whether an open transaction has written to a partition."""
        return next(self._open_in(topic, ordinal, index), None) is not None

    def _open_in(self, topic: str, ordinal: int, index: int) -> Iterator[int]:
        for number, one in self._declared.items():
            if one.state in OPEN and (topic, index) in one.partitions:
                yield number
        if ordinal < self.generated_topics.count:
            place = ordinal * self.topics.partitions_per_topic + index
            for number in range(place, self.section.count, self.topics.partitions):
                if number not in self._declared and STATES[number % len(STATES)] in OPEN:
                    yield number

    def partition_of(self, transactional_id: str) -> int:
        """The partition of __transaction_state by which brokers place an id."""
        return partition_for(transactional_id, self.section.partitions)

    def on(self, partitions: Sequence[int], of: Names) -> Ordered:
        """Those of these ids that are on these partitions of __transaction_state, in the KIP's order."""
        picked = of.pick(np.isin(self._partition_of[of.ordinals], np.array(partitions, np.uint16)))
        producer_ids = picked.ordinals + FIRST_PRODUCER_ID
        for ordinal, one in self._declared.items():
            producer_ids[picked.ordinals == ordinal] = one.producer_id
        # Stable, so that ids of one producer stay in their order.
        order = np.argsort(-producer_ids, kind="stable")
        return Ordered(self.names, picked.ordinals[order], producer_ids[order])

    def _place(self, ordinal: int) -> tuple[str, int] | None:
        if not self.topics.partitions:
            return None
        place = ordinal % self.topics.partitions
        topic, index = divmod(place, self.topics.partitions_per_topic)
        return self.generated_topics.name(topic), index

    def _made(
        self, name: str, ordinal: int, producer_id: int, state: str, partitions: tuple[tuple[str, int], ...]
    ) -> Transaction:
        drawn = mix(self.seed, ordinal)
        started = START_TIME_MS + drawn % 3_600_000
        open_ = state in OPEN
        return Transaction(
            name,
            producer_id,
            drawn % 5,
            state,
            TIMEOUT_MS,
            started if open_ else -1,
            partitions if open_ else (),
        )
