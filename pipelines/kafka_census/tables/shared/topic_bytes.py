"""The bytes of a topic, in one replica of each partition and in all replicas, and the growth since the previous census.

Sizes are those of local segments, as in `log_dir_usage`. A sum that lacks a replica would look complete: it is null,
with the first broker that did not report as the reason. A broker that answered, all of its dirs online, and has no such
replica yet, has 0 bytes of the replica. A leader's own dir is online, even if other dirs of its broker are offline.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.shared.items import is_remote, is_true
from kafka_census.tables.shared.reasons import first_that_holds, not_read_from, words

_PARTITION = ["topic", "partition"]


def topic_bytes(described: DataFrame, log_dirs: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """One row per described topic: leader_bytes and replica_bytes, each with `_reason`, and sized_at.

    described  one row per partition: topic, partition, leader_id (null for none) and replicas
    log_dirs   items of DescribeLogDirs
    """
    known = described.groupBy("topic").agg(
        F.count("*").alias("described"),
        F.min(F.when(F.col("leader_id").isNull(), F.col("partition"))).alias("leaderless"),
    )
    # A partition without a leader is in no sum of leader bytes.
    unled = words("partition ", F.col("leaderless"), " has no leader")
    moved = words(
        F.col("described") - F.col("led"),
        " of ",
        F.col("described"),
        " partitions are in no log dir of their leader: they moved, or were made, during the census",
    )
    led = F.coalesce("led", F.lit(0))
    return (
        known.join(_held(described, log_dirs), "topic", "left")
        .join(_unread(described, log_dirs, missing), "topic", "left")
        .withColumn("led", led)
        .withColumns(
            {
                "leader_bytes_reason": F.coalesce("leader_unread", unled, F.when(led < F.col("described"), moved)),
                "replica_bytes_reason": F.col("replica_unread"),
            }
        )
        .select(
            "topic",
            "leader_bytes_reason",
            "replica_bytes_reason",
            "sized_at",
            *[
                F.when(F.col(f"{name}_reason").isNull(), F.coalesce(name, F.lit(0))).cast("bigint").alias(name)
                for name in ("leader_bytes", "replica_bytes")
            ],
        )
    )


def with_growth(topics: DataFrame, previous: DataFrame) -> DataFrame:
    """Adds growth_bytes, growth_reason, growth_since and previous_census_id; `previous` are rows of `topics`."""
    before = previous.select(
        "topic",
        F.col("topic_id").alias("before_id"),
        F.col("leader_bytes").alias("before_bytes"),
        F.col("observed_at").alias("before_at"),
    )
    census = previous.agg(F.max("census_id").alias("before_census"))
    reason = first_that_holds(
        (F.col("before_census").isNull(), "no previous census to compare with"),
        (F.col("leader_bytes").isNull(), F.coalesce("leader_bytes_reason", "reason")),
        (F.col("before_at").isNull(), "the previous census has no such topic: it is new, or was not seen"),
        (~F.col("topic_id").eqNullSafe(F.col("before_id")), "it was made anew since the previous census"),
        (F.col("before_bytes").isNull(), "the previous census does not know its bytes"),
    )
    grown = F.col("growth_reason").isNull()
    return (
        topics.join(before, "topic", "left")
        .crossJoin(F.broadcast(census))
        .withColumn("growth_reason", reason)
        .withColumns(
            {
                "growth_bytes": F.when(grown, F.col("leader_bytes") - F.col("before_bytes")),
                "growth_since": F.when(grown, F.col("before_at")),
                "previous_census_id": F.when(grown, F.col("before_census")),
            }
        )
    )


def _held(described: DataFrame, log_dirs: DataFrame) -> DataFrame:
    """One row per topic: bytes in the log dirs of its replicas and of its leaders, and their numbers."""
    in_dirs = log_dirs.where(
        F.col("topic").isNotNull() & ~is_true(F.col("is_future")) & ~is_remote(F.col("log_dir"))
    ).select(*_PARTITION, "size", F.col("asked_node_id").alias("node_id"), "received_at")
    leads = F.col("node_id") == F.col("leader_id")
    return (
        in_dirs.join(described, _PARTITION)
        .groupBy("topic")
        .agg(
            F.sum(F.when(leads, F.col("size"))).alias("leader_bytes"),
            F.sum(F.when(F.array_contains("replicas", F.col("node_id")), F.col("size"))).alias("replica_bytes"),
            F.count_if(leads).alias("led"),
            F.max("received_at").alias("sized_at"),
        )
    )


def _unread(described: DataFrame, log_dirs: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """One row per topic: why bytes of its leaders, and of its replicas, are not known; null where they are known."""
    holders = (
        described.select("topic", "leader_id", F.explode("replicas").alias("node_id"))
        .groupBy("topic", "node_id")
        .agg(F.max(F.col("leader_id") == F.col("node_id")).alias("leads"))
    )
    answered = log_dirs.groupBy(F.col("asked_node_id").alias("node_id")).agg(
        F.max(F.when(F.col("error_code") != 0, F.col("log_dir"))).alias("offline"), F.lit(True).alias("answered")
    )
    silent = F.when(F.col("answered").isNull(), words("broker ", F.col("node_id"), " did not answer DescribeLogDirs"))
    gap = F.coalesce(not_read_from(missing, "DescribeLogDirs", "log_dirs", "node_id"), silent)
    offline = words("log dir ", F.col("offline"), " of broker ", F.col("node_id"), " is offline")
    whole = F.coalesce("gap", "offline")

    def first(reason: str) -> Column:
        return F.min(F.when(F.col(reason).isNotNull(), F.struct("node_id", F.col(reason).alias("line"))))["line"]

    return (
        holders.join(F.broadcast(answered), "node_id", "left")
        .withColumns({"gap": gap, "offline": offline})
        .withColumns({"leader_gap": F.when(is_true(F.col("leads")), F.col("gap")), "replica_gap": whole})
        .groupBy("topic")
        .agg(first("leader_gap").alias("leader_unread"), first("replica_gap").alias("replica_unread"))
    )
