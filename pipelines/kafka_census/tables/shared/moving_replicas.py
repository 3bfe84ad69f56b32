"""Replicas that are moving: added or removed by reassignments, or moving between log dirs."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.tables.shared.items import is_remote, is_true, list_of

PARTITION = ["topic", "partition"]


def moving_replicas(reassignments: DataFrame, log_dirs: DataFrame) -> DataFrame:
    """One row per replica that is added, removed or moved between log dirs, from items of the two RPCs.

    Columns: census_id, cluster_id, `PARTITION`, kind, replica_id; replicas, adding_replicas, removing_replicas and
    listed_at of the partition's reassignment; future_log_dir and future_size (bytes) of a `log_dir_move`.
    """
    moving = _moving(reassignments)
    return _in_reassignments(moving).unionByName(_between_log_dirs(log_dirs, moving), allowMissingColumns=True)


def _moving(reassignments: DataFrame) -> DataFrame:
    """One row per partition with adding or removing replicas.

    An error answer echoes the requested partitions with empty lists: those are no reassignments.
    """
    columns = ("replicas", "adding_replicas", "removing_replicas")
    last = F.max_by(F.struct("census_id", "cluster_id", *columns), "received_at").alias("last")
    return (
        reassignments.groupBy(*PARTITION)
        .agg(last, F.max("received_at").alias("listed_at"))
        .select(*PARTITION, "last.*", "listed_at")
        .withColumns({name: list_of(F.col(name)) for name in columns})
        .where(F.size(F.concat("adding_replicas", "removing_replicas")) > 0)
    )


def _in_reassignments(moving: DataFrame) -> DataFrame:
    """A `move` for each adding replica, a `remove` for each removing one."""
    moves, removes = _of_kind("move", "adding_replicas"), _of_kind("remove", "removing_replicas")
    return moving.withColumn("row", F.explode(F.concat(moves, removes))).select("*", "row.*").drop("row")


def _of_kind(kind: str, replicas: str) -> Column:
    """(kind, replica_id) of each broker in a list."""
    return F.transform(replicas, lambda node: F.struct(F.lit(kind).alias("kind"), node.alias("replica_id")))


def _between_log_dirs(log_dirs: DataFrame, moving: DataFrame) -> DataFrame:
    """A `log_dir_move` for each future replica; no API lists future replicas, so they are read from the log dirs."""
    lists = moving.drop("census_id", "cluster_id")
    futures = current_or_future(log_dirs, future=True).select(
        "census_id",
        "cluster_id",
        *PARTITION,
        F.lit("log_dir_move").alias("kind"),
        F.col("node_id").alias("replica_id"),
        F.col("log_dir").alias("future_log_dir"),
        F.col("size").alias("future_size"),
    )
    return futures.join(lists, PARTITION, "left")


def current_or_future(log_dirs: DataFrame, *, future: bool) -> DataFrame:
    """One row per broker and partition: the log dir of its current (or future) replica, and its size in bytes.

    Columns: node_id, `PARTITION`, census_id, cluster_id, log_dir, size.
    """
    is_future = is_true(F.col("is_future"))
    of_topic = F.col("topic").isNotNull() & ~is_remote(F.col("log_dir"))
    mine = log_dirs.where(of_topic & (is_future if future else ~is_future))
    # A broker has one replica of each partition; if two dirs ever report the same partition, the larger one counts.
    largest = F.max_by(F.struct("census_id", "cluster_id", "log_dir", "size"), "size").alias("largest")
    return (
        mine.groupBy(F.col("asked_node_id").alias("node_id"), *PARTITION)
        .agg(largest)
        .select("node_id", *PARTITION, "largest.*")
    )
