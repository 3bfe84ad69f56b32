"""Brokers that receive or send copies of replicas, those with stalled copies first."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, text
from kafka_census.tables.reassignment_backlog_by_broker.columns import REASSIGNMENT_BACKLOG_BY_BROKER
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_bytes, human_time


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    if not counts:
        return []
    lines = [f"{counted(len(counts), 'broker')} with replicas on the move"]
    if sums["stalled"]:
        lines.append(f"{counted(sums['stalled'], 'broker')} with stalled copies")
    if sums["throttled"]:
        lines.append(f"{counted(sums['throttled'], 'broker')} held back by a throttle")
    return lines


def _end(stalled: int | None, eta_seconds: int | None) -> str:
    return "stalled" if stalled else "-" if eta_seconds is None else human_time(eta_seconds)


def _cells(row: Row) -> Sequence[str]:
    throttles = [
        rate
        for rate in (
            row.leader_throttle_bytes_per_second,
            row.follower_throttle_bytes_per_second,
            row.log_dir_throttle_bytes_per_second,
        )
        if rate is not None
    ]
    return (
        text(row.broker_id),
        text(row.replicas_in),
        human_bytes(row.bytes_left_in),
        _end(row.stalled_in, row.eta_seconds_in),
        text(row.replicas_out),
        human_bytes(row.bytes_left_out),
        _end(row.stalled_out, row.eta_seconds_out),
        f"{human_bytes(min(throttles))}/s" if throttles else "-",
    )


_STALLED = "coalesce(stalled_in, 0) + coalesce(stalled_out, 0)"
_THROTTLE = (
    "least(leader_throttle_bytes_per_second, follower_throttle_bytes_per_second, log_dir_throttle_bytes_per_second)"
)

REASSIGNMENT_BACKLOG_BY_BROKER_VIEW = View(
    table=REASSIGNMENT_BACKLOG_BY_BROKER,
    headline="what is still moving, by broker",
    rows_are="brokers",
    group_by="broker_id",
    sums=(
        ("stalled", f"{_STALLED} > 0"),
        ("throttled", f"{_THROTTLE} IS NOT NULL"),
    ),
    only="true",
    order=(f"-({_STALLED})", "-(coalesce(bytes_left_in, 0) + coalesce(bytes_left_out, 0))", "broker_id"),
    columns=(
        Shown("broker"),
        Shown("in", 6, right=True),
        Shown("left in", 9, right=True),
        Shown("eta in", 8, right=True),
        Shown("out", 6, right=True),
        Shown("left out", 9, right=True),
        Shown("eta out", 8, right=True),
        Shown("throttle", 11, right=True),
    ),
    cells=_cells,
    note=lambda row: row.throttle_reason,
    noted=7,
    totals=_totals,
    calm="no broker copies, takes or loses a replica",
)
