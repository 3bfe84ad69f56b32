"""Log dirs, unreadable ones first, then the fullest."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, rank, text
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_bytes

_STATES = ("offline", "not_read", "remote", "online")


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    lines = [f"{counted(sum(counts.values()), 'log dir')}: {by_value(counts, _STATES)}"]
    least = "at least " if sums["unknown"] else ""
    lines.append(
        f"{least}{human_bytes(sums['leader_bytes'])} of data, {human_bytes(sums['replica_bytes'])} with all replicas"
    )
    return lines


def _cells(row: Row) -> Sequence[str]:
    skew = "-" if row.skew is None else f"{row.skew:.2f}"
    free = "-" if row.usable_bytes is None else human_bytes(row.usable_bytes)
    return (
        text(row.broker_id),
        row.log_dir or "-",
        row.state,
        text(row.replicas),
        "-" if row.replica_bytes is None else human_bytes(row.replica_bytes),
        "-" if row.leader_bytes is None else human_bytes(row.leader_bytes),
        free,
        skew,
    )


LOG_DIR_USAGE_VIEW = View(
    table=LOG_DIR_USAGE,
    headline="what the log dirs hold",
    rows_are="log dirs",
    group_by="state",
    sums=(
        ("leader_bytes", "leader_bytes"),
        ("replica_bytes", "replica_bytes"),
        ("unknown", "state <> 'online' OR leader_reason IS NOT NULL"),
    ),
    only="true",
    order=(rank("state", _STATES), "usable_bytes / nullif(total_bytes, 0)", "-replica_bytes", "broker_id", "log_dir"),
    columns=(
        Shown("broker", 6, right=True),
        Shown("log dir"),
        Shown("state", 8),
        Shown("replicas", 8, right=True),
        Shown("bytes", 9, right=True),
        Shown("led", 9, right=True),
        Shown("free", 9, right=True),
        Shown("skew", 5, right=True),
    ),
    cells=_cells,
    note=lambda row: row.reason or row.leader_reason,
    noted=5,
    totals=_totals,
    calm="no log dirs",
)
