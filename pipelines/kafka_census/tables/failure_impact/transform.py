"""What the loss of each broker, rack, log dir or controller would do: facts of other tables, judged by `impact`'s SQL.

A coordinator counts where FindCoordinator named it; where that was not answered, at the leader of the id's partition.
"""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.declarations.walks import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from kafka_census.impact.frames import FRAMES
from kafka_census.impact.in_spark import foretold
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.failure_impact.columns import FAILURE_IMPACT
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.partitions.columns import PARTITIONS
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.shared.items import is_true
from kafka_census.tables.shared.reasons import not_read, not_read_from, words
from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

_GONE = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION.value, ErrorCode.UNKNOWN_TOPIC_ID.value)
_METADATA_DIRS = ("metadata.log.dir", "log.dirs", "log.dir")
"""The configs that name the dir of the metadata log: the first that is set, and of a list its first dir."""


def failure_impact(*, brokers: DataFrame, **roles: Any) -> DataFrame:
    """One row per thing that can be lost, and one for nothing. Columns: those of `FAILURE_IMPACT`.

    Inputs are those of `frames`.
    """
    found = foretold(brokers.sparkSession, frames(brokers=brokers, **roles))
    origin = brokers.select("census_id", "cluster_id").limit(1)
    nobody = F.array().cast(FAILURE_IMPACT.schema["leaders_to"].dataType)
    known = found.withColumn("leaders_to", F.coalesce("leaders_to", nobody))
    return known.crossJoin(F.broadcast(origin)).select(*FAILURE_IMPACT.computed.names)


def frames(
    *,
    partitions: DataFrame,
    statuses: DataFrame,
    brokers: DataFrame,
    log_dirs: DataFrame,
    quorum: DataFrame,
    backlog: DataFrame,
    groups: DataFrame,
    transactions: DataFrame,
    topic_configs: DataFrame,
    broker_configs: DataFrame,
    missing: Sequence[MissingRead],
) -> dict[str, Any]:
    """The frames that the SQL reads, with the columns of `FRAMES`.

    Inputs are rows of partitions, under_min_isr_partitions (`statuses`), brokers, log_dir_usage, quorum,
    reassignment_backlog (`backlog`), group_coordinator_placement and transaction_coordinator_placement; items of
    DescribeConfigs for topics and for brokers; and the missing reads.
    """
    there = brokers.where("state <> 'gone'")
    placed = (
        _placed(groups, "offsets_partition", OFFSETS_TOPIC, "groups")
        .unionByName(
            _placed(transactions, "transactions_partition", TRANSACTIONS_TOPIC, "transactional_ids"),
            allowMissingColumns=True,
        )
        .coalesce(1)
    )  # a row per partition of two topics: in one partition, no join of it needs a shuffle
    found = {
        "partitions": _partitions(partitions, topic_configs, there, placed),
        "brokers": there.join(_elsewhere(placed), "broker_id", "left").withColumns(
            {
                "rack": F.coalesce("rack", F.lit("")),
                **{name: F.coalesce(name, F.lit(0)) for name in ("groups_elsewhere", "transactional_ids_elsewhere")},
                "groups_gap": not_read_from(missing, "ListGroups", "groups", "broker_id"),
                "transactional_ids_gap": not_read_from(missing, "ListTransactions", "transactions", "broker_id"),
            }
        ),
        "log_dirs": _log_dirs(log_dirs, there, broker_configs),
        "voters": quorum.where("role = 'voter'").withColumn("node_id", F.col("replica_id")),
        "moves": backlog.where("kind <> 'remove'")
        .withColumn("broker_id", F.col("replica_id"))
        .join(there.select("broker_id", "rack"), "broker_id", "left"),
        "cluster": _cluster(there, statuses, quorum, missing),
    }
    return {name: frame.select(*FRAMES[name]) for name, frame in found.items()}


def _placed(ids_of: DataFrame, partition: str, topic: str, ids: str) -> DataFrame:
    """One row per partition of an internal topic and coordinator: the number of ids, and whether it `leads` there."""
    coordinator = F.coalesce(
        "found_coordinator", F.when(F.col("agreement") == "unknown", F.col("expected_coordinator"))
    )
    return (
        ids_of.withColumn("coordinator", coordinator)
        .where(F.col("coordinator").isNotNull())
        .groupBy(
            F.lit(topic).alias("topic"),
            F.col(partition).alias("partition"),
            "coordinator",
            F.col("coordinator").eqNullSafe(F.col("expected_coordinator")).alias("leads"),
        )
        .agg(F.count("*").alias(ids))
    )


def _elsewhere(placed: DataFrame) -> DataFrame:
    """One row per broker: the ids that it coordinates without leading the partition that they hash to."""
    return (
        placed.where(~F.col("leads"))
        .groupBy(F.col("coordinator").alias("broker_id"))
        .agg(*[F.sum(ids).alias(f"{ids}_elsewhere") for ids in ("groups", "transactional_ids")])
    )


