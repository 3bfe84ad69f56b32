"""Statements in DuckDB over the views of a lake: in memory, and shut off from files, the network and Python.

A statement may make tables of its own, which are in memory. It cannot read or write a file, load an extension, look
at Python's variables, nor change any of that: the settings are locked. What does not fit into memory fails, and
nothing is written to a disk. Times are UTC, and nulls are sorted as Spark sorts them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import duckdb

from kafka_census.sql.refusal import explained
from kafka_census.sql.views import Views
from kafka_census.without_spark import PublishedLake

SETTINGS = """
SET TimeZone = 'UTC';
SET default_null_order = 'NULLS_FIRST_ON_ASC_LAST_ON_DESC';
SET errors_as_json = true;
SET temp_directory = '';
SET enable_external_access = false;
SET lock_configuration = true;
"""
"""Of every connection: nothing but what is registered can be read, nothing is written, times are UTC."""

Row = tuple[object, ...]


@dataclass(frozen=True)
class Result:
    """What a statement answers: the names of its columns, and its rows, which are read once and as they come."""

    columns: Sequence[str]
    rows: Iterator[Row]


class Session:
    """A connection to DuckDB that sees one lake; tables that a statement makes stay as long as it.

    root  a folder or a URI
    at    the time of which `current_<table>` shows what was last published, aware; None: what is published now
    """

    def __init__(self, root: str, at: datetime | None = None) -> None:
        """Connect; each text opens the lake anew."""
        self._root = root
        self._at = at
        self._connection = duckdb.connect(":memory:", config={"python_enable_replacements": False})
        self._connection.execute(SETTINGS)

    def results(self, text: str) -> Iterator[Result]:
        """Run the statements of a text, one after the other, and give what each answers that is a question.

        None runs unless all can be parsed, and all see what is published now. The rows of a result must be read
        before the next one is asked for. Raises BadQuery for what DuckDB refuses, CorruptLake and OutOfResources.
        """
        views = Views(self._connection, PublishedLake(self._root), self._at)
        with self._explaining(text, views):
            statements = self._connection.extract_statements(text)
        for statement in statements:
            with self._explaining(text, views):
                views.open(statement.query)
                self._connection.execute(statement)
            if statement.expected_result_type == [duckdb.ExpectedResultType.QUERY_RESULT]:
                columns = [column[0] for column in self._connection.description or ()]
                yield Result(columns, self._rows(text, views))

    def _rows(self, text: str, views: Views) -> Iterator[Row]:
        while True:
            with self._explaining(text, views):
                some = self._connection.fetchmany(10_000)
            if not some:
                return
            yield from some

    @contextmanager
    def _explaining(self, text: str, views: Views) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            if not isinstance(error.__cause__, KeyboardInterrupt):
                raise
            self._connection.interrupt()  # else the query goes on without us
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            raise explained(error, text, views.names) from error
