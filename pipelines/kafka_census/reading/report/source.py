"""What a report asks of a lake: the few values that differ between Spark (`in_spark`) and DuckDB (`in_duckdb`).

Times are aware, in UTC. SQL is what both engines run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple, Protocol

from pyspark.sql import Row
from pyspark.sql.types import ArrayType, DataType, DateType, DoubleType, StructType, TimestampType

from kafka_census.declarations.table import Table
from kafka_census.declarations.view import View
from kafka_census.lake.lake import Lake
from kafka_census.reading.censuses import Record
from kafka_census.reading.report.newest import Censuses

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Count(NamedTuple):
    """Rows of a table with the same value of the view's `group_by`: their number, that of shown rows, and totals."""

    value: str
    rows: int
    shown_rows: int
    sums: tuple[int | None, ...]


@dataclass(frozen=True)
class Lookup:
    """The first `limit` rows of a table that fulfil `where`, in `order`.

    of     the name of these rows in the answer
    texts  SQL expressions, whose texts are read of each row; empty: the whole row
    """

    of: str
    table: Table
    where: str
    order: Sequence[str]
    limit: int
    texts: tuple[str, ...] = ()


class Source(Censuses, Protocol):
    """A lake. Everything raises CorruptLake where a table is lost, damaged, or of an older release."""

    @property
    def lake(self) -> Lake:
        """Its address."""

    @property
    def owner(self) -> str | None:
        """Whose things its rows are about, in tables that have owners; None: it has all rows."""

    def verdicts(self, cluster_id: str, census_id: str) -> Sequence[Record]:
        """The rows of `verdicts` of a census; none where there is no such table."""

    def counted(
        self, census_id: str, sums: Sequence[tuple[View, Sequence[str]]], total: int
    ) -> Mapping[str, Sequence[Count]]:
        """All rows of a census counted, by table, with the sum of each of these SQL expressions.

        total  the number of rows of all tables
        """

    def looked_up(self, census_id: str, lookups: Sequence[Lookup]) -> Mapping[str, Sequence[Any]]:
        """The rows of each lookup that finds some, by its name; of texts, a list of texts for each row."""


def value(read: Any, data_type: DataType) -> Any:
    """A value of a row as Spark collects it, from what both engines give: structs as mappings, times in microseconds.

    Fields that are null may be left out, and NaN, infinity, dates, and times in structs may be texts: Spark writes the
    latter to the millisecond, and DuckDB gives datetimes.
    """
    if read is None:
        return None
    if isinstance(data_type, StructType):
        return Row(*data_type.names)(*(value(read.get(field.name), field.dataType) for field in data_type))
    if isinstance(data_type, ArrayType):
        return [value(each, data_type.elementType) for each in read]
    if isinstance(data_type, TimestampType):
        return _time(read)
    if isinstance(data_type, DateType):
        return date.fromisoformat(str(read))
    return float(read) if isinstance(data_type, DoubleType) else read


def _time(read: int | str | datetime) -> datetime:
    if isinstance(read, int):
        return time(read)
    return (datetime.fromisoformat(read) if isinstance(read, str) else read).astimezone(UTC)


def time(micros: int) -> datetime:
    """The time of microseconds since 1970."""
    return _EPOCH + timedelta(microseconds=micros)
