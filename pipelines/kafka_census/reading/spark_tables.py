"""The tables of a lake in a catalog, by Spark: their rows as Arrow, for the same readers as those of a lake on a path.

Spark reads the columns that somebody asks for, of the censuses that are shown; what a statement does with them, DuckDB
does in this process. So the rows of one table and census must fit into its memory.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.errors import CensusError
from kafka_census.lake import store, table_writer
from kafka_census.lake.lake import Lake
from kafka_census.private.arrow import arrow_schema
from kafka_census.reading.delta_tables import NotThere

_SMALL = 200_000
"""Rows of a table up to which all columns are read at the second question, once for all others."""


class SparkTables:
    """`Tables` of a lake in a catalog.

    failure  the error with which Spark did not read rows for DuckDB, which would wrap it
    """

    def __init__(self, spark: SparkSession, lake: Lake) -> None:
        """Open nothing yet."""
        self.root = str(lake.catalog)
        self.failure: CensusError | None = None
        self._spark, self._lake = spark, lake
        self._opened: dict[str, SparkRows] = {}
        self._of: dict[tuple[str, frozenset[str], bool], SparkRows] = {}
        self._counts: dict[str, list[dict[str, Any]]] = {}

    def name(self, table: str) -> str:
        """As `Tables` has it."""
        return f"{self.root}.{table.replace('/', '_')}"

    def rows(self, table: str) -> "SparkRows":
        """As `Tables` has it."""
        if table not in self._opened:
            layer, _, name = table.partition("/")
            frame = store.found(self._spark, self._lake, layer, name)
            if frame is None:
                raise NotThere(f"there is no {self.name(table)}: nothing was published there yet, or it is no lake")
            self._opened[table] = SparkRows(self, self.name(table), frame)
        return self._opened[table]

    def reopened(self, table: str) -> "SparkRows":
        """As `Tables` has it."""
        self._opened.pop(table, None)
        return self.rows(table)

    def of_censuses(self, table: str, censuses: Collection[str], *, others: bool = False) -> "SparkRows":
        """As `Tables` has it."""
        key = (table, frozenset(censuses), others)
        if key not in self._of:
            of_them = F.col("census_id").isin(*censuses) if censuses else F.lit(False)
            self._of[key] = self.rows(table).where(~of_them if others else of_them)
        return self._of[key]

    def files(self, table: str, columns: Sequence[str]) -> list[dict[str, Any]]:  # noqa: ARG002
        """As `Tables` has it, of each census instead of each file: Spark counts its rows."""
        if table not in self._counts:
            counted = self.rows(table).counted("census_id")
            names = ("min.census_id", "max.census_id", "partition.census_id")
            self._counts[table] = [dict.fromkeys(names, one) | {"num_records": count} for one, count in counted]
        return self._counts[table]

    def comment(self, table: str) -> str | None:
        """As `Tables` has it."""
        layer, _, name = table.partition("/")
        return self._spark.catalog.getTable(self._lake.name(layer, name)).description

    def has_files(self, table: str) -> bool:  # noqa: ARG002
        """As `Tables` has it: the files of a catalog are not looked for."""
        return False


class SparkRows(ds.Dataset):  # type: ignore[misc] # pyarrow has no types
    """The rows of a frame, as a dataset of pyarrow, which DuckDB reads: Spark runs when they are scanned."""

    def __init__(self, tables: SparkTables, name: str, frame: DataFrame, which: Any = None) -> None:
        """Read nothing yet.

        which  an expression of pyarrow that the rows fulfil; None: all
        """
        self._tables, self._name, self._frame, self._which = tables, name, frame, which
        fields = zip(arrow_schema(frame.schema), frame.schema, strict=True)
        self._schema = pa.schema([field.with_metadata(_comment(of.metadata)) for field, of in fields])
        self._kept: pa.Table | None = None

    @property
    def schema(self) -> Any:
        """Names, types and comments of the columns."""
        return self._schema

    def where(self, condition: Any) -> "SparkRows":
        """The rows that fulfil a condition of Spark."""
        return SparkRows(self._tables, self._name, self._frame.where(condition))

    def filter(self, expression: Any) -> "SparkRows":
        """The rows that fulfil an expression of pyarrow."""
        both = expression if self._which is None else self._which & expression
        return SparkRows(self._tables, self._name, self._frame, both)

    def counted(self, column: str) -> list[tuple[Any, int]]:
        """The values of a column, each with the number of its rows. Raises CensusError."""
        read = self._read(self._frame.groupBy(column).agg(F.count("*")))
        return list(zip(*(values.to_pylist() for values in read.columns), strict=True))

    def scanner(self, columns: Any = None, filter: Any = None, **options: Any) -> Any:  # noqa: A002 - pyarrow's name
        """As pyarrow has it: reads the columns that are asked for, or that a filter has."""
        named = set(self._schema.names if columns is None else columns)
        named |= {word for each in (filter, self._which) if each is not None for word in re.findall(r"\w+", str(each))}
        rows = ds.dataset(self._table([name for name in self._schema.names if name in named]))
        rows = rows if self._which is None else rows.filter(self._which)
        return rows.scanner(columns=columns, filter=filter, **options)

    def count_rows(self, **options: Any) -> int:
        """The number of rows."""
        return int(self.scanner(columns=self._schema.names[:1], **options).count_rows())

    def _table(self, names: Sequence[str]) -> Any:
        """These columns of all rows."""
        kept = self._kept
        if kept is None or not set(names) <= set(kept.column_names):
            again = kept is not None and kept.num_rows <= _SMALL
            wanted = pa.schema([field for field in self._schema if again or field.name in names])
            kept = self._read(self._frame.select(*map(F.col, wanted.names))).cast(wanted)
            self._kept = kept
        return kept

    def _read(self, frame: DataFrame) -> Any:
        try:
            return frame.toArrow()
        except Exception as error:
            self._tables.failure = table_writer.corrupt(self._name, error)
            raise self._tables.failure from error


def _comment(metadata: dict[str, str]) -> dict[str, str]:
    return {"comment": metadata["comment"]} if "comment" in metadata else {}
