"""The Delta tables of a path lake by the package `deltalake`: opened once each, their rows, and what their logs say."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from kafka_census.errors import CensusError, CorruptLake
from kafka_census.lake.promised import RESTORE

if TYPE_CHECKING:
    from deltalake import DeltaTable
    from pyarrow import Table
    from pyarrow.compute import Expression
    from pyarrow.dataset import Dataset

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class NotThere(CorruptLake):
    """A table of the lake does not exist: nothing was published in it yet."""


class Tables(Protocol):
    """The tables of a lake, by their folders, such as `audit/calls`: on a path, or in a catalog (`spark_tables`).

    root     the address of the lake
    failure  why rows could not be read that DuckDB asked for, where DuckDB does not say it by itself
    """

    root: str
    failure: CensusError | None

    def name(self, table: str) -> str:
        """The address of a table, for messages."""

    def rows(self, table: str) -> "Dataset":
        """All rows of a table, as it was when it was first opened. Raises NotThere, and CorruptLake if damaged."""

    def reopened(self, table: str) -> "Dataset":
        """All rows of a table as it is now. Raises as `rows` does."""

    def of_censuses(self, table: str, censuses: Collection[str], *, others: bool = False) -> "Dataset":
        """The rows of a table of these censuses, or of all others. Raises as `rows` does."""

    def files(self, table: str, columns: Sequence[str]) -> list[dict[str, Any]]:
        """What the log of an opened table says of each of its files; None for what it does not say.

        columns  names of deltalake's add actions, such as `num_records`, `min.census_id` and `partition.census_id`

        Raises CorruptLake where the log cannot be read.
        """

    def comment(self, table: str) -> str | None:
        """The comment of an opened table; None where it has none, as before the first `maintain`."""

    def has_files(self, table: str) -> bool:
        """Whether there is any file in the folder of a table; False also where the store does not say."""


class DeltaTables:
    """`Tables` below a root.

    root     a folder or a URI
    options  what deltalake needs for an object store, such as its credentials
    """

    failure: CensusError | None = None

    def __init__(self, root: str, options: Mapping[str, str]) -> None:
        """Open nothing yet."""
        self.root = root
        self._options = dict(options)
        self._opened: dict[str, tuple[DeltaTable, Dataset]] = {}

    def name(self, table: str) -> str:
        """As `Tables` has it."""
        return f"{self.root}/{table}"

    def rows(self, table: str) -> "Dataset":
        """As `Tables` has it."""
        if table not in self._opened:
            self._opened[table] = self._open(table)
        return self._opened[table][1]

    def reopened(self, table: str) -> "Dataset":
        """As `Tables` has it."""
        self._opened.pop(table, None)
        return self.rows(table)

    def of_censuses(self, table: str, censuses: Collection[str], *, others: bool = False) -> "Dataset":
        """As `Tables` has it."""
        import pyarrow as pa
        import pyarrow.dataset as ds

        # For an empty list pyarrow would lose the type of text.
        of_them = ds.field("census_id").isin(pa.array(list(censuses), pa.string()))
        return self.rows(table).filter(~of_them if others else of_them)

    def files(self, table: str, columns: Sequence[str]) -> list[dict[str, Any]]:
        """As `Tables` has it."""
        import pyarrow as pa
        from deltalake.exceptions import DeltaError

        try:
            actions = pa.table(self._opened[table][0].get_add_actions(flatten=True))
        except (DeltaError, OSError) as error:
            raise CorruptLake(f"{self.name(table)} cannot be read: {_said(error)}; {RESTORE}") from error
        there = [column for column in columns if column in actions.column_names]
        return [dict.fromkeys(columns) | row for row in actions.select(there).to_pylist()]

    def comment(self, table: str) -> str | None:
        """As `Tables` has it."""
        return self._opened[table][0].metadata().description

    def has_files(self, table: str) -> bool:
        """As `Tables` has it."""
        from deltalake.exceptions import DeltaError
        from deltalake.fs import DeltaStorageHandler
        from pyarrow.fs import FileSelector, PyFileSystem

        try:
            folder = PyFileSystem(DeltaStorageHandler(self.name(table), self._options))
            return any(file.is_file for file in folder.get_file_info(FileSelector("", recursive=True)))
        except (DeltaError, OSError):
            return False

    def _open(self, table: str) -> "tuple[DeltaTable, Dataset]":
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError

        path = self.name(table)
        try:
            found = DeltaTable(path, storage_options=self._options)
            return found, found.to_pyarrow_dataset()
        except TableNotFoundError as error:
            raise NotThere(f"{path} is no Delta table: nothing was published there yet, or it is no lake") from error
        except (DeltaError, OSError) as error:
            raise CorruptLake(f"{path} cannot be read: {_said(error)}; {RESTORE}") from error


def read(rows: "Dataset", columns: Sequence[str], which: "Expression | None" = None, of: str = "the lake") -> "Table":
    """The columns of the rows that fulfil a condition. Raises CorruptLake where a file is missing or damaged.

    of  what the message names: the table of the rows
    """
    with _files_of(of):
        return rows.to_table(columns=list(columns), filter=which)


def require_files(rows: "Dataset", of: str) -> None:
    """Raises CorruptLake where a file of the rows is missing, or has no footer that can be read: no row is."""
    with _files_of(of):
        rows.count_rows()


@contextmanager
def _files_of(table: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise CorruptLake(f"a file of {table} is missing or damaged: {_said(error)}; {RESTORE}") from error


def _said(error: Exception) -> str:
    """The message of an error in one line, without colours."""
    return " ".join(_COLOURS.sub("", str(error)).split())
