"""Groups on whose coordinator formula, listing and FindCoordinator do not agree."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.placement import AGREEMENTS
from kafka_census.declarations.view import Counts, View, by_value, listed, rank, text
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted


def _totals(counts: Counts, _sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    return [f"{counted(total, 'group')}: {by_value(counts, AGREEMENTS)}"] if total else ["no groups"]


def _cells(row: Row) -> Sequence[str]:
    return (
        text(row.group_id),
        text(row.group_state),
        text(row.offsets_partition),
        text(row.expected_coordinator),
        listed(row.listed_by),
        text(row.found_coordinator),
        row.agreement,
    )


GROUP_COORDINATOR_PLACEMENT_VIEW = View(
    table=GROUP_COORDINATOR_PLACEMENT,
    headline="who coordinates each group",
    rows_are="groups",
    group_by="agreement",
    sums=(),
    only="agreement <> 'agree'",
    order=(rank("agreement", AGREEMENTS), "group_id"),
    columns=(
        Shown("group"),
        Shown("state", 18),
        Shown("part", 5, right=True),
        Shown("expected", 8, right=True),
        Shown("listed", 7),
        Shown("found", 5, right=True),
        Shown("agreement", 16),
    ),
    cells=_cells,
    note=lambda row: row.expected_reason,
    noted=3,
    totals=_totals,
    calm="formula, listing and FindCoordinator agree on every group",
)
