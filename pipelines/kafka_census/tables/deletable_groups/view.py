"""Groups that may be deleted by the evidence so far, those with the longest evidence first."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, rank, text
from kafka_census.tables.deletable_groups.columns import DELETABLE_GROUPS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted

_VERDICTS = ("deletable", "unknown", "undecided", "in_use")


def _totals(counts: Counts, _sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    return [f"{counted(total, 'group')}: {by_value(counts, _VERDICTS)}"] if total else ["no groups"]


def _cells(row: Row) -> Sequence[str]:
    return (
        text(row.group_id),
        text(row.group_type),
        text(row.group_state),
        text(row.verdict),
        ", ".join(word for word in row.evidence if word != "empty") or "-",
        text(row.censuses_empty),
        "-" if row.empty_since is None else f"{row.empty_since:%Y-%m-%d}",
    )


DELETABLE_GROUPS_VIEW = View(
    table=DELETABLE_GROUPS,
    headline="deletable groups",
    rows_are="groups",
    group_by="verdict",
    sums=(),
    only="verdict IN ('deletable', 'unknown')",
    order=(rank("verdict", _VERDICTS), "-censuses_empty", "empty_since", "group_id"),
    columns=(
        Shown("group"),
        Shown("type", 8),
        Shown("state", 12),
        Shown("verdict", 12),
        Shown("evidence", 12),
        Shown("censuses", 8, right=True),
        Shown("empty since", 11),
    ),
    cells=_cells,
    note=lambda row: row.reason,
    noted=3,
    totals=_totals,
    calm="every group is in use, or its topics stand still with it",
)
