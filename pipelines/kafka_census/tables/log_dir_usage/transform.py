"""The bytes that each log dir of each broker holds, and its free space.

Sizes are of replicas: a partition with three replicas is in the sums of three brokers. `replica_bytes` shows how full a
disk is; `leader_bytes`, the sizes of the replicas that lead, shows how much data there is. Replicas that move into a
dir are counted apart. An offline dir reports none of its replicas, and a broker that did not answer is a row: in
neither case is a value 0. Where only some pages of a broker's answer were read, its sums would be too low. A broker
that is gone has no row: it was not asked.

Sizes are of local segments: the segments of a tiered topic in remote storage are in no sum. Redpanda lists its object
storage as a dir `remote://...` with the same partitions again: a row of the state `remote`, without sums.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.brokers.columns import BROKERS
from kafka_census.tables.log_dir_usage.columns import LOG_DIR_USAGE
from kafka_census.tables.shared.items import broker, is_remote, is_true
from kafka_census.tables.shared.reasons import first_that_holds, not_asked, not_read, not_read_from, words

_PARTITION = ["topic", "partition"]
_SUMS = ("replicas", "replica_bytes", "leader_replicas", "leader_bytes", "future_replicas", "future_bytes")


def log_dir_usage(
    *, log_dirs: DataFrame, partitions: DataFrame, brokers: DataFrame, missing: Sequence[MissingRead]
) -> DataFrame:
    """One row per broker and log dir, and one per broker that reported none and is not gone.

    Columns: those of `LOG_DIR_USAGE`. Inputs are items: log_dirs of DescribeLogDirs, partitions of
    DescribeTopicPartitions; brokers, rows of that table; and the missing reads.
    """
    named = brokers.where("state <> 'gone'").select(
        "broker_id",
        not_asked().alias("not_asked"),
        *[F.col(name).alias(f"b_{name}") for name in ("census_id", "cluster_id", "observed_at")],
    )
    dirs = _summed(log_dirs, partitions).join(named, "broker_id", "full_outer")
    reason = first_that_holds(
        (F.col("dirs_gap").isNotNull(), F.col("dirs_gap")),
        (F.col("log_dir").isNull() & F.col("not_asked").isNotNull(), F.col("not_asked")),
        (F.col("log_dir").isNull(), words("broker ", F.col("broker_id"), " did not answer DescribeLogDirs")),
        (F.col("error_code") != 0, words("what it holds is not readable (", error_name("error_code"), ")")),
        (is_remote(F.col("log_dir")), F.lit("object storage, which no broker has to itself")),
    )
    state = first_that_holds(
        (F.col("reason").isNull(), "online"),
        (F.col("dirs_gap").isNull() & is_remote(F.col("log_dir")), "remote"),
        (F.col("dirs_gap").isNull() & F.col("log_dir").isNotNull(), "offline"),
        otherwise="not_read",
    )
    leaders_gap = not_read(missing, "DescribeTopicPartitions", "topics")
    online = F.col("state") == "online"
    return (
        _with_shares(
            dirs.withColumn("dirs_gap", not_read_from(missing, "DescribeLogDirs", "log_dirs", "broker_id"))
            .withColumn("reason", reason)
            .withColumn("state", state)
            .withColumns({name: F.when(online, F.col(name)) for name in _SUMS})
            .withColumn("leader_reason", F.when(online, leaders_gap))
            .withColumns(
                {
                    name: F.when(F.col("leader_reason").isNull(), F.col(name))
                    for name in ("leader_replicas", "leader_bytes")
                }
            )
        )
        .withColumns(
            {
                "census_id": F.coalesce("census_id", "b_census_id"),
                "cluster_id": F.coalesce("cluster_id", "b_cluster_id"),
                "log_dir": F.coalesce("log_dir", F.lit("")),
                "observed_at": F.coalesce("observed_at", "b_observed_at"),
            }
        )
        .select(*LOG_DIR_USAGE.computed.names)
    )


def _summed(log_dirs: DataFrame, partitions: DataFrame) -> DataFrame:
    """One row per broker and dir that the broker reported."""
    leaders = (
        partitions.where(F.col("partition").isNotNull())
        .groupBy(*_PARTITION)
        .agg(
            F.max_by(broker(F.col("leader_id")), "received_at").alias("leader_id"), F.max("received_at").alias("led_at")
        )
    )
    future = is_true(F.col("is_future"))
    current = F.col("topic").isNotNull() & ~future
    leads = current & is_true(F.col("leader_id") == F.col("asked_node_id"))
    kinds = {"replica": current, "leader": leads, "future": future}
    return (
        log_dirs.join(leaders, _PARTITION, "left")
        .groupBy(F.col("asked_node_id").alias("broker_id"), "log_dir")
        .agg(
            *[
                F.max(name).alias(name)
                for name in ("census_id", "cluster_id", "error_code", "total_bytes", "usable_bytes")
            ],
            F.max("is_cordoned").alias("is_cordoned"),
            F.greatest(F.max("received_at"), F.max("led_at")).alias("observed_at"),
            F.count_if(current).alias("replicas"),
            F.count_if(leads).alias("leader_replicas"),
            F.count_if(future).alias("future_replicas"),
            *[_sum(which).alias(f"{kind}_bytes") for kind, which in kinds.items()],
        )
    )


def _sum(which: Column) -> Column:
    """Bytes of the replicas that meet the condition; 0 if none does."""
    return F.coalesce(F.sum(F.when(which, F.col("size"))), F.lit(0)).cast("bigint")


def _with_shares(dirs: DataFrame) -> DataFrame:
    """Adds the ratio of the bytes to those of the broker, and to the mean of all online dirs."""
    of_broker = dirs.groupBy("broker_id").agg(F.sum("replica_bytes").alias("broker_bytes"))
    mean = dirs.agg(F.avg("replica_bytes").alias("mean_bytes"))
    held = F.col("replica_bytes")
    return (
        dirs.join(of_broker, "broker_id")
        .crossJoin(F.broadcast(mean))
        .withColumns(
            {
                "broker_bytes": F.when(held.isNotNull(), F.col("broker_bytes")),
                "share_of_broker": F.when(F.col("broker_bytes") > 0, held / F.col("broker_bytes")),
                "skew": F.when(F.col("mean_bytes") > 0, held / F.col("mean_bytes")),
            }
        )
    )


LOG_DIR_USAGE_TRANSFORM = Transform(
    LOG_DIR_USAGE,
    log_dir_usage,
    {
        "log_dirs": ("DescribeLogDirs", "log_dirs"),
        "partitions": ("DescribeTopicPartitions", "topics"),
        "brokers": BROKERS,
    },
)
