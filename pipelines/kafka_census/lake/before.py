"""The previously published census: staging reads a table's history from it, the gate compares row counts with it."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.census import Census
from kafka_census.lake import history
from kafka_census.lake.cluster_key import KEY
from kafka_census.lake.lake import Lake


@dataclass(frozen=True)
class Before:
    """A table in the previously published census.

    lacking   the answers that the table was computed without, each as (RPC, broker id or None, error)
    """

    census_id: str
    rows: int
    lacking: Sequence[tuple[str, int | None, str]] = ()


def published_before(spark: SparkSession, lake: Lake, census: Census) -> dict[str, Before]:
    """By table name: the cluster's last publication before this census; tables without one are left out.

    Raises CorruptLake.
    """
    published = history.publications(spark, lake)
    if published is None:
        return {}
    older = published.where((F.col(KEY) == census.cluster_id) & (F.col("census_id") < census.census_id))
    lacking = F.transform(
        "missing", lambda one: F.struct(*[one[name] for name in ("rpc", "broker_id", "error")])
    ).alias("lacking")
    last = older.groupBy("table_name").agg(
        F.max_by(F.struct("census_id", "row_count", lacking), "census_id").alias("last")
    )
    return {
        row.table_name: Before(row.last.census_id, row.last.row_count, [tuple(one) for one in row.last.lacking])
        for row in last.collect()
    }
