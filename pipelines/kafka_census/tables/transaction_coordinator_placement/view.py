"""Transactional ids whose coordinator is in doubt, and transactions that are open for too long."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.placement import AGREEMENTS
from kafka_census.declarations.view import Counts, View, by_value, listed, rank, text
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.transaction_coordinator_placement.problems import MAYBE_LATE
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_time


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    lines = [
        f"{counted(total, 'transactional id')}: {by_value(counts, AGREEMENTS)}" if total else "no transactional ids"
    ]
    if sums["open"]:
        over = f", {sums['over']:,} of them for longer than their timeout" if sums["over"] else ""
        lines.append(f"{counted(sums['open'], 'transaction')} open{over}")
    if sums["undescribed"]:
        lines.append(f"{counted(sums['undescribed'], 'transactional id')} could not be described")
    return lines


def _cells(row: Row) -> Sequence[str]:
    return (
        row.transactional_id,
        text(row.described_state or row.transaction_state),
        "-" if row.duration_ms is None else human_time(row.duration_ms / 1000),
        "-" if row.over_timeout is None else "OVER" if row.over_timeout else "ok",
        text(row.expected_coordinator),
        listed(row.listed_by),
        text(row.found_coordinator),
        row.agreement,
    )


TRANSACTION_COORDINATOR_PLACEMENT_VIEW = View(
    table=TRANSACTION_COORDINATOR_PLACEMENT,
    headline="who coordinates each transactional id, and for how long it is busy",
    rows_are="transactional ids",
    group_by="agreement",
    sums=(
        ("open", "duration_ms IS NOT NULL"),
        ("over", "over_timeout"),
        ("undescribed", "description_reason IS NOT NULL"),
    ),
    only=f"agreement <> 'agree' OR over_timeout OR {MAYBE_LATE}",
    order=(
        "NOT coalesce(over_timeout, false)",
        rank("agreement", AGREEMENTS),
        "-coalesce(duration_ms, 0)",
        "transactional_id",
    ),
    columns=(
        Shown("transactional id"),
        Shown("state", 14),
        Shown("open", 7, right=True),
        Shown("time", 4),
        Shown("expected", 8, right=True),
        Shown("listed", 7),
        Shown("found", 5, right=True),
        Shown("agreement", 16),
    ),
    cells=_cells,
    note=lambda row: row.description_reason,
    noted=2,
    totals=_totals,
    calm="formula, listing and FindCoordinator agree on every id, and no transaction is late",
)
