"""Topics that cannot take every write, offline ones first."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, rank, text
from kafka_census.tables.topic_readiness.columns import TOPIC_READINESS
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    lines = (
        [f"{counted(total, 'topic')} by their worst partition: {by_value(counts, STATUSES)}"]
        if total
        else ["no topics"]
    )
    if sums["not_ready"]:
        lines.append(f"{counted(sums['not_ready'], 'topic')} with partitions that refuse acks=all writes")
    if sums["unknown"]:
        lines.append(f"{counted(sums['unknown'], 'topic')} of which that is not known")
    return lines


def _cells(row: Row) -> Sequence[str]:
    return (
        row.topic,
        row.status,
        text(row.partitions),
        text(row.available_partitions),
        "?" if row.ready_partitions is None else text(row.ready_partitions),
        text(row.min_isr_raw),
        text(row.min_isr_source),
    )


TOPIC_READINESS_VIEW = View(
    table=TOPIC_READINESS,
    headline="topics and their readiness for acks=all",
    rows_are="topics",
    group_by="status",
    sums=(
        ("not_ready", "NOT ready_for_acks_all"),
        ("unknown", "ready_for_acks_all IS NULL"),
    ),
    only="NOT coalesce(ready_for_acks_all, false)",
    order=(rank("status", STATUSES), "coalesce(ready_partitions - partitions, 0)", "topic"),
    columns=(
        Shown("topic"),
        Shown("worst", 16),
        Shown("parts", 6, right=True),
        Shown("avail", 6, right=True),
        Shown("ready", 6, right=True),
        Shown("min", 3, right=True),
        Shown("min from", 15),
    ),
    cells=_cells,
    note=lambda row: row.ready_reason,
    noted=4,
    totals=_totals,
    calm="every partition of every topic is ready for acks=all writes",
)
