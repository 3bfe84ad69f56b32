"""Brokers that are down, or whose replicas are out of sync or not led by the preferred replica."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, rank, text
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted

_STATES = ("not_alive", "fenced", "gone", "alive")


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    lines = [f"{counted(sum(counts.values()), 'broker')}: {by_value(counts, _STATES)}"]
    if sums["elsewhere"]:
        lines.append(f"{counted(sums['elsewhere'], 'partition')} not led by the preferred replica")
    return lines


def _cells(row: Row) -> Sequence[str]:
    return (
        text(row.broker_id),
        row.state,
        text(row.rack),
        "yes" if row.is_controller else "-" if row.is_controller is False else "?",
        text(row.leaders),
        text(row.preferred_elsewhere),
        text(row.replicas),
        text(row.out_of_sync_replicas),
        text(row.offline_replicas),
    )


BROKERS_VIEW = View(
    table=BROKERS,
    headline="the brokers and what hangs on them",
    rows_are="brokers",
    group_by="state",
    sums=(("elsewhere", "preferred_elsewhere"),),
    only="state <> 'alive' OR counts_reason IS NOT NULL OR preferred_elsewhere + out_of_sync_replicas > 0",
    order=(rank("state", _STATES), "-offline_replicas", "-out_of_sync_replicas", "-preferred_elsewhere", "broker_id"),
    columns=(
        Shown("id", 6, right=True),
        Shown("state", 9),
        Shown("rack"),
        Shown("ctrl", 4),
        Shown("leads", 7, right=True),
        Shown("not led", 7, right=True),
        Shown("replicas", 8, right=True),
        Shown("lagging", 7, right=True),
        Shown("offline", 7, right=True),
    ),
    cells=_cells,
    note=lambda row: row.counts_reason or (row.features_reason if row.state == "fenced" else None),
    noted=4,
    totals=_totals,
    calm="every broker is alive, in sync and leads what it should",
)
