"""What the tables of one census are computed from, read once for all of them where it is little."""

from contextlib import ExitStack
from threading import Lock

from pyspark.sql import DataFrame

from kafka_census.quality.look import Look
from kafka_census.tables.memory import in_memory
from kafka_census.tables.table import Table


class Inputs:
    """Items of walks, and rows of tables that others are made of.

    With `memory`, each is held in memory until that is closed, in one part: whatever joins or groups such frames does
    it in one task, without a shuffle.
    """

    def __init__(self, looked: Look, tables: tuple[Table, ...], memory: ExitStack | None = None) -> None:
        self._looked = looked
        self._memory = memory
        self._parents = {one.name for table in tables for one in table.made_of}
        self._items: dict[tuple[str, str], DataFrame] = {}
        self._staged: dict[str, DataFrame] = {}
        self._lock = Lock()

    def items(self, rpc: str, scope: str) -> DataFrame:
        """The items of one walk."""
        if self._memory is None:
            return self._looked.pages.items(rpc, scope)
        with self._lock:  # tables may be computed side by side
            if (rpc, scope) not in self._items:
                self._items[rpc, scope] = self._held(self._looked.pages.items(rpc, scope))
            return self._items[rpc, scope]

    def keep(self, table: Table, frame: DataFrame) -> DataFrame:
        """The rows of a table that are about to be written, so that those made of it need not read them back."""
        if self._memory is None or table.name not in self._parents:
            return frame
        with self._lock:
            self._staged[table.name] = self._held(frame)
            return self._staged[table.name]

    def staged(self, table: Table) -> DataFrame:
        """The rows of a table that others are made of."""
        found = self._staged.get(table.name)
        if found is not None:
            return found
        rows = self._looked.pages.staged(table)
        return rows if self._memory is None else rows.coalesce(1)

    def _held(self, frame: DataFrame) -> DataFrame:
        if self._memory is None:
            return frame
        return self._memory.enter_context(in_memory(frame.coalesce(1)))
