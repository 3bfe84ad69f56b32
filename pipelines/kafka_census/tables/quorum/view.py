"""Replicas of the metadata log, those that lag first."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, text
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_time


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    lines = [f"{counted(total, 'replica')}: {by_value(counts, ('voter', 'observer', 'unknown'))}"]
    voters = counts.get("voter", 0)
    if voters:
        lines.append(f"{sums['voters_caught_up']} of {counted(voters, 'voter')} caught up, {voters // 2 + 1} needed")
    return lines


def _cells(row: Row) -> Sequence[str]:
    return (
        text(row.replica_id),
        row.role,
        "yes" if row.is_leader else "-",
        text(row.lag_offsets),
        "-" if row.lag_ms is None else human_time(row.lag_ms / 1000),
        "-" if row.caught_up is None else "yes" if row.caught_up else "NO",
    )


QUORUM_VIEW = View(
    table=QUORUM,
    headline="who holds the metadata log",
    rows_are="replicas",
    group_by="role",
    sums=(("voters_caught_up", "role = 'voter' AND caught_up"),),
    only="NOT coalesce(caught_up, false)",
    order=("role <> 'voter'", "-coalesce(lag_offsets, 0)", "replica_id"),
    columns=(
        Shown("node", 6, right=True),
        Shown("role", 8),
        Shown("leads", 5),
        Shown("behind", 10, right=True),
        Shown("for", 8, right=True),
        Shown("caught up", 9),
    ),
    cells=_cells,
    note=lambda row: row.reason,
    noted=5,
    totals=_totals,
    calm="every replica of the metadata log is caught up",
)
