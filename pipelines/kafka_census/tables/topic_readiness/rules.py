"""What must hold for `topic_readiness`.

It has one row for each topic of `under_min_isr_partitions`, and counts each of its partitions once.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, row_count
from kafka_census.tables.topic_readiness.columns import TOPIC_READINESS
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES, UNDER_MIN_ISR_PARTITIONS

_COUNTS = tuple(f"{status.lower()}_partitions" for status in STATUSES)

_RULES = (
    Rule(
        "statuses_are_exhaustive",
        f"partitions IS NULL OR partitions = {' + '.join(_COUNTS)}",
        "Each partition has exactly one status.",
    ),
    Rule(
        "status_is_known_word",
        f"status IN {STATUSES}",
        "status is one of the words that its comment lists.",
    ),
    Rule(
        "bad_status_has_reason",
        "(status = 'OK') = (reason IS NULL)",
        "A status other than OK says which partition it is, and only such a status.",
    ),
    Rule(
        "offline_is_not_available",
        "available_partitions IS NULL OR available_partitions = partitions - offline_partitions",
        "All partitions but the OFFLINE ones are available.",
    ),
    Rule(
        "ready_is_not_offline_or_under",
        "ready_partitions IS NULL OR ready_partitions BETWEEN 0 AND partitions - offline_partitions - under_partitions",
        "Neither OFFLINE nor UNDER partitions are ready for acks=all.",
    ),
    Rule(
        "unknown_ready_has_reason",
        "(ready_partitions IS NULL) = (ready_reason IS NOT NULL)",
        "The number of ready partitions is known, or the row says why it is not.",
    ),
    Rule(
        "ready_topic_has_ready_partitions",
        "ready_partitions IS NULL OR ready_for_acks_all = (ready_partitions = partitions)",
        "A topic is ready for acks=all exactly when all of its partitions are.",
    ),
    Rule(
        "topic_was_described",
        "partitions IS NOT NULL",
        "The topic could be described; where not, see reason.",
        "warning",
    ),
    Rule(
        "topic_is_ready",
        "partitions IS NULL OR ready_for_acks_all",
        "No partition of the topic refuses acks=all writes; where one does, or that is not known, see reason and "
        "ready_reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    return census.staged(UNDER_MIN_ISR_PARTITIONS).agg(F.count_distinct("topic").alias("topics"))


TOPIC_READINESS_SUITE = Suite(
    TOPIC_READINESS,
    _counts,
    _RULES,
    (row_count("topics", "There is one row for each topic that has a partition or an error."),),
)
