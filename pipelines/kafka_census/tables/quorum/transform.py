"""The replicas of the metadata log, as the active controller sees them.

Lags are reported by the leader: log ends as of each replica's last fetch, and times on the leader's clock, of which
only differences are used, so that our own clock does not matter. A quorum that could not be read (ZooKeeper has none)
is one row, replica -1, with the reason.
"""

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.shared_rules import caught_up
from kafka_census.declarations.transform import Transform
from kafka_census.pages.error_name import error_name
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.quorum.columns import QUORUM
from kafka_census.tables.shared.items import broker
from kafka_census.tables.shared.reasons import first_that_holds, not_read, words


def quorum(*, replicas: DataFrame, cluster: DataFrame, missing: Sequence[MissingRead]) -> DataFrame:
    """One row per replica; a single row where the quorum was not read. Columns: those of `QUORUM`.

    Inputs are items: replicas of DescribeQuorum, cluster of DescribeCluster; and the missing reads.
    """
    unread = cluster.agg(
        F.max("census_id").alias("census_id"),
        F.max("cluster_id").alias("cluster_id"),
        F.max("received_at").alias("received_at"),
        F.max(not_read(missing, "DescribeQuorum", "quorum")).alias("gap"),
    ).where("gap IS NOT NULL")
    rows = replicas.withColumn("gap", words("DescribeQuorum answered ", error_name("error_code")))
    known = rows.unionByName(unread, allowMissingColumns=True).withColumns(
        {name: _known(name) for name in ("log_end_offset", "high_watermark")}
    )
    leader = known.where("replica_id = leader_id").agg(
        F.max("log_end_offset").alias("leader_end"), F.max("last_caught_up_ms").alias("leader_caught_up_ms")
    )
    behind = {
        "lag_offsets": F.col("leader_end") - F.col("log_end_offset"),
        "lag_ms": F.col("leader_caught_up_ms") - F.col("last_caught_up_ms"),
    }
    return (
        known.crossJoin(leader)
        .withColumns({name: F.when(lag.isNotNull(), F.greatest(lag, F.lit(0))) for name, lag in behind.items()})
        .withColumn("caught_up", F.expr(caught_up("lag_ms", "log_end_offset", "high_watermark")))
        .withColumns(
            {
                "observed_at": F.col("received_at"),
                "is_leader": F.when(F.col("leader_id") >= 0, F.col("replica_id") == F.col("leader_id")),
                "leader_id": broker(F.col("leader_id")),
                "replica_id": F.coalesce("replica_id", F.lit(-1)),
                "directory_id": F.coalesce("replica_directory_id", F.lit("")),
                "role": first_that_holds(
                    (F.col("is_voter"), "voter"), (~F.col("is_voter"), "observer"), otherwise="unknown"
                ),
                "last_fetch_at": F.timestamp_millis("last_fetch_ms"),
                "last_caught_up_at": F.timestamp_millis("last_caught_up_ms"),
                "reason": _reason(),
            }
        )
        .select(*QUORUM.computed.names)
    )


def _known(name: str) -> Column:
    """An offset; null for Kafka's "unknown", -1."""
    return F.when(F.col(name) >= 0, F.col(name))


def _reason() -> Column:
    """Why it is not known whether a replica is caught up; null where that is known."""
    return first_that_holds(
        (F.col("gap").isNotNull(), F.col("gap")),
        (F.col("caught_up"), F.lit(None)),
        (~F.col("caught_up"), words(F.col("lag_offsets"), " offsets behind the leader")),
        (F.col("leader_id") < 0, F.lit("the quorum has no leader")),
        otherwise="the leader has not heard from it",
    )


QUORUM_TRANSFORM = Transform(
    QUORUM, quorum, {"replicas": ("DescribeQuorum", "quorum"), "cluster": ("DescribeCluster", "cluster")}
)
