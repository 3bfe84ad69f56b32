"""Risks by word, open ones first; accepted ones are counted, and shown last."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, by_value, rank, text
from kafka_census.tables.risks.columns import RISK_WORDS, RISKS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    if not total:
        return ["no risks"]
    lines = [f"{counted(total, 'risk')}: {by_value(counts, RISK_WORDS)}"]
    if sums["accepted"]:
        lines.append(f"{sums['accepted']:,} accepted by the configuration")
    if sums["unknown"]:
        lines.append(f"{sums['unknown']:,} not known")
    return lines


def _cells(row: Row) -> Sequence[str]:
    until = "" if row.accepted_until is None else f" until {row.accepted_until}"
    return (row.risk, text(row.name) if row.name else "the cluster", f"{row.state}{until}", row.detail or "-")


RISKS_VIEW = View(
    table=RISKS,
    headline="one loss or change away from trouble",
    rows_are="risks",
    group_by="risk",
    sums=(("accepted", "state = 'accepted'"), ("unknown", "state = 'unknown'")),
    only="true",
    order=(rank("state", ("open", "unknown", "accepted")), rank("risk", RISK_WORDS), "-coalesce(affected, 0)", "name"),
    columns=(Shown("risk", 21), Shown("of"), Shown("state", 25), Shown("detail")),
    cells=_cells,
    note=lambda row: row.reason or row.accepted_why,
    noted=3,
    totals=_totals,
    calm="no risk is known",
)
