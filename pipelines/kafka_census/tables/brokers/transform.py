"""Every broker that is named by DescribeCluster, a replica list, or a partition's leadership.

A broker that only this table's rows of the previous census name is `gone`: it was decommissioned, or is down and has no
replicas. It has one such row, and none in the next census, so that the table does not report it for ever.

A broker that is down leaves DescribeCluster (before 4.0; later brokers are listed as fenced), and with it every other
listing: only replica lists still name the broker, so the replica lists are read, too.

The active controller is the leader of the metadata log. The controller that DescribeCluster names is a random alive
broker in KRaft mode, and counts only where DescribeQuorum is not offered and all brokers whose configuration is known
run with ZooKeeper. Brokers in KRaft mode do not offer DescribeQuorum where their controllers do not, since it is
forwarded. Where no configuration was read, or where a cluster migrates from ZooKeeper to KRaft (the controller may
already be a KRaft controller), the controller is not known.

`release_at_least` and `features` are what the broker itself reported in ApiVersions, which needs no right.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.shared.items import broker, is_true, list_of, newest
from kafka_census.tables.shared.reasons import first_that_holds, not_asked, not_read, not_read_from, words

_COUNTS = (
    "replicas",
    "leaders",
    "preferred_leaders",
    "preferred_elsewhere",
    "out_of_sync_replicas",
    "offline_replicas",
)


def brokers(
    *,
    cluster: DataFrame,
    partitions: DataFrame,
    quorum: DataFrame,
    configs: DataFrame,
    versions: DataFrame,
    previous: DataFrame,
    missing: Sequence[MissingRead],
) -> DataFrame:
    """One row per broker. Columns: those of `BROKERS`.

    Inputs are items: cluster of DescribeCluster, partitions of DescribeTopicPartitions, quorum of DescribeQuorum,
    configs of DescribeConfigs (brokers), versions of ApiVersions; `previous`, the rows of this table of the last
    published census; and the missing reads.
    """
    columns = ("census_id", "cluster_id", "host", "port", "rack", "is_fenced")
    as_here = {"node_id": "broker_id", "received_at": "listed_at"}
    listed = newest(cluster, "node_id", *columns).withColumnsRenamed(as_here)
    named = listed.join(_counted(partitions), "broker_id", "full_outer")
    named = named.join(_known_before(previous, cluster), "broker_id", "full_outer")
    named = named.join(F.broadcast(_told(versions)), "broker_id", "left")
    gap = not_read_from(missing, "ApiVersions", "features", "broker_id")
    silent = words("broker ", F.col("broker_id"), " did not answer ApiVersions")
    return (
        _with_skew(_with_counts(named, partitions, missing))
        .crossJoin(F.broadcast(_controller(cluster, quorum, configs, missing)))
        .withColumns(
            {
                "census_id": F.coalesce("census_id", "counted_census_id", "asked_census_id"),
                "cluster_id": F.coalesce("cluster_id", "counted_cluster_id", "asked_cluster_id"),
                "observed_at": F.coalesce(F.greatest("listed_at", "counted_at", "reported_at"), "asked_at"),
                "is_controller": F.col("broker_id") == F.col("controller_id"),
                "controller_reason": F.when(F.col("controller_id").isNull(), F.col("no_controller")),
                "features": F.coalesce("features", F.array().cast(BROKERS.schema["features"].dataType)),
                "features_reason": F.when(F.col("reported_at").isNull(), F.coalesce(gap, not_asked(), silent)),
            }
        )
        .select(*BROKERS.computed.names)
    )


def _told(versions: DataFrame) -> DataFrame:
    """One row per broker that reported its versions: its release and its features by name."""
    feature = F.struct("feature", "min_version", "max_version", "finalized_version")
    return versions.groupBy(F.col("asked_node_id").alias("broker_id")).agg(
        F.max_by("release_at_least", "received_at").alias("release_at_least"),
        F.sort_array(F.collect_set(F.when(F.col("feature").isNotNull(), feature))).alias("features"),
        F.max("received_at").alias("reported_at"),
    )


def _counted(partitions: DataFrame) -> DataFrame:
    """One row per broker that a partition names: the number of partitions by its role in them."""
    node, leader = F.col("broker_id"), broker(F.col("leader_id"))
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
    each = partitions.where(F.col("partition").isNotNull()).withColumn("broker_id", F.explode(named))
    # The lists themselves are not shuffled: they are aggregated first.
    flags = each.select(
        "broker_id",
        "census_id",
        "cluster_id",
        "received_at",
        *[is_true(flag).alias(name) for name, flag in counts.items()],
    )
    return flags.groupBy("broker_id").agg(
        F.max("census_id").alias("counted_census_id"),
        F.max("cluster_id").alias("counted_cluster_id"),
        F.max("received_at").alias("counted_at"),
        *[F.count_if(F.col(name)).alias(name) for name in counts],
    )


def _known_before(previous: DataFrame, cluster: DataFrame) -> DataFrame:
    """Brokers of the previous census, without those that were gone then; none without DescribeCluster's answer."""
    asked = cluster.agg(
        F.max("census_id").alias("asked_census_id"),
        F.max("cluster_id").alias("asked_cluster_id"),
        F.max("received_at").alias("asked_at"),
    ).where(F.col("asked_at").isNotNull())
    return previous.where("state <> 'gone'").select("broker_id").crossJoin(F.broadcast(asked))


