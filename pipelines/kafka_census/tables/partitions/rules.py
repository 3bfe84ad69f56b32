"""What must hold for `partitions`: a row for each row of `under_min_isr_partitions`. Unknown values have reasons."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.partitions.columns import PARTITIONS, POINTS
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES, UNDER_MIN_ISR_PARTITIONS

_WITH_REASON = (
    *("leader_bytes", "replica_bytes", "start_offset", "end_offset", "records_per_second"),
    *(("replicas_sharing_rack", "racks"),),
)

_RULES = (
    Rule("status_is_known_word", f"status IN {STATUSES}", "status is one of the words that its comment lists."),
    Rule("bad_status_has_reason", "status = 'OK' OR reason IS NOT NULL", "A status other than OK says why."),
    *(
        Rule(
            f"{name}_or_reason",
            f"({column} IS NULL) = ({name}_reason IS NOT NULL)",
            f"{column} is known, or the row says why not.",
        )
        for column, name in (one if isinstance(one, tuple) else (one, one) for one in _WITH_REASON)
    ),
    Rule(
        "preferred_leader_is_first",
        "coalesce(is_preferred_leader, false) = coalesce(leader_id = get(replicas, 0), false)",
        "The preferred leader is the first replica.",
    ),
    Rule(
        "leader_is_among_replicas",
        "coalesce(leader_bytes, 0) >= 0 AND coalesce(leader_bytes <= replica_bytes, true)",
        "What the leader has is at most what all replicas have.",
    ),
    Rule(
        "log_dirs_are_of_replicas",
        "forall(log_dirs, one -> array_contains(replicas, one.broker_id)) AND "
        "(replica_bytes IS NULL OR replica_bytes = aggregate(log_dirs, 0L, (total, one) -> total + one.bytes))",
        "Only replicas are in log dirs, and their bytes add up.",
    ),
    Rule(
        "racks_are_of_replicas",
        "size(racks) <= size(replicas) AND coalesce(replicas_sharing_rack < size(replicas), true)",
        "No more racks are named than there are replicas.",
    ),
    Rule(
        "offsets_are_not_negative",
        "least(coalesce(start_offset, 0), coalesce(end_offset, 0)) >= 0",
        "Offsets count from 0.",
    ),
    Rule(
        "log_has_a_direction",
        "coalesce(start_offset <= end_offset, true)",
        "A log starts at or before its end, which is read later; where not, it was truncated or made anew meanwhile.",
        "warning",
    ),
    Rule("end_has_a_time", "(end_offset IS NULL) = (end_offset_at IS NULL)", "An end offset was received some time."),
    Rule(
        "history_is_short_and_ends_now",
        f"size(end_offset_history) BETWEEN if(end_offset IS NULL, 0, 1) AND {POINTS} AND "
        "coalesce(try_element_at(end_offset_history, -1).end_offset = end_offset, true)",
        "The history of end offsets is bounded, and this census is its last point where the end is known.",
    ),
    Rule(
        "rate_compares_with_an_earlier_census",
        "(records_per_second IS NULL) = (previous_census_id IS NULL) AND coalesce(records_per_second, 0) >= 0 "
        "AND coalesce(previous_census_id < census_id, true)",
        "A rate compares with an earlier census, and is not negative.",
    ),
    Rule(
        "offsets_are_known",
        "start_offset IS NOT NULL AND end_offset IS NOT NULL",
        "The partition's offsets are known; where not, see start_offset_reason and end_offset_reason.",
        "warning",
    ),
    Rule(
        "bytes_are_known",
        "leader_bytes IS NOT NULL AND replica_bytes IS NOT NULL",
        "The partition's bytes are known; where not, see leader_bytes_reason and replica_bytes_reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    return census.staged(UNDER_MIN_ISR_PARTITIONS).agg(F.count("*").alias("partitions"))


PARTITIONS_SUITE = Suite(
    PARTITIONS, _counts, _RULES, (row_count("partitions", "There is one row for each partition."),)
)
