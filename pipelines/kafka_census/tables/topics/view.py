"""Topics by their bytes, the largest first."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, text
from kafka_census.tables.topics.columns import TOPICS
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_bytes


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    if not total:
        return ["no topics"]
    least = "at least " if sums["unknown"] else ""
    lines = [f"{counted(total, 'topic')}: {least}{human_bytes(sums['bytes'])} of data"]
    if sums["unread"]:
        lines.append(f"{counted(sums['unread'], 'topic')} that no group reads, Kafka's own aside")
    if sums["sharing"]:
        lines.append(f"{counted(sums['sharing'], 'topic')} with several replicas of a partition in one rack")
    return lines


def _bytes(value: int | None) -> str:
    if value is None:
        return "-"
    return human_bytes(value) if value >= 0 else f"-{human_bytes(-value)}"


def _cells(row: Row) -> Sequence[str]:
    # Rows of an older release have no lower bound.
    written, least = row.last_written_at or row.last_written_at_least, "" if row.last_written_at else "+"
    return (
        row.topic,
        text(row.partitions),
        _bytes(row.leader_bytes),
        _bytes(row.growth_bytes),
        text(row.cleanup_policy),
        f"{row.groups}{'+' if row.groups_reason else ''}",
        "-" if written is None else f"{written:%Y-%m-%d}{least}",
        text(row.replicas_sharing_rack),
    )


TOPICS_VIEW = View(
    table=TOPICS,
    headline="topics, their bytes and who reads them",
    rows_are="topics",
    group_by="is_internal",
    sums=(
        ("bytes", "leader_bytes"),
        ("unknown", "leader_bytes IS NULL"),
        ("unread", "NOT is_internal AND groups = 0 AND groups_reason IS NULL"),
        ("sharing", "replicas_sharing_rack > 0"),
    ),
    only="true",
    order=("leader_bytes IS NOT NULL", "-leader_bytes", "topic"),
    columns=(
        Shown("topic"),
        Shown("parts", 6, right=True),
        Shown("bytes", 9, right=True),
        Shown("growth", 9, right=True),
        Shown("policy", 8),
        Shown("groups", 6, right=True),
        Shown("written", 11),
        Shown("rack", 5, right=True),
    ),
    cells=_cells,
    note=lambda row: row.leader_bytes_reason,
    noted=2,
    totals=_totals,
    calm="no topics",
)
