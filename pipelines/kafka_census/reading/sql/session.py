"""Statements in DuckDB over the views of a lake: in memory, and isolated from files, the network and Python.

Only queries run (`only_queries`). They cannot read or write a file, load an extension, read
Python's variables, or change these settings, which are locked. A query that needs more memory or time than its limits
allow fails, and nothing is written to a disk. Times are UTC, and nulls are sorted as in Spark.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import duckdb
import pyarrow as pa

from kafka_census.errors import BadQuery, OutOfResources
from kafka_census.reading.sql.limits import Limits, Watch
from kafka_census.reading.sql.only_queries import require_query
from kafka_census.reading.sql.refusal import RAISE, TOO_LARGE, explained
from kafka_census.reading.sql.views import Views
from kafka_census.reading.without_spark import PublishedLake

SETTINGS = """
SET TimeZone = 'UTC';
SET default_null_order = 'NULLS_FIRST_ON_ASC_LAST_ON_DESC';
SET errors_as_json = true;
SET temp_directory = '';
SET enable_external_access = false;
SET lock_configuration = true;
"""
"""The settings of every connection: only registered views can be read, nothing is written, times are UTC."""

Row = tuple[object, ...]

_AT_ONCE = 10_000
"""Rows that are read at once."""


@dataclass(frozen=True)
class Rows:
    """Rows to write: the names of their columns, and an iterator."""

    columns: Sequence[str]
    rows: Iterator[Row]


@dataclass(frozen=True)
class Result(Rows):
    """The result of a statement, which is read once: as `rows`, or as `batches`.

    batches  returns the types of the columns, and an iterator of batches of rows, of Arrow
    """

    batches: Callable[[], tuple[pa.Schema, Iterator[pa.RecordBatch]]]


class Session:
    """A connection to DuckDB that sees one lake.

    root    a folder or a URI; None: each text comes with its lake
    census  `current_<table>` shows the last published census at this aware time, or the census of this id; None: now
    limits  those of each statement
    owner   tables whose rows are about somebody's things have only rows of this owner; None: all rows

    Raises ConfigError for a limit that DuckDB does not understand.
    """

    def __init__(
        self,
        root: str | None,
        census: datetime | str | None = None,
        limits: Limits | None = None,
        owner: str | None = None,
    ) -> None:
        """Connect; the lake is opened when a text needs it."""
        self._limits = limits or Limits()
        self._root = root or ""
        self._census = census
        self._owner = owner
        self._memory_bytes = self._limits.memory_bytes
        self._connection = duckdb.connect(
            ":memory:", config={"python_enable_replacements": False, "memory_limit": f"{self._memory_bytes}B"}
        )
        self._connection.execute(SETTINGS)

    def results(self, text: str, lake: PublishedLake | None = None, *, alone: bool = False) -> Iterator[Result]:
        """Run the statements of a text, one after the other; yields the result of each query.

        lake   the lake, opened before, for texts that shall see the same; None: it is opened again
        alone  whether the text must be one statement

        No statement runs unless all can be parsed and are queries, and all see the same publications. The rows of a
        result must be read before the next result is requested. Raises BadQuery for what DuckDB refuses, CorruptLake
        and OutOfResources.
        """
        views = Views(self._connection, lake or PublishedLake(self._root), self._census, self._owner)
        with self._explaining(text, views):
            statements = self._connection.extract_statements(text)
            if alone and len(statements) != 1:
                raise BadQuery(f"one file of Parquet holds one result; these are {len(statements)} statements")
            for statement in statements:
                require_query(self._connection, statement)
        for statement in statements:
            watch = Watch(self._connection, self._limits.seconds, self._memory_bytes)
            with self._explaining(text, views):
                views.open(statement.query)
                with watch.running():
                    self._connection.execute(statement)
            columns = [column[0] for column in self._connection.description or ()]
            yield Result(columns, self._rows(text, views, watch), partial(self._batches, text, views, watch))

    def _rows(self, text: str, views: Views, watch: Watch) -> Iterator[Row]:
        while True:
            with self._explaining(text, views), watch.running():
                some = self._connection.fetchmany(_AT_ONCE)
            if not some:
                return
            yield from some

    def _batches(self, text: str, views: Views, watch: Watch) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        with self._explaining(text, views), watch.running():
            reader = self._connection.to_arrow_reader(_AT_ONCE)

        def read() -> Iterator[pa.RecordBatch]:
            while True:
                with self._explaining(text, views), watch.running():
                    try:
                        batch = reader.read_next_batch()
                    except StopIteration:
                        return
                    except (pa.ArrowException, OSError) as error:  # DuckDB's error, as Arrow passes it on
                        said = str(error)
                        kind = duckdb.InterruptException if "Interrupt" in said else duckdb.Error
                        raise kind(said) from error
                yield batch

        return reader.schema, read()

    @contextmanager
    def _explaining(self, text: str, views: Views) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            if not isinstance(error.__cause__, KeyboardInterrupt):
                raise
            self._connection.interrupt()  # otherwise the query would keep running
            raise KeyboardInterrupt from None
        except MemoryError as error:
            raise OutOfResources(f"{TOO_LARGE}{RAISE}") from error
        except duckdb.Error as error:
            raise views.lake.failure or explained(error, text, views.names) from error
