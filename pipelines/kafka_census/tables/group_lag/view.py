"""Groups by lag, the highest first, after groups whose lag is unknown."""

from collections.abc import Sequence

from pyspark.sql import Row

from kafka_census.declarations.view import Counts, View, text
from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.terminal.columns import Shown
from kafka_census.terminal.human import counted, human_time


def _totals(counts: Counts, sums: Counts) -> Sequence[str]:
    total = sum(counts.values())
    if not total:
        return ["no groups"]
    least = "at least " if sums["missed"] or sums["unread"] else ""
    lines = [f"{counted(total, 'group')}: {least}{counted(sums['lag'], 'offset')} behind"]
    if sums["missed"]:
        outside = f", {sums['outside']:,} outside their log" if sums["outside"] else ""
        lines.append(f"{counted(sums['missed'], 'partition')} without a known lag, in no total{outside}")
    if sums["unread"]:
        lines.append(f"{counted(sums['unread'], 'group')} whose offsets were not all read")
    return lines


def _age(row: Row) -> str:
    """The largest lag in time, such as `3h`, or `> 3h` where it may be more."""
    if row.lag_seconds is None:
        return "-"
    more = row.lag_seconds_method == "at_least" or row.partitions_without_age
    return f"{'> ' if more else ''}{human_time(row.lag_seconds)}"


def _cells(row: Row) -> Sequence[str]:
    slowest = "-" if row.slowest_topic is None or not row.lag_max else f"{row.slowest_topic}-{row.slowest_partition}"
    return (
        text(row.group_id),
        text(row.group_state),
        text(row.members),
        text(row.partitions_missed),
        text(row.lag_total),
        _age(row),
        slowest,
        "-" if row.seconds_to_drain is None else human_time(row.seconds_to_drain),
    )


GROUP_LAG_VIEW = View(
    table=GROUP_LAG,
    headline="how far groups are behind",
    rows_are="groups",
    group_by="group_state",
    sums=(
        ("lag", "lag_total"),
        ("missed", "partitions_missed"),
        ("outside", "partitions_out_of_range"),
        ("unread", "offsets_reason IS NOT NULL"),
    ),
    only="lag_total > 0 OR partitions_missed > 0 OR offsets_reason IS NOT NULL",
    order=("lag_total IS NOT NULL", "-lag_total", "-partitions_missed", "group_id"),
    columns=(
        Shown("group"),
        Shown("state", 18),
        Shown("members", 7, right=True),
        Shown("missed", 6, right=True),
        Shown("lag", 12, right=True),
        Shown("behind", 9, right=True),
        Shown("slowest"),
        Shown("drains", 8, right=True),
    ),
    cells=_cells,
    note=lambda row: row.offsets_reason or row.lag_reason,
    noted=5,
    totals=_totals,
    calm="no group is behind",
)
