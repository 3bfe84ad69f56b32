"""What must hold for `group_lag`.

The table may be empty: a cluster without groups has no rows. It has exactly one row for each group that any broker
listed, and its partitions are all rows of `consumer_lag`.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, Total, row_count
from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.group_lag.columns import GROUP_LAG

_RULES = (
    Rule(
        "known_and_missed_are_all",
        "partitions = partitions_known + partitions_missed AND least(partitions_known, partitions_missed) >= 0",
        "Each partition is in the totals, or is counted as missed.",
    ),
    Rule(
        "parts_are_within_their_whole",
        "least(partitions_without_commit, partitions_unread) >= 0 "
        "AND partitions_without_commit + partitions_unread <= partitions_missed AND topics BETWEEN 0 AND partitions "
        "AND greatest(partitions_out_of_range, coalesce(partitions_unassigned, 0), partitions_without_rate, "
        "partitions_not_draining, partitions_without_age) <= partitions",
        "No kind of partition is more than all partitions.",
    ),
    Rule(
        "unknown_total_has_reason",
        "(lag_total IS NULL) = (partitions_known = 0) AND (lag_total IS NULL) = (lag_reason IS NOT NULL)",
        "There is a total where any lag is known; where none is, the row says why.",
    ),
    Rule(
        "largest_is_within_total",
        "lag_max <=> lag_total OR lag_max BETWEEN 0 AND lag_total",
        "The largest lag is part of the total.",
    ),
    Rule(
        "slowest_is_named",
        "(lag_max IS NULL) = (slowest_topic IS NULL) AND (lag_max IS NULL) = (slowest_partition IS NULL)",
        "The partition with the largest lag is named.",
    ),
    Rule(
        "unassigned_is_within_total",
        "lag_unassigned IS NULL OR lag_unassigned BETWEEN 0 AND lag_total",
        "What no member reads is part of the total.",
    ),
    Rule(
        "lag_in_time_has_reason",
        "(lag_seconds IS NULL) = (lag_seconds_reason IS NOT NULL)"
        " AND (lag_seconds IS NULL) = (lag_seconds_method IS NULL)"
        " AND coalesce(lag_seconds, 0) >= 0 AND coalesce(lag_read_committed_seconds <= lag_seconds, true)",
        "A lag in time has a method; where it is not known, the row says why.",
    ),
    Rule(
        "unknown_members_have_reason",
        "members >= 0 OR members_reason IS NOT NULL",
        "The number of members is known, or the row says why it is not.",
    ),
    Rule(
        "no_partition_is_missed",
        "partitions_missed = 0",
        "The lag of every partition is known; where not, lag_total is a lower bound: see consumer_lag.",
        "warning",
    ),
    Rule(
        "offsets_were_read",
        "offsets_reason IS NULL",
        "The group's offsets were read; where not, see offsets_reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    listed = census.listed("ListGroups", "groups").agg(F.count_distinct("group_id").alias("groups"))
    return listed.crossJoin(census.staged(CONSUMER_LAG).agg(F.count("*").alias("partitions")))


GROUP_LAG_SUITE = Suite(
    GROUP_LAG,
    _counts,
    _RULES,
    (
        row_count("groups", "There is one row for each group that was listed."),
        Total(
            "partition_count", "partitions", "Every row of consumer_lag is in a group's totals.", "sum", "partitions"
        ),
    ),
)