def _with_counts(named: DataFrame, partitions: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """Adds counts if every page was read, or else the reason; a broker that no partition names has counts of 0."""
    undescribed = partitions.where(F.col("partition").isNull()).agg(F.count_distinct("topic").alias("undescribed"))
    partly = words(F.col("undescribed"), " topics could not be described, and are not counted")
    gap = not_read(missing, "DescribeTopicPartitions", "topics")
    fenced = F.col("is_fenced")
    return (
        named.crossJoin(F.broadcast(undescribed))
        .withColumns(
            {
                "counts_reason": F.coalesce(gap, F.when(F.col("undescribed") > 0, partly)),
                "state": first_that_holds(
                    (F.col("listed_at").isNull() & F.col("counted_at").isNull(), "gone"),
                    (F.col("listed_at").isNull(), "not_alive"),
                    (fenced, "fenced"),
                    otherwise="alive",
                ),
                **{name: F.when(gap.isNull(), F.coalesce(name, F.lit(0))).cast("bigint") for name in _COUNTS},
            }
        )
        .withColumn("preferred_imbalance", _ratio("preferred_elsewhere", F.col("preferred_leaders")))
    )


def _with_skew(rows: DataFrame) -> DataFrame:
    """Adds the ratios of leaders and replicas to the mean of the alive brokers."""
    alive = rows.where(F.col("state") == "alive")
    means = alive.agg(F.avg("leaders").alias("mean_leaders"), F.avg("replicas").alias("mean_replicas"))
    return rows.crossJoin(F.broadcast(means)).withColumns(
        {
            "leader_skew": _ratio("leaders", F.col("mean_leaders")),
            "replica_skew": _ratio("replicas", F.col("mean_replicas")),
        }
    )


def _ratio(part: str, whole: Column) -> Column:
    """The ratio; null where the whole is 0."""
    return F.when(whole > 0, F.col(part) / whole)


def _controller(cluster: DataFrame, quorum: DataFrame, configs: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """One row: the controller's id, or why the controller is not known."""
    nobody = F.lit("the cluster has no controller")
    if ("DescribeQuorum", "UNSUPPORTED_VERSION") not in {(gap.rpc, gap.error) for gap in missing}:
        gap = not_read(missing, "DescribeQuorum", "quorum")
        leader = F.max_by(broker(F.col("leader_id")), "received_at").alias("controller_id")
        return quorum.agg(leader).withColumn("no_controller", F.coalesce(gap, nobody))
    named = cluster.agg(F.max_by(broker(F.col("controller_id")), "received_at").alias("named"))
    unknown = first_that_holds(
        (F.col("kraft") > 0, "in KRaft mode only DescribeQuorum tells the controller, and it is not offered"),
        (F.col("migrating") > 0, "the cluster migrates from ZooKeeper to KRaft: DescribeCluster names any broker"),
        (
            F.col("zookeeper") == 0,
            "DescribeQuorum is not offered, and no broker's configuration tells whether it runs with ZooKeeper",
        ),
    )
    return (
        named.crossJoin(_modes(configs))
        .withColumn("unknown", unknown)
        .select(
            F.when(F.col("unknown").isNull(), F.col("named")).alias("controller_id"),
            F.coalesce("unknown", nobody).alias("no_controller"),
        )
    )


def _modes(configs: DataFrame) -> DataFrame:
    """One row: how many brokers report that they run in KRaft mode, run with ZooKeeper, or migrate to KRaft."""
    is_set = F.coalesce(F.trim("value"), F.lit("")) != ""
    return configs.agg(
        F.count_if((F.col("name") == "process.roles") & is_set).alias("kraft"),
        F.count_if((F.col("name") == "zookeeper.connect") & is_set).alias("zookeeper"),
        F.count_if((F.col("name") == "zookeeper.metadata.migration.enable") & (F.col("value") == "true")).alias(
            "migrating"
        ),
    )


BROKERS_TRANSFORM = Transform(
    BROKERS,
    brokers,
    {
        "cluster": ("DescribeCluster", "cluster"),
        "partitions": ("DescribeTopicPartitions", "topics"),
        "quorum": ("DescribeQuorum", "quorum"),
        "configs": ("DescribeConfigs", "brokers"),
        "versions": ("ApiVersions", "features"),
    },
    previous=True,
)
