"""Hanging transactions, those with high confidence first, and partitions where one may be hidden."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, rank, text
from kafka_census.tables.hanging_transactions.columns import HANGING_TRANSACTIONS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_time

_VERDICTS = ("hanging", "unknown", "ended", "held")
_IN_DOUBT = "hanging?"
_MS = 1000


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    if not total:
        return ["no partition has a transaction open, and all were read"]
    # Transactions with low confidence are reported separately.
    by_status = {**counts, "hanging": counts.get("hanging", 0) - sums["low"], _IN_DOUBT: sums["low"]}
    lines = [
        by_value({name: count for name, count in by_status.items() if count}, ("hanging", _IN_DOUBT, *_VERDICTS[1:]))
    ]
    if sums["low"]:
        lines.append(f"{counted(sums['low'], 'transaction')} may hang, or only look so: see the notes")
    return lines


def _cells(row: Row) -> Sequence[str]:
    return (
        row.topic,
        text(row.partition),
        "-" if row.producer_id < 0 else text(row.producer_id),
        text(row.current_txn_start_offset),
        text(row.verdict) if row.confidence != "low" else _IN_DOUBT,
        "-" if row.seen_for_ms is None else human_time(row.seen_for_ms // _MS),
        "-" if row.late is None else "late" if row.late else "no",
        text(row.evidence),
    )


HANGING_TRANSACTIONS_VIEW = View(
    table=HANGING_TRANSACTIONS,
    headline="transactions that nobody will end",
    rows_are="transactions",
    group_by="verdict",
    sums=(("low", "confidence = 'low'"),),
    only="verdict IN ('hanging', 'unknown')",
    order=(rank("verdict", _VERDICTS), "confidence", "hanging_since", "topic", "partition", "producer_id"),
    columns=(
        Shown("topic"),
        Shown("part", 6, right=True),
        Shown("producer", 10, right=True),
        Shown("from", 9, right=True),
        Shown("verdict", 11),
        Shown("seen", 6, right=True),
        Shown("late", 4),
        Shown("evidence", 19),
    ),
    cells=_cells,
    note=lambda row: row.doubt or (row.reason if row.verdict == "unknown" else None),
    noted=4,
    totals=_totals,
    calm="every open transaction is held by its coordinator",
)
