"""Every partition against its minimum ISR: which cannot accept an acks=all write, and which is close to that.

The leader enforces the effective minimum. A leader of 3.7 or later caps min.insync.replicas at the partition's number
of replicas, adding ones counted (Partition.effectiveMinIsr); an older leader enforces the raw value, so that one
replica with a minimum of 2 refuses every acks=all write. Which of the two a leader does follows from the API ranges
that the leader itself reported (`release_at_least`). Where these were not read and the minimum exceeds the number of
replicas, the effective minimum is not known: the row is UNKNOWN.

`status` is the first that holds:

    UNKNOWN           not described
    UNKNOWN           a leader, but not on the listener that was asked (LISTENER_NOT_FOUND): its id is not reported
    OFFLINE           no leader
    UNKNOWN           min.insync.replicas was not read
    UNDER             fewer in sync than the effective minimum: acks=all writes are refused
    UNKNOWN           the minimum exceeds the number of replicas, and the leader's release is not known
    UNKNOWN           replicas are missing, but maybe only ones being added: reassignments were not read
    AT                as many in sync as the effective minimum, and replicas missing: the next loss makes it UNDER
    UNDER_REPLICATED  replicas missing, adding ones not counted (KIP-352), and still above the minimum
    OK                no replica missing

Kafka's own AtMinIsr metric also counts partitions without a missing replica (every healthy topic whose minimum is its
replication factor); that is the column `at_min_isr`, so that a healthy cluster is all OK.

Reassignments are listed before and after the partitions are described: one that ends between two answers is in the
first listing only. A listing applies to a described partition only if its replicas include all of the listed ones.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.shared_rules import CAPS_SINCE, effective_min_isr
from kafka_census.declarations.transform import Transform
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.items import broker, is_true, list_of
from kafka_census.tables.shared.min_isr import MIN_ISR, with_min_isr
from kafka_census.tables.shared.reasons import first_that_holds, not_read, not_read_from, words
from kafka_census.tables.shared.releases import is_from
from kafka_census.tables.shared.unable_to_commit import with_unable_to_commit
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS


def under_min_isr_partitions(
    *,
    partitions: DataFrame,
    topic_configs: DataFrame,
    broker_configs: DataFrame,
    topics: DataFrame,
    reassignments_before: DataFrame,
    reassignments: DataFrame,
    groups: DataFrame,
    transactions: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per partition; a topic that could not be described is one row with partition -1.

    Columns: those of `UNDER_MIN_ISR_PARTITIONS`. Inputs are items: partitions of DescribeTopicPartitions, topic_configs
    and broker_configs of DescribeConfigs, topics of Metadata, reassignments_before and reassignments of
    ListPartitionReassignments (before and after the partitions), groups of ListGroups, transactions of
    ListTransactions; and the missing reads.
    """
    moving = _with_moves(partitions, reassignments_before.unionByName(reassignments))
    known = with_min_isr(moving, topics, topic_configs, broker_configs).withColumns(
        {
            "configs_gap": not_read(missing, "DescribeConfigs", "topics"),
            "leader_gap": not_read_from(missing, "DescribeConfigs", "brokers", "leader_id"),
            "moves_gap": F.coalesce(
                *[not_read(missing, "ListPartitionReassignments", scope) for scope in ("before", "cluster")]
            ),
        }
    )
    times = ("described_at", "config_at", "leader_at", "metadata_at", "move_at", "committers_at")
    return (
        with_unable_to_commit(_judged(known), partitions, groups, transactions, missing)
        .withColumn("observed_at", F.greatest(*times))
        .select(*UNDER_MIN_ISR_PARTITIONS.computed.names)
    )


def _with_moves(partitions: DataFrame, reassignments: DataFrame) -> DataFrame:
    """Partitions, lists never null, with the replicas that a running reassignment adds and removes."""
    changes = ("adding_replicas", "removing_replicas")
    listed = F.struct(*[list_of(F.col(name)).alias(name) for name in ("replicas", *changes)])
    moves = reassignments.groupBy("topic", "partition").agg(
        F.collect_list(listed).alias("listings"), F.max("received_at").alias("move_at")
    )
    lists = ("replicas", "isr", "eligible_leader_replicas", "last_known_elr", "offline_replicas")
    return (
        partitions.withColumns({name: list_of(F.col(name)) for name in lists})
        .withColumns(
            {
                "leader_id": broker(F.col("leader_id")),
                "leader_hidden": is_true(F.col("partition_error_code") == ErrorCode.LISTENER_NOT_FOUND.value),
                "described": F.col("partition").isNotNull(),
                "partition": F.coalesce("partition", F.lit(-1)),
                "described_at": F.col("received_at"),
            }
        )
        .join(moves, ["topic", "partition"], "left")
        # The answers are of three moments: a listing with a replica that the described partition does not have,
        # yet or any more, is of another moment.
        .withColumn(
            "listings",
            F.filter("listings", lambda one: F.size(F.array_except(one["replicas"], F.col("replicas"))) == 0),
        )
        .withColumns({name: list_of(F.array_distinct(F.flatten(F.col("listings").getField(name)))) for name in changes})
    )


