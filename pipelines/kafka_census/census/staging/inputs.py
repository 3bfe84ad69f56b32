"""The inputs of the tables of one census, and the resulting rows: in memory unless they are many."""

from contextlib import ExitStack
from threading import Lock

from pyspark.sql import DataFrame

from kafka_census.declarations.table import Table
from kafka_census.lake.memory import computed_once, in_memory
from kafka_census.pages.landed_census import LandedCensus


class Inputs:
    """Items of walks, and rows of tables.

    With `memory`, items are held in memory, at least until it is closed, and all frames have one part: joins and
    groupings of such frames run in one task, without a shuffle. Rows stay in memory as long as the `LandedCensus` does,
    unless the census is large.
    """

    def __init__(self, landed: LandedCensus, memory: ExitStack | None = None) -> None:
        self._landed = landed
        self._memory = memory
        self._items: dict[tuple[str, str], DataFrame] = {}
        self._lock = Lock()

    def items(self, rpc: str, scope: str) -> DataFrame:
        """The items of one walk; columns as in `LandedPages.items_of`."""
        with self._lock:  # tables may be computed side by side
            if (rpc, scope) not in self._items:
                self._items[rpc, scope] = self._held(self.one_part(self._landed.pages.items_of(rpc, scope)))
            return self._items[rpc, scope]

    def _held(self, rows: DataFrame) -> DataFrame:
        if self._memory is None:
            return rows
        # Spark compares each part of each plan with each persisted frame, and analyzes what that is made of again.
        return computed_once(rows) if self._landed.stays_in_memory else self._memory.enter_context(in_memory(rows))

    def keep(self, table: Table, frame: DataFrame) -> DataFrame:
        """The rows of a table that are about to be written, with all columns, also for later readers in this job."""
        part = self.one_part(frame)
        if not self._landed.stays_in_memory:
            return part
        rows = computed_once(part)
        self._landed.keep_staged(table, rows)
        return rows

    def staged(self, table: Table) -> DataFrame:
        """The rows of a table that other tables are made of, with its declared columns."""
        return self.one_part(self._landed.staged(table))

    def one_part(self, frame: DataFrame) -> DataFrame:
        """The frame in the form in which it is joined to others: with `memory` in one part, like these."""
        return frame if self._memory is None else frame.coalesce(1)
