"""The bytes still to be copied into and out of each broker, summed over the moving replicas.

A copy between brokers counts twice: into its target, and out of the leader that it is copied from (out of no broker
while there is no leader). A move between log dirs counts only into its broker. Sums are over known values and stand
beside the number of unknown values; the ETA is known only when that of every copy is known.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.transform import Transform
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.tables.reassignment_backlog_by_broker.columns import REASSIGNMENT_BACKLOG_BY_BROKER, WAYS
from kafka_census.tables.shared.reasons import words


def reassignment_backlog_by_broker(
    *,
    backlog: DataFrame,
    missing: Sequence[MissingRead],  # noqa: ARG001 - the rows of the backlog say what is missing
) -> DataFrame:
    """One row per broker that takes part, from the rows of reassignment_backlog.

    Columns: those of `REASSIGNMENT_BACKLOG_BY_BROKER`.
    """
    kind, way = F.col("kind"), F.col("end.way")
    target = F.struct(
        F.col("replica_id").alias("broker_id"), F.when(kind == "remove", "removed").otherwise("in").alias("way")
    )
    source = F.struct(F.col("source_id").alias("broker_id"), F.when(kind == "move", "out").alias("way"))
    ends = backlog.withColumn("end", F.explode(F.array(target, source))).where(
        "end.broker_id >= 0 AND end.way IS NOT NULL"
    )
    at_source, at_target = F.col("source_throttle_bytes_per_second"), F.col("target_throttle_bytes_per_second")
    reason = F.when(way == "out", F.col("source_throttle_reason")).otherwise(F.col("target_throttle_reason"))
    summed = ends.groupBy(F.col("end.broker_id").alias("broker_id")).agg(
        *[F.max(name).alias(name) for name in ("census_id", "cluster_id", "observed_at", "previous_census_id")],
        *[aggregate for name in WAYS for aggregate in _of(name, way == name)],
        F.count_if(kind == "log_dir_move").cast("int").alias("log_dir_moves"),
        F.count_if(way == "removed").cast("int").alias("replicas_removed"),
        # A rate belongs to the broker: all of its copies that are throttled have the same rate.
        F.max(F.when(way == "out", at_source)).alias("leader_throttle_bytes_per_second"),
        F.max(F.when((way == "in") & (kind == "move"), at_target)).alias("follower_throttle_bytes_per_second"),
        F.max(F.when(kind == "log_dir_move", at_target)).alias("log_dir_throttle_bytes_per_second"),
        F.min(reason).alias("throttle_reason"),
    )
    return summed.select(*REASSIGNMENT_BACKLOG_BY_BROKER.computed.names)


def _of(name: str, goes: Column) -> tuple[Column, ...]:
    """The aggregates of the copies in one direction."""
    replicas, endless = F.count_if(goes), F.count_if(goes & F.col("eta_seconds").isNull())
    reason = words(endless, " of ", replicas, " have no ETA: no rate yet, or bytes left unknown or not falling")
    return (
        replicas.cast("int").alias(f"replicas_{name}"),
        F.count_if(goes & F.col("bytes_left").isNull()).cast("int").alias(f"unknown_{name}"),
        _sum(F.col("bytes_left"), goes).cast("bigint").alias(f"bytes_left_{name}"),
        F.sum(F.when(goes, F.col("bytes_per_second"))).alias(f"bytes_per_second_{name}"),
        F.when(endless == 0, F.max(F.when(goes, F.col("eta_seconds")))).alias(f"eta_seconds_{name}"),
        F.when(endless > 0, reason).alias(f"eta_{name}_reason"),
        _sum(F.col("stalled").cast("int"), goes).cast("int").alias(f"stalled_{name}"),
    )


def _sum(value: Column, goes: Column) -> Column:
    """The sum of the known values: 0 without copies, and null where there are copies but no known value."""
    return F.when(F.count_if(goes) == 0, F.lit(0)).otherwise(F.sum(F.when(goes, value)))


REASSIGNMENT_BACKLOG_BY_BROKER_TRANSFORM = Transform(
    REASSIGNMENT_BACKLOG_BY_BROKER, reassignment_backlog_by_broker, {"backlog": REASSIGNMENT_BACKLOG}
)
