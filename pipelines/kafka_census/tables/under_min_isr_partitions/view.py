"""Partitions that lack in-sync replicas, offline ones first."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, listed, rank, text
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES, UNDER_MIN_ISR_PARTITIONS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted

_STUCK = "groups_unable_to_commit, transactional_ids_unable_to_commit"


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    lines = [f"{counted(total, 'partition')}: {by_value(counts, STATUSES)}"] if total else ["no partitions"]
    if sums["not_ready"]:
        lines.append(f"{counted(sums['not_ready'], 'partition')} cannot take an acks=all write now")
    if sums["stuck_groups"]:
        lines.append(f"{counted(sums['stuck_groups'], 'group')} cannot commit offsets")
    if sums["stuck_transactional_ids"]:
        lines.append(f"{counted(sums['stuck_transactional_ids'], 'transactional id')} cannot commit transactions")
    return lines


def _cells(row: Row) -> Sequence[str]:
    return (
        row.topic,
        text(row.partition),
        row.status,
        listed(row.isr),
        listed(row.replicas),
        text(row.min_isr_effective),
        "-" if row.ready_for_acks_all is None else "yes" if row.ready_for_acks_all else "NO",
        text(_either(row.groups_unable_to_commit, row.transactional_ids_unable_to_commit)),
    )


def _either(groups: Any, transactional_ids: Any) -> Any:
    """The value that is not null: a partition belongs to at most one of the internal topics."""
    return transactional_ids if groups is None else groups


UNDER_MIN_ISR_PARTITIONS_VIEW = View(
    table=UNDER_MIN_ISR_PARTITIONS,
    headline="partitions against their minimum ISR",
    rows_are="partitions",
    group_by="status",
    sums=(
        ("not_ready", "NOT ready_for_acks_all"),
        ("stuck_groups", "groups_unable_to_commit"),
        ("stuck_transactional_ids", "transactional_ids_unable_to_commit"),
    ),
    only="status <> 'OK'",
    order=(rank("status", STATUSES), f"-coalesce({_STUCK}, 0)", "topic", "partition"),
    columns=(
        Shown("topic"),
        Shown("part", 6, right=True),
        Shown("status", 16),
        Shown("isr", 9),
        Shown("replicas", 10),
        Shown("min", 3, right=True),
        Shown("acks", 4),
        Shown("stuck", 6, right=True),
    ),
    cells=_cells,
    note=lambda row: _either(row.groups_unable_to_commit_reason, row.transactional_ids_unable_to_commit_reason),
    noted=7,
    totals=_totals,
    calm="every partition has the in-sync replicas that it needs",
)
