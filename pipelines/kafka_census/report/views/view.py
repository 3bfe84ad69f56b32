"""How one table is reported on a terminal: which rows are worth showing, in which order, and as what text.

Rows and order are Spark SQL expressions. Counts are made by Spark over all rows of the census, not over
those shown.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Row

from kafka_census.report.text import Shown
from kafka_census.tables.table import Table

Counts = Mapping[str, int]


@dataclass(frozen=True)
class View:
    """How one table is reported.

    rows_are  what a row stands for
    group_by  the column whose values are counted over all rows
    sums      further totals over all rows, name → what a row adds: a number, or one if something is true
    only      which rows are worth showing
    order     the worst first; each ascends
    cells     one row as text
    note      why the cell in column `noted` is unknown; None when it is known
    totals    sentences made of the counts and sums
    calm      what is said when no row is worth showing
    """

    table: Table
    headline: str
    rows_are: str
    group_by: str
    sums: tuple[tuple[str, str], ...]
    only: str
    order: tuple[str, ...]
    columns: tuple[Shown, ...]
    cells: Callable[[Row], Sequence[str]]
    note: Callable[[Row], str | None]
    noted: int
    totals: Callable[[Counts, Counts], Sequence[str]]
    calm: str


def rank(column: str, values: Sequence[str]) -> str:
    """Position of a value in the order of badness; unknown ones last."""
    words = ", ".join(f"'{value}'" for value in values)
    return f"coalesce(nullif(array_position(array({words}), {column}), 0), 99)"


def text(value: object) -> str:
    """A value as a cell; a dash where there is none."""
    return "-" if value is None else str(value)


def listed(values: Sequence[int] | None) -> str:
    """Broker ids as a cell."""
    return ",".join(map(str, values or ())) or "none"


def by_value(counts: Counts, order: Sequence[str]) -> str:
    """Such as "3 OFFLINE, 57 OK": in the given order, then what it does not name."""
    known = [value for value in order if counts.get(value)]
    other = sorted(value for value in counts if value not in order)
    return ", ".join(f"{counts[value]:,} {value}" for value in (*known, *other))
