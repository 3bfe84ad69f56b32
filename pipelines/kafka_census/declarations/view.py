"""The view of one table on a terminal: which rows are shown, in which order, and as which text.

Rows, order and sums are SQL that Spark and DuckDB both run. All rows of the census are counted, not only
the shown rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Row

from kafka_census.declarations.table import Table
from kafka_census.terminal.columns import Shown

Counts = Mapping[str | None, int]
"""Numbers of rows by a value, which may be null; or totals by name."""


@dataclass(frozen=True)
class View:
    """The view of one table.

    rows_are  the name of what a row stands for
    group_by  the column whose values are counted over all rows
    sums      further totals over all rows, name → SQL of what a row adds: a number, or a condition that counts as 1
    only      the condition on the shown rows
    order     ascending expressions, the worst row first
    cells     converts a row to text; None: not known
    note      why the cell in column `noted` is unknown; None when it is known
    totals    sentences from the counts and sums
    calm      the text when no row is shown
    """

    table: Table
    headline: str
    rows_are: str
    group_by: str
    sums: tuple[tuple[str, str], ...]
    only: str
    order: tuple[str, ...]
    columns: tuple[Shown, ...]
    cells: Callable[[Row], Sequence[str | None]]
    note: Callable[[Row], str | None]
    noted: int
    totals: Callable[[Counts, Counts], Sequence[str]]
    calm: str


def rank(column: str, values: Sequence[str]) -> str:
    """The position of a value in the order of `values`; other values come last."""
    whens = " ".join(f"WHEN '{value}' THEN {place}" for place, value in enumerate(values, 1))
    return f"CASE {column} {whens} ELSE 99 END"


def text(value: object) -> str:
    """A value as a cell; a dash for null, and quotes for an empty text."""
    return "-" if value is None else str(value) or '""'


def listed(values: Sequence[int] | None) -> str:
    """Broker ids as a cell."""
    return ",".join(map(str, values or ())) or "none"


def by_value(counts: Counts, order: Sequence[str]) -> str:
    """A text such as "3 OFFLINE, 57 OK": values in the given order, then the others, and null last."""
    known = [value for value in order if counts.get(value)]
    other = sorted((value for value in counts if value not in order), key=lambda value: (value is None, value or ""))
    return ", ".join(f"{counts[value]:,} {'not known' if value is None else value}" for value in (*known, *other))