def _partitions(partitions: DataFrame, configs: DataFrame, brokers: DataFrame, placed: DataFrame) -> DataFrame:
    """The frame `partitions`."""
    unclean = (
        configs.where("resource_type = 'topic' AND name = 'unclean.leader.election.enable'")
        .groupBy(F.col("resource_name").alias("topic"))
        .agg(F.max_by(F.col("value") == "true", "received_at").alias("unclean"))
    )
    counted = placed.where("leads").select("topic", "partition", "groups", "transactional_ids")
    rack_of = brokers.where(F.col("rack").isNotNull()).agg(
        F.map_from_entries(F.collect_list(F.struct("broker_id", "rack"))).alias("rack_of")
    )
    # Racks that are known of all replicas are in their order; else each is looked up.
    whole = F.size("racks") == F.size("replicas")
    looked_up = F.transform("replicas", lambda node: F.coalesce(F.try_element_at("rack_of", node), F.lit("")))
    return (
        partitions.where("partition >= 0")
        .join(unclean, "topic", "left")
        .join(F.broadcast(counted), ["topic", "partition"], "left")
        .crossJoin(F.broadcast(rack_of))
        .withColumns(
            {
                "known": F.col("leader_id").isNotNull() | (F.col("status") == "OFFLINE"),
                "eligible": F.col("eligible_leader_replicas"),
                "min_isr": F.col("min_isr_effective"),
                "racks": F.when(whole, F.col("racks")).otherwise(looked_up),
                "dir_brokers": F.col("log_dirs.broker_id"),
                "dirs": F.col("log_dirs.log_dir"),
                "dir_bytes": F.col("log_dirs.bytes"),
            }
        )
        .withColumn("mates", rack_mates())
    )


def rack_mates() -> Column:
    """Of rows with `replicas` and their `racks`, '' for none: the replicas in the rack of each; null if none shares."""
    known = F.array_remove("racks", "")
    mates = F.transform("racks", lambda own: F.filter("replicas", lambda _, nth: F.get("racks", nth) == own))
    return F.when(F.size(known) > F.size(F.array_distinct(known)), mates)


def _log_dirs(dirs: DataFrame, brokers: DataFrame, configs: DataFrame) -> DataFrame:
    """The frame `log_dirs`: without object storage, and without brokers that are down and told none."""
    named = configs.where((F.col("resource_type") == "broker") & F.col("name").isin(*_METADATA_DIRS, "process.roles"))
    told = named.groupBy(F.expr("try_cast(resource_name AS INT)").alias("broker_id")).agg(
        *[
            F.max(F.when((F.col("name") == name) & (F.trim("value") != ""), F.trim("value"))).alias(name)
            for name in (*_METADATA_DIRS, "process.roles")
        ],
        F.lit(True).alias("configured"),
    )
    first = F.trim(F.get(F.split(F.coalesce(*[F.col(f"`{name}`") for name in _METADATA_DIRS]), ","), F.lit(0)))
    alive = brokers.where("state = 'alive'").select("broker_id", F.lit(True).alias("is_alive"))
    return (
        dirs.where("state <> 'remote'")
        .join(alive, "broker_id", "left")
        .where(is_true(F.col("is_alive")) | (F.col("state") != "not_read"))
        .join(told, "broker_id", "left")
        .withColumn("metadata_dir", F.when(F.col("`process.roles`").isNotNull(), first))
    )


def _cluster(brokers: DataFrame, statuses: DataFrame, quorum: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """The frame `cluster`: one row."""
    lost = statuses.where((F.col("partition") < 0) & ~F.col("error_code").isin(*_GONE))
    caught_up = F.col("caught_up")
    voters = quorum.where("role = 'voter'").agg(
        F.collect_list("replica_id").alias("voters"),
        F.collect_list(F.when(caught_up, F.col("replica_id"))).alias("caught_up"),
        F.collect_list(F.when(caught_up.isNull(), F.col("replica_id"))).alias("unheard"),
    )
    undescribed = lost.agg(F.count("*").alias("topics"), F.min("topic").alias("first"))
    offered = ("DescribeQuorum", "UNSUPPORTED_VERSION") not in {(gap.rpc, gap.error) for gap in missing}
    gaps = F.concat_ws(
        "; ",
        not_read(missing, "DescribeCluster", "cluster"),
        not_read(missing, "DescribeTopicPartitions", "topics"),
        F.when(F.col("topics") > 0, words(F.col("topics"), " topics were not described, such as ", F.col("first"))),
    )
    # With ZooKeeper DescribeCluster names the controller; where nothing tells, a quorum may be there.
    zookeeper = F.lit(not offered) & (F.col("controllers") > 0)
    return (
        brokers.agg(
            F.collect_list(F.when(F.col("state") == "alive", F.col("broker_id"))).alias("alive"),
            F.count("is_controller").alias("controllers"),
            F.max("observed_at").alias("observed_at"),
        )
        .crossJoin(F.broadcast(undescribed))
        .crossJoin(F.broadcast(voters))
        .withColumns(
            {
                "partitions_gap": F.nullif(gaps, F.lit("")),
                "moves_gap": not_read(missing, "ListPartitionReassignments", "cluster"),
                "quorum_gap": not_read(missing, "DescribeQuorum", "quorum"),
                "has_quorum": ~zookeeper,
            }
        )
    )


FAILURE_IMPACT_TRANSFORM = Transform(
    FAILURE_IMPACT,
    failure_impact,
    {
        "partitions": PARTITIONS,
        "statuses": UNDER_MIN_ISR_PARTITIONS,
        "brokers": BROKERS,
        "log_dirs": LOG_DIR_USAGE,
        "quorum": QUORUM,
        "backlog": REASSIGNMENT_BACKLOG,
        "groups": GROUP_COORDINATOR_PLACEMENT,
        "transactions": TRANSACTION_COORDINATOR_PLACEMENT,
        "topic_configs": ("DescribeConfigs", "topics"),
        "broker_configs": ("DescribeConfigs", "brokers"),
    },
)
