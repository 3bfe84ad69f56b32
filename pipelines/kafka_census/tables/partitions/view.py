"""Partitions by how fast they are written, the fastest first, then by their bytes."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, listed, text
from kafka_census.tables.partitions.columns import PARTITIONS
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_bytes


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    if not total:
        return ["no partitions"]
    least = "at least " if sums["unsized"] else ""
    lines = [
        f"{counted(total, 'partition')}: {by_value(counts, STATUSES)}",
        f"{least}{human_bytes(sums['bytes'])} of data",
    ]
    if sums["elsewhere"]:
        lines.append(f"{counted(sums['elsewhere'], 'partition')} not led by the preferred replica")
    return lines


def _cells(row: Row) -> Sequence[str]:
    rate = row.records_per_second
    return (
        row.topic,
        text(row.partition),
        text(row.leader_id),
        listed(row.replicas),
        "-" if row.leader_bytes is None else human_bytes(row.leader_bytes),
        text(row.end_offset),
        "-" if rate is None else f"{rate:,.1f}",
        row.status,
    )


PARTITIONS_VIEW = View(
    table=PARTITIONS,
    headline="partitions, their bytes and how fast they are written",
    rows_are="partitions",
    group_by="status",
    sums=(
        ("bytes", "leader_bytes"),
        ("unsized", "leader_bytes IS NULL"),
        ("elsewhere", "NOT is_preferred_leader"),
    ),
    only="true",
    order=("-coalesce(records_per_second, -1)", "-coalesce(leader_bytes, 0)", "topic", "partition"),
    columns=(
        Shown("topic"),
        Shown("part", 6, right=True),
        Shown("leader", 6, right=True),
        Shown("replicas", 10),
        Shown("bytes", 9, right=True),
        Shown("end", 10, right=True),
        Shown("per s", 9, right=True),
        Shown("status", 8),
    ),
    cells=_cells,
    note=lambda row: row.leader_bytes_reason,
    noted=4,
    totals=_totals,
    calm="no partitions",
)