def _judged(known: DataFrame) -> DataFrame:
    """Adds the columns derived from replicas, ISR and minimum."""
    described, led = F.col("described"), F.col("leader_id").isNotNull()
    reported = described & ~F.col("leader_hidden")
    in_sync, effective = F.col("isr_size"), F.col("min_isr_effective")
    raw, replicas = F.col("min_isr_raw"), F.col("replication_factor")
    # Null also where there is nothing to cap.
    caps = F.when(raw > replicas, is_from(F.col("leader_config_release"), CAPS_SINCE))
    settled = F.size(F.array_except("replicas", "adding_replicas"))
    missing = F.greatest(settled - in_sync, F.lit(0))
    # Without the reassignments, a missing replica may be one that is only being added.
    doubtful = F.col("moves_gap").isNotNull() & (F.col("replication_factor") > in_sync)
    statuses = _statuses()
    return (
        known.withColumns(
            {
                "replication_factor": F.when(described, F.size("replicas")),
                "isr_size": F.when(described, F.size("isr")),
            }
        )
        .withColumns(
            {
                "target_replication_factor": F.when(
                    F.col("moves_gap").isNull(), F.col("replication_factor") - F.size("removing_replicas")
                ),
                "min_isr_effective": F.expr(
                    effective_min_isr("min_isr_raw", "replication_factor", "leader_config_release")
                ),
                "min_isr_effective_source": first_that_holds(
                    (caps, "replication_factor"),
                    ((raw > replicas) & caps.isNull(), "unknown"),
                    otherwise=F.col("min_isr_source"),
                ),
                "missing_replicas": F.when(described & ~is_true(doubtful), missing),
            }
        )
        .withColumns(
            {
                "available": F.when(reported, led),
                "at_min_isr": F.when(reported, led & (in_sync == effective)),
                "under_by_raw_rule": F.when(reported, ~led | (in_sync < raw)),
                # By either rule, fewer in sync than replicas are too few for a minimum above the number of replicas.
                "ready_for_acks_all": F.when(
                    reported,
                    led
                    & F.coalesce(in_sync >= effective, F.when((raw > replicas) & (in_sync < replicas), F.lit(False))),
                ),
            }
        )
        .withColumns(
            {
                "status": first_that_holds(*[(holds, name) for holds, name, _ in statuses], otherwise="OK"),
                "reason": first_that_holds(*[(holds, why) for holds, _, why in statuses]),
            }
        )
    )


def _statuses() -> tuple[tuple[Column, str, Column], ...]:
    """Condition, status, reason: the first true condition decides; if no condition is true, the status is OK."""
    in_sync, effective, missing = F.col("isr_size"), F.col("min_isr_effective"), F.col("missing_replicas")
    raw, replicas, leader = F.col("min_isr_raw"), F.col("replication_factor"), words("broker ", F.col("leader_id"))
    undescribed = words(
        "DescribeTopicPartitions answered ",
        F.coalesce(error_name("error_code"), F.lit("no partition")),
        " for this topic",
    )
    unread = F.coalesce(
        words("DescribeConfigs answered ", F.col("config_error"), " for this topic"),
        F.col("configs_gap"),
        F.lit(f"DescribeConfigs answered no {MIN_ISR} for this topic"),
    )
    release_unknown = F.coalesce(
        F.col("leader_gap"),
        F.when(F.col("leader_config_at").isNull(), words(leader, " did not answer DescribeConfigs")),
        words("the API ranges of ", leader, " prove no release"),
    )
    count = words(in_sync, " in sync, ", effective, " needed")
    uncapped = F.when(
        effective > replicas,
        words(": ", leader, " is older than ", CAPS_SINCE, " and does not cap the minimum at ", replicas, " replicas"),
    )
    uncertain = words(
        "whether ", leader, " caps the minimum of ", raw, " at ", replicas, " replicas is not known: ", release_unknown
    )
    return (
        (~F.col("described"), "UNKNOWN", undescribed),
        (F.col("leader_hidden"), "UNKNOWN", F.lit("the leader has no listener of the name that was asked")),
        (F.col("leader_id").isNull(), "OFFLINE", words("no leader; replicas ", F.array_join("replicas", ", "))),
        (raw.isNull(), "UNKNOWN", unread),
        (in_sync < effective, "UNDER", words(count, " for an acks=all write", F.coalesce(uncapped, F.lit("")))),
        (
            effective.isNull() & (in_sync < replicas),
            "UNDER",
            words(in_sync, " in sync, ", replicas, " or more needed for an acks=all write"),
        ),
        (effective.isNull(), "UNKNOWN", uncertain),
        (missing.isNull(), "UNKNOWN", F.col("moves_gap")),
        ((missing > 0) & (in_sync == effective), "AT", words(count, ", ", missing, " missing")),
        (missing > 0, "UNDER_REPLICATED", words(count, ", ", missing, " missing")),
    )


UNDER_MIN_ISR_PARTITIONS_TRANSFORM = Transform(
    UNDER_MIN_ISR_PARTITIONS,
    under_min_isr_partitions,
    {
        "partitions": ("DescribeTopicPartitions", "topics"),
        "topic_configs": ("DescribeConfigs", "topics"),
        "broker_configs": ("DescribeConfigs", "brokers"),
        "topics": ("Metadata", "names"),
        "reassignments_before": ("ListPartitionReassignments", "before"),
        "reassignments": ("ListPartitionReassignments", "cluster"),
        "groups": ("ListGroups", "groups"),
        "transactions": ("ListTransactions", "transactions"),
    },
)
