"""The views of a lake in DuckDB, with the names, columns and rows of Spark's views (`census/publish/views.py`).

A statement opens only the tables that it names, and reads only the files of the censuses that it
shows: `census_id` is a partition column, and DuckDB pushes conditions on it down to the list of files, including
conditions from joins, as in `<table>_as_of`. All views of one opening see the same publications. Beside Spark's views
there are `short_names`.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import duckdb

from kafka_census.declarations import freshness, owners
from kafka_census.errors import CorruptLake
from kafka_census.lake.cluster_key import KEY
from kafka_census.reading.delta_tables import NotThere
from kafka_census.reading.sql.only_queries import named_tables
from kafka_census.reading.sql.short_names import OTHERS, table_of
from kafka_census.reading.without_spark import PublishedLake
from kafka_census.terminal.display import write_lines

if TYPE_CHECKING:
    import pyarrow.dataset as ds

AUDIT_TABLES = (
    "publications",
    "census_runs",
    "verdicts",
    "quarantine",
    "refusals",
    "calls",
    "alerts",
    "deletion_plans",
    "deletion_plan_groups",
    "deletion_checks",
    "deletion_waves",
    "deletions",
)
"""Audit tables, whose views have their names."""

OF_A_TABLE = ("current", "history", "candidate")
_ASK_WHAT_IS_THERE = {"show", "information_schema", "duckdb_views", "duckdb_columns"}


@dataclass(frozen=True)
class Views:
    """Creates views of a lake in a connection.

    census  `current_<table>` shows the last published census at this aware time, or the census of this id; None: now
    owner   views of tables whose rows are about somebody's things show only rows of this owner; None: all rows
    """

    connection: duckdb.DuckDBPyConnection
    lake: PublishedLake
    census: datetime | str | None = None
    owner: str | None = None

    def open(self, statement: str) -> None:
        """Create every view whose name is a word of the statement; all views for a statement that lists them.

        DuckDB refuses names without a table in the lake. Raises CorruptLake, also where nothing was published;
        where a statement lists all views, those of damaged tables are left out, with a line on stderr.
        """
        self.connection.register("publications", self.lake.publications)
        words = set(re.findall(r"\w+", statement.lower()))
        lists, published = bool(words & _ASK_WHAT_IS_THERE), self.lake.tables
        named = list(dict.fromkeys([*(self.names() if lists else ()), *sorted(words)]))
        short = {name: table for name in named if (table := table_of(name, published))}
        for name in short.keys() & words:
            self.connection.execute(f'DROP VIEW IF EXISTS "{name}"')  # of an earlier statement
        others = (name for name in named if name not in short and name != "publications")
        made = {name for name in others if self._make_if_there(name, required=not lists or name in words)}
        for name in sorted(short if lists else short.keys() & self._tables_of(statement)):
            current = f"current_{short[name]}"
            if current in made or (not lists and self._make_if_there(current, required=True)):
                self.connection.execute(f'CREATE OR REPLACE TEMP VIEW "{name}" AS SELECT * FROM {current}')

    def _make_if_there(self, name: str, *, required: bool) -> bool:
        """Create a view; returns whether it is there. One that is damaged and not required is named on stderr."""
        try:
            self._make(name)
        except NotThere:
            return False
        except CorruptLake as error:
            if required:
                raise
            write_lines([f"warning: {name} is left out: {error}"], sys.stderr)
            return False
        return True

    def _tables_of(self, statement: str) -> set[str]:
        """The tables that a statement reads: a short name may be the name of a column, too."""
        try:
            return {name.lower() for name in self.connection.get_table_names(statement)}
        except duckdb.BinderException:  # it looks for the columns of JOIN ... USING, before there is a view
            return named_tables(self.connection, statement)
        except duckdb.Error:
            return set()  # DuckDB will say the same of the statement

    def names(self) -> Iterator[str]:
        """The names of all views that the lake may have, without the functions `<table>_as_of`."""
        tables = self.lake.tables
        yield from (f"{kind}_{table}" for table in tables for kind in OF_A_TABLE)
        yield from AUDIT_TABLES[1:]
        yield from (f"landed_{column.removeprefix('items_')}" for column in self._landed_items())
        yield freshness.NAME
        yield from (*tables, *(name for name, (table, _) in OTHERS.items() if table in tables))

    def _make(self, name: str) -> None:
        kind, _, rest = name.partition("_")
        if name in AUDIT_TABLES:
            self.connection.register(name, self.lake.opened(f"audit/{name}"))
        elif name.endswith("_as_of"):
            self._make_as_of(name.removesuffix("_as_of"))
        elif kind == "landed":
            self._make_landed(rest)
        elif name == freshness.NAME:
            self._make_freshness()
        elif kind == "current":
            one = self.census
            rows = self.lake.census(rest, one) if isinstance(one, str) else self.lake.current(rest, one)
            self.connection.register(name, self._of_owner(rows))
        elif kind in OF_A_TABLE:
            of = {"history": self.lake.history, "candidate": self.lake.candidates}
            self.connection.register(name, self._of_owner(of[kind](rest)))

    def _of_owner(self, rows: "ds.Dataset") -> "ds.Dataset":
        import pyarrow.dataset as ds

        if self.owner is None or owners.COLUMN not in rows.schema.names:
            return rows
        return rows.filter(ds.field(owners.COLUMN) == self.owner)

    def _make_as_of(self, table: str) -> None:
        """Create the function `<table>_as_of(time)`: the last census of each cluster published until that time."""
        self.connection.register(f"history_{table}", self.lake.history(table))
        last = (
            f"SELECT max(census_id) FROM publications WHERE table_name = '{table}' "
            f"AND published_at <= moment::TIMESTAMPTZ GROUP BY {KEY}"
        )
        self.connection.execute(
            f"CREATE OR REPLACE TEMP MACRO {table}_as_of(moment) AS TABLE "
            f"SELECT * FROM history_{table} WHERE census_id IN ({last})"
        )

    def _make_freshness(self) -> None:
        """Create the view `freshness`, as of the time of `current_<table>`."""
        past = self.census if isinstance(self.census, datetime) else None
        now = f"TIMESTAMPTZ '{past.isoformat()}'" if past else "now()"
        dialect = freshness.Dialect(now, "TIMESTAMPTZ", "epoch({})", is_past=past is not None)
        runs: str | None = "census_runs"
        try:
            self._make("census_runs")
        except CorruptLake:  # of which the view says that it is not known
            runs = None
        text = freshness.query("publications", runs, dialect)
        self.connection.execute(f"CREATE OR REPLACE TEMP VIEW {freshness.NAME} AS {text}")

    def _make_landed(self, rpc: str) -> None:
        """Create the view of an RPC's landed pages: the columns of a page, and the `items` of this RPC."""
        import pyarrow.dataset as ds

        items = f"items_{rpc}"
        pages = self.lake.opened("landing/pages")
        if items in pages.schema.names:
            header = [name for name in pages.schema.names if not name.startswith("items_")]
            kafkas_name = "".join(word.capitalize() for word in rpc.split("_"))
            mine = self.connection.from_arrow(pages.filter(ds.field("rpc") == kafkas_name))
            mine.project(", ".join([*header, f"{items} AS items"])).create_view(f"landed_{rpc}")

    def _landed_items(self) -> list[str]:
        try:
            pages = self.lake.opened("landing/pages")
        except NotThere:
            return []
        return [name for name in pages.schema.names if name.startswith("items_")]
