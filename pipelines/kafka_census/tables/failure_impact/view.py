"""What can be lost, the worst loss first, brokers before log dirs."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, rank, text
from kafka_census.impact.verdict import VERDICTS
from kafka_census.tables.failure_impact.columns import FAILURE_IMPACT, KINDS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    lines = [f"{counted(sum(counts.values()), 'loss', 'losses')} foretold: {by_value(counts, VERDICTS)}"]
    if sums["unsafe_brokers"]:
        lines.append(f"{counted(sums['unsafe_brokers'], 'broker')} cannot be lost without harm")
    return lines


def _cells(row: Row) -> Sequence[str]:
    return (
        text(row.kind),
        text(row.name) if row.name else "-",
        text(row.verdict),
        text(row.offline_partitions),
        text(row.under_min_isr_partitions),
        text(row.at_min_isr_partitions),
        text(row.leaders_moving),
        text(row.groups_stranded),
    )


FAILURE_IMPACT_VIEW = View(
    table=FAILURE_IMPACT,
    headline="what the loss of a broker, rack, log dir or controller would do",
    rows_are="losses",
    group_by="verdict",
    sums=(("unsafe_brokers", "kind = 'broker' AND verdict IN ('loses_availability', 'stops_writes')"),),
    only="verdict <> 'safe'",
    order=(rank("verdict", VERDICTS), rank("kind", KINDS), "-coalesce(offline_partitions, 0)", "name"),
    columns=(
        Shown("kind", 10),
        Shown("lost"),
        Shown("verdict", 18),
        Shown("offline", 7, right=True),
        Shown("under", 6, right=True),
        Shown("at", 6, right=True),
        Shown("moving", 6, right=True),
        Shown("stuck", 6, right=True),
    ),
    cells=_cells,
    note=lambda row: row.partitions_reason,
    noted=3,
    totals=_totals,
    calm="each broker, rack, log dir and controller can be lost without harm",
)
