"""What must hold for `reassignment_backlog_by_broker`.

The table is empty when nothing moves. Otherwise it has one row for each broker that `reassignment_backlog` names
as the target or the source of a replica.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.reassignment_backlog_by_broker.columns import REASSIGNMENT_BACKLOG_BY_BROKER, WAYS


def _both(predicate: str) -> str:
    """A predicate for both directions, in which {} is the direction."""
    return " AND ".join(f"({predicate.replace('{}', way)})" for way in WAYS)


_RULES = (
    Rule(
        "broker_takes_part",
        "replicas_in + replicas_out + replicas_removed > 0",
        "A broker without a replica on the move has no row.",
    ),
    Rule(
        "parts_are_within_replicas",
        _both("unknown_{} BETWEEN 0 AND replicas_{} AND coalesce(stalled_{}, 0) BETWEEN 0 AND replicas_{}")
        + " AND log_dir_moves BETWEEN 0 AND replicas_in AND replicas_removed >= 0",
        "Unknown and stalled replicas, and those between log dirs, are some of them.",
    ),
    Rule(
        "bytes_left_are_known_in_part",
        _both("(bytes_left_{} IS NULL) = (replicas_{} > 0 AND unknown_{} = replicas_{})")
        + " AND "
        + _both("coalesce(bytes_left_{}, 0) >= 0"),
        "Bytes left are at least 0, and null exactly where no replica's are known.",
    ),
    Rule(
        "eta_or_reason",
        _both(
            "IF(replicas_{} = 0, coalesce(eta_seconds_{}, eta_{}_reason) IS NULL, "
            "(eta_seconds_{} IS NULL) = (eta_{}_reason IS NOT NULL))"
        ),
        "The end of the slowest is known, or the row says of how many it is not.",
    ),
    Rule(
        "progress_has_census_before",
        "previous_census_id IS NOT NULL OR " + f"({_both('bytes_per_second_{} IS NULL')})",
        "Rates come from a previous census, or are not reported.",
    ),
    Rule(
        "throttle_has_copies",
        "(leader_throttle_bytes_per_second IS NULL OR replicas_out > 0)"
        " AND (follower_throttle_bytes_per_second IS NULL OR replicas_in > log_dir_moves)"
        " AND (log_dir_throttle_bytes_per_second IS NULL OR log_dir_moves > 0)",
        "A throttle is in force only where there is something to hold back.",
    ),
    Rule("bytes_left_are_known", "unknown_in + unknown_out = 0", "What is left to copy is known.", "warning"),
    Rule("throttles_are_known", "throttle_reason IS NULL", "The throttles of the broker are known.", "warning"),
    Rule(
        "copies_are_not_stalled",
        _both("coalesce(stalled_{} = 0, previous_census_id IS NULL OR unknown_{} = replicas_{} OR bytes_left_{} = 0)"),
        "The broker's copies advanced since the previous census; where stalled is null, that cannot be told.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    ends = census.staged(REASSIGNMENT_BACKLOG).select(F.explode(F.array("replica_id", "source_id")).alias("broker_id"))
    return ends.agg(F.count_distinct("broker_id").alias("brokers"))


REASSIGNMENT_BACKLOG_BY_BROKER_SUITE = Suite(
    REASSIGNMENT_BACKLOG_BY_BROKER,
    _counts,
    _RULES,
    (row_count("brokers", "There is one row for each broker that takes part."),),
)
