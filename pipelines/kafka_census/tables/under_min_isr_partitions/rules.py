"""What must hold for `under_min_isr_partitions`.

The table is empty only on a cluster without topics: it has one row for each described partition, including healthy
ones, and one (partition -1) for each topic that could not be described. Its topics are counted separately, in
Metadata's listing, so that an incomplete description is noticed.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.rules import Counted, Rule, Suite, Total, row_count
from kafka_census.declarations.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES, UNDER_MIN_ISR_PARTITIONS

_UNDESCRIBED = "partition < 0"
_SOURCES = ("topic", "dynamic_broker", "dynamic_default", "static", "default", "metadata", "unknown")


def _counted_at(topic: str, counted: str) -> str:
    """A partition of the topic has a number or a reason for its absence; partitions of other topics have neither."""
    return (
        f"IF(topic = '{topic}', ({counted} IS NULL) = ({counted}_reason IS NOT NULL) "
        f"AND coalesce({counted}, 0) >= 0 AND NOT (coalesce({counted}, 0) > 0 AND ready_for_acks_all), "
        f"{counted} IS NULL AND {counted}_reason IS NULL)"
    )


_RULES = (
    Rule(
        "status_is_known_word",
        f"status IN {STATUSES}",
        "status is one of the words that its comment lists.",
    ),
    Rule(
        "bad_status_has_reason",
        "status = 'OK' OR reason IS NOT NULL",
        "A status other than OK says what it rests on.",
    ),
    Rule(
        "offline_is_not_available",
        "(status = 'OFFLINE') = coalesce(NOT available, false)",
        "A partition is OFFLINE exactly when it is known not to be available.",
    ),
    Rule(
        "under_is_below_minimum",
        "status != 'UNDER' OR isr_size < coalesce(min_isr_effective, replication_factor)",
        "An UNDER partition has fewer in-sync replicas than its effective minimum, or than any that it may be.",
    ),
    Rule(
        "ready_is_above_minimum",
        "NOT coalesce(ready_for_acks_all, false)"
        " OR coalesce(leader_id IS NOT NULL AND isr_size >= min_isr_effective, false)",
        "A partition that is ready for acks=all has a leader and enough in-sync replicas.",
    ),
    Rule(
        "effective_minimum_is_within_raw",
        "min_isr_effective IS NULL OR min_isr_effective <= min_isr_raw",
        "The effective minimum is at most the configured one.",
    ),
    Rule(
        "minimum_has_source",
        f"min_isr_source IN {_SOURCES}"
        " AND min_isr_effective_source IN ('replication_factor', min_isr_source, 'unknown')",
        "Both minima say where they are from.",
    ),
    Rule(
        "available_has_leader",
        "coalesce(available, false) = (leader_id IS NOT NULL)",
        "A partition is available exactly when it has a leader.",
    ),
    Rule(
        "groups_are_counted",
        _counted_at(OFFSETS_TOPIC, "groups_unable_to_commit"),
        f"Partitions of {OFFSETS_TOPIC} say how many groups cannot commit, or why that is not known.",
    ),
    Rule(
        "transactional_ids_are_counted",
        _counted_at(TRANSACTIONS_TOPIC, "transactional_ids_unable_to_commit"),
        f"Partitions of {TRANSACTIONS_TOPIC} say how many transactional ids cannot commit, or why that is not known.",
    ),
    Rule(
        "counts_are_within_replicas",
        f"{_UNDESCRIBED} OR greatest(isr_size, missing_replicas) <= replication_factor"
        " AND least(isr_size, missing_replicas) >= 0",
        "No more replicas are in sync, and none more are missing, than there are.",
    ),
    Rule(
        "replicas_are_a_set",
        f"{_UNDESCRIBED} OR (size(replicas) > 0 AND size(array_distinct(replicas)) = size(replicas))",
        "A partition has replicas, each broker once.",
    ),
    Rule(
        "isr_within_replicas",
        "size(array_except(isr, replicas)) = 0 AND size(array_distinct(isr)) = size(isr)",
        "Only replicas are in sync, each once.",
    ),
    Rule(
        "offline_within_replicas",
        "size(array_except(offline_replicas, replicas)) = 0",
        "Only replicas are offline.",
    ),
    Rule(
        "elr_outside_isr",
        "size(array_intersect(eligible_leader_replicas, isr)) = 0",
        "An eligible leader replica is not in sync (KIP-966).",
    ),
    Rule(
        "leader_in_isr",
        "leader_id IS NULL OR array_contains(isr, leader_id)",
        "The leader is in sync; where not, the broker answered from stale metadata.",
        "warning",
    ),
    Rule(
        "moves_within_replicas",
        "size(array_except(array_union(adding_replicas, removing_replicas), replicas)) = 0",
        "Replicas on the move are replicas; where not, the move began or ended during the census.",
        "warning",
    ),
    Rule("topic_was_described", "partition >= 0", "The topic could be described; where not, see reason.", "warning"),
    Rule(
        "minimum_is_known",
        "min_isr_raw IS NULL OR min_isr_effective IS NOT NULL OR leader_id IS NULL",
        "It is known whether the leader caps the minimum at the number of replicas; where not, see reason.",
        "warning",
    ),
    Rule(
        "minimum_was_read",
        f"{_UNDESCRIBED} OR min_isr_raw IS NOT NULL",
        "min.insync.replicas could be read; where not, see reason.",
        "warning",
    ),
)


def _counts(census: Counted) -> DataFrame:
    described = census.listed("DescribeTopicPartitions", "topics").agg(
        F.count_distinct("topic", F.coalesce("partition", F.lit(-1))).alias("rows")
    )
    listed = census.listed("Metadata", "names").agg(F.count_distinct("topic").alias("topics"))
    return described.crossJoin(listed)


UNDER_MIN_ISR_PARTITIONS_SUITE = Suite(
    UNDER_MIN_ISR_PARTITIONS,
    _counts,
    _RULES,
    (
        row_count("rows", "There is one row for each partition that was described."),
        Total("topic_count", "topics", "Every topic that was listed has a row.", "distinct", "topic"),
    ),
)
