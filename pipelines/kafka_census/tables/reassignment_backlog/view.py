"""Replicas on the move, stalled ones first."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, text
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_bytes, human_time


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    if not total:
        return []
    lines = [f"{counted(total, 'replica')}: {by_value(counts, ('move', 'log_dir_move', 'remove'))}"]
    lines.append(f"at least {human_bytes(sums['bytes_left'])} left to copy" if sums["unknown"] else
                 f"{human_bytes(sums['bytes_left'])} left to copy")  # fmt: skip
    if sums["unknown"]:
        lines.append(f"{counted(sums['unknown'], 'replica')} with unknown bytes left")
    if sums["stalled"]:
        lines.append(f"{counted(sums['stalled'], 'replica')} stalled since the previous census")
    if sums["throttled"]:
        lines.append(f"{counted(sums['throttled'], 'replica')} held back by a throttle")
    return lines


def _cells(row: Row) -> Sequence[str]:
    state = "stalled" if row.stalled else human_time(row.eta_seconds) if row.eta_seconds is not None else "-"
    rate = "-" if row.bytes_per_second is None else f"{human_bytes(row.bytes_per_second)}/s"
    return (
        row.topic,
        text(row.partition),
        row.kind,
        text(row.source_id),
        text(row.replica_id),
        human_bytes(row.bytes_total),
        human_bytes(row.bytes_left),
        rate,
        state,
    )


REASSIGNMENT_BACKLOG_VIEW = View(
    table=REASSIGNMENT_BACKLOG,
    headline="what is still moving",
    rows_are="replicas",
    group_by="kind",
    sums=(
        ("bytes_left", "bytes_left"),
        ("unknown", "bytes_left IS NULL"),
        ("stalled", "stalled"),
        ("throttled", "throttle_bytes_per_second IS NOT NULL AND coalesce(eta_seconds <> 0, true)"),
    ),
    only="true",
    order=(
        "NOT coalesce(stalled, false)",
        "bytes_left IS NOT NULL",
        "-bytes_left",
        "topic",
        "partition",
        "replica_id",
    ),
    columns=(
        Shown("topic"),
        Shown("part", 6, right=True),
        Shown("kind", 12),
        Shown("from", 5, right=True),
        Shown("to", 5, right=True),
        Shown("size", 9, right=True),
        Shown("left", 9, right=True),
        Shown("rate", 11, right=True),
        Shown("eta", 8, right=True),
    ),
    cells=_cells,
    note=lambda row: row.bytes_left_reason or (row.eta_reason if row.bytes_left == 0 else None),
    noted=6,
    totals=_totals,
    calm="no replica is being added, removed or moved",
)
