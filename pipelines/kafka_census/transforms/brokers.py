"""Every broker that anybody names: DescribeCluster, a replica list, or a partition's leadership.

A broker that is down leaves DescribeCluster (before 4.0; later ones are listed as fenced), and with it every other
listing: only replica lists still name it, which is why they are looked through. The active controller is the leader
of the metadata log; the controller that DescribeCluster names is a random alive broker in KRaft, and counts only
where brokers have no quorum (ZooKeeper).
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.brokers import BROKERS
from kafka_census.transforms.items import broker, is_true, list_of, newest
from kafka_census.transforms.reasons import Gap, first_that_holds, not_read, words
from kafka_census.transforms.transform import Transform

_COUNTS = (
    "replicas",
    "leaders",
    "preferred_leaders",
    "preferred_elsewhere",
    "out_of_sync_replicas",
    "offline_replicas",
)


def brokers(*, cluster: DataFrame, partitions: DataFrame, quorum: DataFrame, gaps: Sequence[Gap]) -> DataFrame:
    """One row a broker.

    Inputs are items: cluster of DescribeCluster, partitions of DescribeTopicPartitions, quorum of DescribeQuorum;
    and the gaps.
    """
    columns = ("census_id", "cluster_id", "host", "port", "rack", "is_fenced")
    listed = newest(cluster, "node_id", *columns).withColumnRenamed("received_at", "listed_at")
    named = listed.join(_counted(partitions), "node_id", "full_outer")
    return (
        _with_skew(_with_counts(named, partitions, gaps))
        .crossJoin(F.broadcast(_controller(cluster, quorum, gaps)))
        .withColumns(
            {
                "census_id": F.coalesce("census_id", "counted_census_id"),
                "cluster_id": F.coalesce("cluster_id", "counted_cluster_id"),
                "observed_at": F.greatest("listed_at", "counted_at"),
                "is_controller": F.col("node_id") == F.col("controller_id"),
                "controller_reason": F.when(F.col("controller_id").isNull(), F.col("no_controller")),
            }
        )
        .select(*BROKERS.columns)
    )


def _counted(partitions: DataFrame) -> DataFrame:
    """One row a broker that a partition names: in how many, and as what."""
    node, leader = F.col("node_id"), broker(F.col("leader_id"))
    replicas = list_of(F.col("replicas"))
    named = F.array_union(replicas, F.when(leader.isNotNull(), F.array(leader)).otherwise(list_of(F.lit(None))))
    is_replica, leads, preferred = F.array_contains(replicas, node), leader == node, F.get(replicas, F.lit(0)) == node
    counts = {
        "replicas": is_replica,
        "leaders": leads,
        "preferred_leaders": preferred,
        "preferred_elsewhere": preferred & ~is_true(leads),
        "out_of_sync_replicas": is_replica & ~F.array_contains(list_of(F.col("isr")), node),
        "offline_replicas": F.array_contains(list_of(F.col("offline_replicas")), node),
    }
    each = partitions.where(F.col("partition").isNotNull()).withColumn("node_id", F.explode(named))
    # Nothing of a list has to be shuffled: the aggregates are made before.
    flags = each.select(
        "node_id",
        "census_id",
        "cluster_id",
        "received_at",
        *[is_true(flag).alias(name) for name, flag in counts.items()],
    )
    return flags.groupBy("node_id").agg(
        F.max("census_id").alias("counted_census_id"),
        F.max("cluster_id").alias("counted_cluster_id"),
        F.max("received_at").alias("counted_at"),
        *[F.count_if(F.col(name)).alias(name) for name in counts],
    )


def _with_counts(named: DataFrame, partitions: DataFrame, gaps: Sequence[Gap]) -> DataFrame:
    """Counts that rest on every page, or why there are none; a broker that no partition names has 0 of each."""
    undescribed = partitions.where(F.col("partition").isNull()).agg(F.count_distinct("topic").alias("undescribed"))
    partly = words(F.col("undescribed"), " topics could not be described, and are not counted")
    gap = not_read(gaps, "DescribeTopicPartitions", "topics")
    fenced = F.col("is_fenced")
    return (
        named.crossJoin(F.broadcast(undescribed))
        .withColumns(
            {
                "counts_reason": F.coalesce(gap, F.when(F.col("undescribed") > 0, partly)),
                "state": first_that_holds(
                    (F.col("listed_at").isNull(), "not_alive"), (fenced, "fenced"), otherwise="alive"
                ),
                **{name: F.when(gap.isNull(), F.coalesce(name, F.lit(0))).cast("bigint") for name in _COUNTS},
            }
        )
        .withColumn("preferred_imbalance", _ratio("preferred_elsewhere", F.col("preferred_leaders")))
    )


def _with_skew(rows: DataFrame) -> DataFrame:
    """Adds leaders and replicas over the mean of the brokers that are alive."""
    alive = rows.where(F.col("state") == "alive")
    means = alive.agg(F.avg("leaders").alias("mean_leaders"), F.avg("replicas").alias("mean_replicas"))
    return rows.crossJoin(F.broadcast(means)).withColumns(
        {
            "leader_skew": _ratio("leaders", F.col("mean_leaders")),
            "replica_skew": _ratio("replicas", F.col("mean_replicas")),
        }
    )


def _ratio(part: str, whole: Column) -> Column:
    """Null for a whole of 0."""
    return F.when(whole > 0, F.col(part) / whole)


def _controller(cluster: DataFrame, quorum: DataFrame, gaps: Sequence[Gap]) -> DataFrame:
    """One row: the controller's id, or why it is not known."""
    has_quorum = ("DescribeQuorum", "UNSUPPORTED_VERSION") not in {(gap.rpc, gap.error) for gap in gaps}
    answers, node = (quorum, "leader_id") if has_quorum else (cluster, "controller_id")
    gap = not_read(gaps, "DescribeQuorum", "quorum") if has_quorum else F.lit(None).cast("string")
    return answers.agg(F.max_by(broker(F.col(node)), "received_at").alias("controller_id")).withColumn(
        "no_controller", F.coalesce(gap, F.lit("the cluster has no controller"))
    )


BROKERS_TRANSFORM = Transform(
    BROKERS,
    brokers,
    {
        "cluster": ("DescribeCluster", "cluster"),
        "partitions": ("DescribeTopicPartitions", "topics"),
        "quorum": ("DescribeQuorum", "quorum"),
    },
)
