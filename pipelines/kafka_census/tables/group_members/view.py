"""Groups whose members are unknown, then members without a partition."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, rank, text
from kafka_census.tables.group_members.columns import GROUP_MEMBERS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted

_STATUSES = ("not_read", "described")


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    lines = [counted(counts.get("described", 0), "member")]
    if sums["waiting"]:
        lines.append(f"{counted(sums['waiting'], 'member')} without a partition")
    if counts.get("not_read"):
        lines.append(f"{counted(counts['not_read'], 'group')} whose members were not all read")
    return lines


def _cells(row: Row) -> Sequence[str]:
    return (
        text(row.group_id),
        row.member_id or "-",
        text(row.client_id),
        text(row.client_host),
        text(row.instance_id),
        text(row.partitions),
    )


GROUP_MEMBERS_VIEW = View(
    table=GROUP_MEMBERS,
    headline="who is in the groups",
    rows_are="members",
    group_by="status",
    sums=(("waiting", "partitions = 0"),),
    only="status = 'not_read' OR assignment_reason IS NOT NULL OR partitions = 0",
    order=(rank("status", _STATUSES), "partitions IS NOT NULL", "group_id", "member_id"),
    columns=(
        Shown("group"),
        Shown("member"),
        Shown("client", 16),
        Shown("host", 16),
        Shown("instance", 12),
        Shown("parts", 6, right=True),
    ),
    cells=_cells,
    note=lambda row: row.reason or row.assignment_reason,
    noted=5,
    totals=_totals,
    calm="every member has a partition",
)
