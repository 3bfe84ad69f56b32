"""Committed offsets outside the log, unknown lags, and partitions that do not drain."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, rank, text
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_time

_RANGES = ("after_end", "before_start", "unknown", "no_commit", "in_range")


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    if not total:
        return ["no partition is committed, or assigned to a member"]
    lines = [f"{counted(total, 'partition')} of groups: {by_value(counts, _RANGES)}"]
    if sums["gone"]:
        lines.append(f"{counted(sums['gone'], 'partition')} of topics that are deleted")
    if sums["recreated"]:
        lines.append(f"{counted(sums['recreated'], 'partition')} with an offset of an earlier topic of that name")
    if sums["growing"]:
        lines.append(f"{counted(sums['growing'], 'partition')} not consumed faster than written to")
    return lines


def _cells(row: Row) -> Sequence[str]:
    return (
        text(row.group_id),
        row.topic,
        text(row.partition),
        text(row.committed_offset),
        text(row.high_watermark),
        text(row.lag),
        "-" if row.seconds_to_drain is None else human_time(row.seconds_to_drain),
        row.range,
    )


CONSUMER_LAG_VIEW = View(
    table=CONSUMER_LAG,
    headline="offsets of groups that need a look",
    rows_are="partitions",
    group_by="range",
    sums=(
        ("gone", "topic_state = 'gone'"),
        ("recreated", "topic_state = 'recreated'"),
        ("growing", "drain_reason = 'not_draining'"),
    ),
    only="range <> 'in_range' OR topic_state <> 'exists' OR lag IS NULL OR coalesce(drain_reason, '') = 'not_draining'",
    order=(rank("range", _RANGES), "-coalesce(lag, 0)", "group_id", "topic", "partition"),
    columns=(
        Shown("group"),
        Shown("topic"),
        Shown("part", 6, right=True),
        Shown("offset", 12, right=True),
        Shown("end", 12, right=True),
        Shown("lag", 10, right=True),
        Shown("drains", 8, right=True),
        Shown("range", 12),
    ),
    cells=_cells,
    note=lambda row: row.lag_reason,
    noted=5,
    totals=_totals,
    calm="every offset is in its log, and no partition fails to drain",
)
