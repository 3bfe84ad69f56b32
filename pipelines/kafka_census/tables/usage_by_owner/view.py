"""Owners by the bytes that they have; what nobody has comes last."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, text
from kafka_census.tables.usage_by_owner.columns import USAGE_BY_OWNER
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_bytes


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    owners = sum(counts.values()) - sums["nobody"]
    if not owners:
        return ["no owners are configured"]
    lines = [counted(owners, "owner")]
    if sums["topics"] or sums["groups"]:
        lines.append(f"nobody has {counted(sums['topics'], 'topic')} and {counted(sums['groups'], 'group')}")
    return lines


def _cells(row: Row) -> Sequence[str]:
    share = "-" if row.share_of_bytes is None else f"{row.share_of_bytes:.0%}"
    return (
        row.owner or "(nobody)",
        text(row.topics),
        text(row.partitions),
        human_bytes(row.replica_bytes),
        share,
        text(row.groups),
        text(row.lag_total),
        text(row.producer_ids),
    )


USAGE_BY_OWNER_VIEW = View(
    table=USAGE_BY_OWNER,
    headline="who uses how much",
    rows_are="owners",
    group_by="owner",
    sums=(
        ("nobody", "owner = ''"),
        ("topics", "CASE WHEN owner = '' THEN topics END"),
        ("groups", "CASE WHEN owner = '' THEN groups END"),
    ),
    only="true",
    order=("owner = ''", "-replica_bytes", "owner"),
    columns=(
        Shown("owner"),
        Shown("topics", 7, right=True),
        Shown("parts", 8, right=True),
        Shown("bytes", 9, right=True),
        Shown("share", 5, right=True),
        Shown("groups", 7, right=True),
        Shown("lag", 12, right=True),
        Shown("producers", 9, right=True),
    ),
    cells=_cells,
    note=lambda row: ", ".join(row.examples[:5]) or None,
    noted=1,
    totals=_totals,
    calm="no owners",
)
