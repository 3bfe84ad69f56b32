"""The census published before: what staging takes a table's history from, and the gate holds row counts against."""

from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.census import Census
from kafka_census.lake import history
from kafka_census.lake.lake import Lake


@dataclass(frozen=True)
class Before:
    """A table in the census published before."""

    census_id: str
    rows: int


def published_before(spark: SparkSession, lake: Lake, census: Census) -> dict[str, Before]:
    """By table name: the last one of the cluster that is older; tables that it never published are not there.

    Raises CorruptLake.
    """
    published = history.publications(spark, lake)
    if published is None:
        return {}
    older = published.where((F.col("cluster_id") == census.cluster_id) & (F.col("census_id") < census.census_id))
    last = older.groupBy("table_name").agg(F.max(F.struct("census_id", "row_count")).alias("last"))
    return {row.table_name: Before(row.last.census_id, row.last.row_count) for row in last.collect()}
