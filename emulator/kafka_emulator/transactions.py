"""Transactional ids and their transactions, in the KIP's order: producer id descending, then by id.

Everything follows from a generated id's number: transaction i has producer id FIRST + i, and writes to partition
i modulo all generated partitions, so that the open transactions of a partition can be computed.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from kafka_emulator.arithmetic import Ints, mix, mixed, partition_for, partitions_for, utf16
from kafka_emulator.declared import TopicsSection, TransactionSection, TransactionsSection
from kafka_emulator.logs import START_TIME_MS
from kafka_emulator.names import Names, Run, names
from kafka_emulator.paging import Cursor
from kafka_emulator.topics import Topic

FIRST_PRODUCER_ID = 1_000_000
STATES = ("Ongoing", "CompleteCommit", "Ongoing", "Empty", "CompleteAbort")
"""The states of generated transactions, in turn."""

OPEN = frozenset({"Ongoing", "PrepareCommit", "PrepareAbort", "PrepareEpochFence"})
TIMEOUT_MS = 60_000

N = TypeVar("N", int, Ints)
"""A number, or a column of them."""


class Transaction(NamedTuple):
    """One transactional id and its last transaction.

    start_time_ms   the start of the open or else of the last transaction; -1 where there was none
    partitions      (topic, partition) pairs of an open transaction, sorted; topics may be deleted by now
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
        """`ordinals` and `producer_ids` are in order already."""
        self.names, self.ordinals, self.producer_ids = all_names, ordinals, producer_ids

    def __len__(self) -> int:
        return len(self.ordinals)

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            return [self.names.name(ordinal) for ordinal in self.ordinals[position].tolist()]
        return self.names.name(int(self.ordinals[position]))

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
        """One column: the partition of __transaction_state, by ordinal; the last element belongs to no id."""
        section = self.section
        run = section.run
        declared = {one.id: one for one in section.declared}
        self.names = names(run, declared)
        ordinals = {self.names.ordinals[self.names.at(name)].item(): one for name, one in declared.items()}
        self._declared: dict[int, TransactionSection] = ordinals
        others = [partition_for(name, section.partitions) for name in self.names.declared]
        hashed = partitions_for(run.prefix, run.width, run.count, section.partitions)
        self._partition_of = np.concatenate((hashed, np.array([*others, 0], np.uint16)))

    def get(self, transactional_id: str) -> Transaction | None:
        """The transaction of an id; None for an unknown id."""
        ordinal = self.names.present(transactional_id)
        return None if ordinal is None else self.by_ordinal(ordinal)

    def find(self, ids: Sequence[str]) -> Iterator[tuple[str, int, Transaction | None]]:
        """Each id with the results of `partition_of` and `get`, computed for all ids at once."""
        ordinals, count = self.names.ordinals_of(ids), self.section.partitions
        columns = ordinals, mixed(self.seed, ordinals), self._partition_of[ordinals]
        for name, ordinal, drawn, partition in zip(ids, *(column.tolist() for column in columns), strict=True):
            if ordinal < 0:
                yield name, partition_for(name, count), None
            else:
                yield name, partition, self._made(name, ordinal, drawn)

    def by_ordinal(self, ordinal: int) -> Transaction:
        """The transaction of an ordinal."""
        return self._made(self.names.name(ordinal), ordinal, mix(self.seed, ordinal))

    def written(self, ordinal: int, topic: str, index: int) -> Transaction:
        """The transaction of an ordinal as a partition sees it: open where it hangs, whatever the coordinator says."""
        one, declared = self.by_ordinal(ordinal), self._declared.get(ordinal)
        return one._replace(state="Ongoing") if declared and (topic, index) in declared.hanging else one

    def state(self, ordinal: int) -> str:
        """The state of one transaction, without building the transaction."""
        declared = self._declared.get(ordinal)
        return declared.state if declared else STATES[ordinal % len(STATES)]

    def known_in(self, topic: str, ordinal: int, index: int) -> Ordered:
        """The transactions whose producers a partition knows: open, hanging, and declared transactions that ended."""
        position = (topic, index)
        declared = [number for number, one in self._declared.items() if position in (*one.partitions, *one.hanging)]
        return self._ordered(np.union1d(np.array(declared, np.int64), self._open_in(ordinal, index)))

    def any_open_in(self, positions: Sequence[tuple[Topic, int]]) -> npt.NDArray[np.bool_]:
        """Whether an open transaction has written to each of these partitions."""
        ordinals = np.array([topic.ordinal for topic, _ in positions], np.int64)
        indexes = np.array([index for _, index in positions], np.int64)
        # The last element is False, for partitions without a position (-1).
        opened = self._open_partitions[self._generated_position(ordinals, indexes)]
        if not self._declared_open:
            return opened
        return opened | np.array([(topic.name, index) in self._declared_open for topic, index in positions], np.bool_)

    @cached_property
    def _declared_open(self) -> set[tuple[str, int]]:
        declared = self._declared.values()
        ongoing = (position for one in declared if one.state in OPEN for position in one.partitions)
        return {*ongoing, *(position for one in declared for position in one.hanging)}

    @cached_property
    def _open_partitions(self) -> npt.NDArray[np.bool_]:
        """Whether a generated transaction is open, by position of the partition; the last element is False, for -1."""
        opened = np.zeros(self.topics.partitions + 1, np.bool_)
        if self.topics.partitions:
            opened[self._opened(np.arange(self.section.count)) % self.topics.partitions] = True
        return opened

    def _opened(self, numbers: Ints) -> Ints:
        """The generated transactions among these that are open, without declared ones."""
        turns = [turn for turn, state in enumerate(STATES) if state in OPEN]
        return numbers[np.isin(numbers % len(STATES), turns) & ~np.isin(numbers, list(self._declared))]

    def _generated_position(self, ordinal: N, index: N) -> N:
        """The position of a generated partition, or of each of many; -1 for any other partition."""
        held = self.topics.partitions_per_topic
        position = ordinal * held + index
        there = (ordinal < self.generated_topics.count) & (index < held) & (position < self.topics.partitions)
        return (position + 1) * there - 1

    def _open_in(self, ordinal: int, index: int) -> Ints:
        position = self._generated_position(ordinal, index)
        if not self._open_partitions[position]:
            return np.array([], np.int64)
        return self._opened(np.arange(position, self.section.count, self.topics.partitions))

    def partition_of(self, transactional_id: str) -> int:
        """The partition of __transaction_state to which brokers hash an id, whether or not it is known."""
        ordinal = self.names.ordinal(transactional_id)
        if ordinal is None:
            return partition_for(transactional_id, self.section.partitions)
        return int(self._partition_of[ordinal])

    def on(self, partitions: Sequence[int], of: Names) -> Ordered:
        """The ids among `of` that are on these partitions of __transaction_state, in the KIP's order."""
        return self._ordered(of.ordinals[np.isin(self._partition_of[of.ordinals], np.array(partitions, np.uint16))])

    def _ordered(self, ordinals: Ints) -> Ordered:
        producer_ids = ordinals + FIRST_PRODUCER_ID
        for ordinal, one in self._declared.items():
            producer_ids[ordinals == ordinal] = one.producer_id
        # A stable sort keeps the order of ids with the same producer.
        order = np.argsort(-producer_ids, kind="stable")
        return Ordered(self.names, ordinals[order], producer_ids[order])

    def _made(self, name: str, ordinal: int, drawn: int) -> Transaction:
        """The transaction of a name; `drawn` is `mix` of the seed and the ordinal."""
        declared = self._declared.get(ordinal)
        if declared is None:
            producer_id, state = FIRST_PRODUCER_ID + ordinal, STATES[ordinal % len(STATES)]
            partitions = self._position(ordinal) if state in OPEN else ()
        else:
            producer_id, state = declared.producer_id, declared.state
            partitions = tuple(sorted(declared.partitions)) if state in OPEN else ()
        started = -1 if state == "Empty" else START_TIME_MS + drawn % 3_600_000
        return Transaction(name, producer_id, drawn % 5, state, TIMEOUT_MS, started, partitions)

    def _position(self, ordinal: int) -> tuple[tuple[str, int], ...]:
        """The only partition to which a generated transaction writes; empty without generated partitions."""
        if not self.topics.partitions:
            return ()
        topic, index = divmod(ordinal % self.topics.partitions, self.topics.partitions_per_topic)
        return ((self.generated_topics.name(topic), index),)
