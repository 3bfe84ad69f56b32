"""Changes since the previous census, the worst first; changes for the better are only counted."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.comparison.query import CHANGES as KINDS
from kafka_census.declarations.view import Counts, View, by_value, rank, text
from kafka_census.tables.changes.columns import CHANGES
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted


def _totals(counts: Counts, _sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    return [f"{counted(total, 'change')}: {by_value(counts, KINDS)}"] if total else []


def _cells(row: Row) -> Sequence[str]:
    return tuple(map(text, (row.change, row.subject, row.key, row.column_name, row.before, row.after)))


CHANGES_VIEW = View(
    table=CHANGES,
    headline="what changed since the previous census",
    rows_are="changes",
    group_by="change",
    sums=(),
    only="change <> 'better'",
    order=(rank("change", KINDS), "subject", "key", "column_name"),
    columns=(
        Shown("change", 8),
        Shown("of", 11),
        Shown("key"),
        Shown("column", 16),
        Shown("before", 14),
        Shown("after", 14),
    ),
    cells=_cells,
    note=lambda row: row.reason if row.change == "unread" else None,
    noted=0,
    totals=_totals,
    calm="no previous census, or no change since it",
)
