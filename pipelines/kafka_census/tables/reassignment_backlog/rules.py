"""What must hold for `reassignment_backlog`.

The table is empty when nothing moves. Otherwise it has one row for each replica that a
listed reassignment adds or removes, and one for each future replica in a log dir.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG

_RULES = (
    Rule(
        "kind_is_known_word",
        "kind IN ('move', 'remove', 'log_dir_move')",
        "kind is one of the words that its comment lists.",
    ),
    Rule(
        "replica_is_on_the_move",
        "CASE kind WHEN 'move' THEN array_contains(adding_replicas, replica_id) "
        "WHEN 'remove' THEN array_contains(removing_replicas, replica_id) ELSE future_log_dir IS NOT NULL END",
        "The replica is being added, being removed, or has a log dir to go to.",
    ),
    Rule(
        "bytes_are_not_negative",
        "coalesce(bytes_left, 0) >= 0 AND coalesce(bytes_total, 0) >= 0",
        "Bytes left and in all are at least 0.",
    ),
    Rule(
        "left_is_within_total",
        "bytes_left IS NULL OR bytes_total IS NULL OR bytes_left <= bytes_total",
        "No more is left than there is in all.",
    ),
    Rule(
        "unknown_bytes_have_reason",
        "bytes_left IS NOT NULL OR bytes_left_reason IS NOT NULL",
        "bytes_left is known, or the row says why it is not.",
    ),
    Rule(
        "in_sync_has_nothing_left",
        "NOT (kind = 'remove' OR (kind = 'move' AND coalesce(in_isr, false))) OR bytes_left = 0",
        "Nothing is left to copy for a replica that is in sync or that goes away.",
    ),
    Rule(
        "adding_in_isr_are_within_adding",
        "coalesce(adding_in_isr, 0) BETWEEN 0 AND adding_total",
        "Of the replicas being added at most all are in sync.",
    ),
    Rule(
        "eta_has_rate",
        "eta_seconds IS NULL OR eta_seconds = 0 AND kind = 'move' AND in_isr "
        "OR eta_seconds > 0 AND bytes_per_second > 0 AND bytes_left != 0",
        "An ETA rests on a rate above 0; only a replica in sync has come to its end.",
    ),
    Rule(
        "eta_or_reason",
        "IF(kind = 'remove', coalesce(CAST(eta_seconds AS STRING), eta_reason) IS NULL, "
        "(eta_seconds IS NULL) = (eta_reason IS NOT NULL))",
        "The end of a copy is known, or the row says why not.",
    ),
    Rule(
        "progress_has_census_before",
        "previous_census_id IS NOT NULL OR (bytes_per_second IS NULL AND stalled IS NULL)",
        "Rate and stalled come from a previous census, or are not reported.",
    ),
    Rule(
        "unknown_throttle_has_no_rate",
        "(source_throttle_bytes_per_second IS NULL OR source_throttle_reason IS NULL)"
        " AND (target_throttle_bytes_per_second IS NULL OR target_throttle_reason IS NULL)"
        " AND (kind != 'remove' OR coalesce(source_throttle_reason, target_throttle_reason) IS NULL)",
        "A throttle is reported, or the reason why it is not; a removal has neither.",
    ),
    Rule(
        "bytes_left_is_known",
        "bytes_left IS NOT NULL",
        "What is left to copy could be computed; where not, see bytes_left_reason.",
        "warning",
    ),
    Rule(
        "throttle_is_known",
        "coalesce(source_throttle_reason, target_throttle_reason) IS NULL",
        "It could be read whether a throttle is in force; where not, see the reasons.",
        "warning",
    ),
    Rule(
        "copy_is_not_stalled",
        "coalesce(NOT stalled, kind = 'remove' OR previous_census_id IS NULL OR bytes_left IS NULL OR bytes_left = 0)",
        "The copy advanced since the previous census, if that knew it; where stalled is null, that cannot be told.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    moving = census.listed("ListPartitionReassignments", "cluster").agg(
        F.coalesce(F.sum(F.size("adding_replicas") + F.size("removing_replicas")), F.lit(0)).alias("replicas")
    )
    futures = census.listed("DescribeLogDirs", "log_dirs").where("is_future")
    between_dirs = futures.agg(F.count_distinct("topic", "partition", "asked_node_id").alias("futures"))
    return moving.crossJoin(between_dirs).select((F.col("replicas") + F.col("futures")).alias("rows"))


REASSIGNMENT_BACKLOG_SUITE = Suite(
    REASSIGNMENT_BACKLOG, _counts, _RULES, (row_count("rows", "There is one row for each replica on the move."),)
)
