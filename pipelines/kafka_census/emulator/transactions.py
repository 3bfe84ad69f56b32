"""Transactional ids and their transactions, in the KIP's order: producer id descending, then by id.

A generated id's number gives everything: transaction i has producer id FIRST + i, and writes to partition
i modulo all generated ones, so that a partition knows which transactions are open in it.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kafka_census.emulator.arithmetic import Ints, mix, partition_for, partitions_for, utf16
from kafka_census.emulator.declared import TopicsSection, TransactionSection, TransactionsSection
from kafka_census.emulator.logs import START_TIME_MS
from kafka_census.emulator.names import Names, Run, names
from kafka_census.emulator.paging import Cursor
from kafka_census.emulator.topics import Topic

FIRST_PRODUCER_ID = 1_000_000
STATES = ("Ongoing", "CompleteCommit", "Ongoing", "Empty", "CompleteAbort")
"""Of generated transactions, in turn."""

OPEN = frozenset({"Ongoing", "PrepareCommit", "PrepareAbort"})
TIMEOUT_MS = 60_000


class Transaction(NamedTuple):
    """One transactional id and its last transaction.

    start_time_ms   of the open one, or else of the last one; -1 where there was none
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
        run = section.run
        declared = {one.id: one for one in section.declared}
        self.names = names(run, declared)
        ordinals = {self.names.ordinals[self.names.at(name)].item(): one for name, one in declared.items()}
        self._declared: dict[int, TransactionSection] = ordinals
        others = [partition_for(name, section.partitions) for name in self.names.declared]
        hashed = partitions_for(run.prefix, run.width, run.count, section.partitions)
        self._partition_of = np.concatenate((hashed, np.array(others, np.uint16)))

    def get(self, transactional_id: str) -> Transaction | None:
        """The transaction of an id; None where there is none."""
        ordinal = self.names.present(transactional_id)
        return None if ordinal is None else self.by_ordinal(ordinal)

    def by_ordinal(self, ordinal: int) -> Transaction:
        """The transaction of an ordinal."""
        name, declared = self.names.name(ordinal), self._declared.get(ordinal)
        if declared is not None:
            partitions = tuple(sorted(declared.partitions))
            return self._made(name, ordinal, declared.producer_id, declared.state, partitions)
        state = self.state(ordinal)
        place = self._place(ordinal) if state in OPEN else None
        return self._made(name, ordinal, FIRST_PRODUCER_ID + ordinal, state, (place,) if place else ())

    def state(self, ordinal: int) -> str:
        """The state of one transaction, cheaply."""
        declared = self._declared.get(ordinal)
        return declared.state if declared else STATES[ordinal % len(STATES)]

    def known_in(self, topic: str, ordinal: int, index: int) -> Ordered:
        """The transactions whose producers a partition knows: open ones, and declared ones that have ended."""
        declared = [number for number, one in self._declared.items() if (topic, index) in one.partitions]
        return self._ordered(np.union1d(np.array(declared, np.int64), self._open_in(ordinal, index)))

    def any_open_in(self, places: Sequence[tuple[Topic, int]]) -> npt.NDArray[np.bool_]:
        """Whether an open transaction has written to each of these partitions."""
        named = [(topic.name, index) in self._declared_open for topic, index in places]
        generated = [self._generated_place(topic.ordinal, index) for topic, index in places]
        # Behind the last place is a False, for those that have none.
        return np.array(named, np.bool_) | self._open_places[np.array(generated, np.int64)]

    @cached_property
    def _declared_open(self) -> set[tuple[str, int]]:
        return {place for one in self._declared.values() if one.state in OPEN for place in one.partitions}

    @cached_property
    def _open_places(self) -> npt.NDArray[np.bool_]:
        """Whether a generated transaction is open, by its place; the last one is nobody's."""
        opened = np.zeros(self.topics.partitions + 1, np.bool_)
        if self.topics.partitions:
            opened[self._opened(np.arange(self.section.count)) % self.topics.partitions] = True
        return opened

    def _opened(self, numbers: Ints) -> Ints:
        """Those of generated transactions that are open, and not declared otherwise."""
        turns = [turn for turn, state in enumerate(STATES) if state in OPEN]
        return numbers[np.isin(numbers % len(STATES), turns) & ~np.isin(numbers, list(self._declared))]

    def _generated_place(self, ordinal: int, index: int) -> int:
        """The place of a generated partition; -1 for any other."""
        held = self.topics.partitions_per_topic
        place = ordinal * held + index
        there = ordinal < self.generated_topics.count and index < held and place < self.topics.partitions
        return place if there else -1

    def _open_in(self, ordinal: int, index: int) -> Ints:
        place = self._generated_place(ordinal, index)
        if not self._open_places[place]:
            return np.array([], np.int64)
        return self._opened(np.arange(place, self.section.count, self.topics.partitions))

    def partition_of(self, transactional_id: str) -> int:
        """The partition of __transaction_state by which brokers place an id."""
        ordinal = self.names.ordinal(transactional_id)
        if ordinal is None:
            return partition_for(transactional_id, self.section.partitions)
        return int(self._partition_of[ordinal])

    def on(self, partitions: Sequence[int], of: Names) -> Ordered:
        """Those of these ids that are on these partitions of __transaction_state, in the KIP's order."""
        return self._ordered(of.ordinals[np.isin(self._partition_of[of.ordinals], np.array(partitions, np.uint16))])

    def _ordered(self, ordinals: Ints) -> Ordered:
        producer_ids = ordinals + FIRST_PRODUCER_ID
        for ordinal, one in self._declared.items():
            producer_ids[ordinals == ordinal] = one.producer_id
        # Stable, so that ids of one producer stay in their order.
        order = np.argsort(-producer_ids, kind="stable")
        return Ordered(self.names, ordinals[order], producer_ids[order])

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
            -1 if state == "Empty" else started,
            partitions if open_ else (),
        )
