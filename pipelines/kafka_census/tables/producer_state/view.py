"""Partitions by their producer ids: those with open transactions first, then those with the most ids."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, text
from kafka_census.tables.producer_state.columns import PRODUCER_STATE
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    if not total:
        return ["no partitions"]
    ids = counted(sums["producer_ids"] or 0, "producer id")
    lines = [f"{ids} in {counted(total, 'partition')}, {sums['idempotent_only'] or 0:,} of them idempotent only"]
    if sums["open_transactions"]:
        lines.append(f"{counted(sums['open_transactions'], 'open transaction')}")
    if sums["unknown"]:
        lines.append(f"{counted(sums['unknown'], 'partition')} whose producers could not be read")
    return lines


def _cells(row: Row) -> Sequence[str]:
    share, growth = row.idempotent_only_share, row.producer_ids_per_hour
    return (
        row.topic,
        text(row.partition),
        text(row.producer_ids),
        "-" if share is None else f"{share:.0%}",
        text(row.open_transactions),
        "-" if growth is None else f"{growth:+,.1f}",
        "-" if row.oldest_last_timestamp is None else f"{row.oldest_last_timestamp:%Y-%m-%d %H:%M}",
    )


PRODUCER_STATE_VIEW = View(
    table=PRODUCER_STATE,
    headline="producer ids that brokers keep",
    rows_are="partitions",
    group_by="reason",
    sums=(
        ("producer_ids", "producer_ids"),
        ("idempotent_only", "idempotent_only"),
        ("open_transactions", "open_transactions"),
        ("unknown", "producer_ids IS NULL"),
    ),
    only="coalesce(producer_ids, 1) > 0",
    order=("producer_ids IS NOT NULL", "-open_transactions", "-producer_ids", "topic", "partition"),
    columns=(
        Shown("topic"),
        Shown("part", 6, right=True),
        Shown("ids", 9, right=True),
        Shown("idempot", 7, right=True),
        Shown("open", 6, right=True),
        Shown("ids/h", 9, right=True),
        Shown("oldest", 16),
    ),
    cells=_cells,
    note=lambda row: row.reason,
    noted=2,
    totals=_totals,
    calm="no partition holds a producer id",
)
