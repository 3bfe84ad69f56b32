"""The census published before: what staging takes a table's history from, and the gate holds row counts against."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.census import Census
from kafka_census.comparison.gaps import Lacking
from kafka_census.lake import history
from kafka_census.lake.lake import Lake


@dataclass(frozen=True)
class Before:
    """A table in the census published before; `lacking` are the answers that it was computed without."""

    census_id: str
    rows: int
    lacking: Sequence[Lacking] = ()


def published_before(spark: SparkSession, lake: Lake, census: Census) -> dict[str, Before]:
    """By table name: the last one of the cluster that is older; tables that it never published are not there.

    Raises CorruptLake.
    """
    published = history.publications(spark, lake)
    if published is None:
        return {}
    older = published.where((F.col("cluster_id") == census.cluster_id) & (F.col("census_id") < census.census_id))
    lacking = F.transform("missing", lambda one: F.struct(*[one[name] for name in Lacking._fields])).alias("lacking")
    last = older.groupBy("table_name").agg(
        F.max_by(F.struct("census_id", "row_count", lacking), "census_id").alias("last")
    )
    return {
        row.table_name: Before(row.last.census_id, row.last.row_count, [Lacking(*one) for one in row.last.lacking])
        for row in last.collect()
    }
