"""Read `audit/publications`: the published censuses.

The last published census of a cluster is the published census with the greatest id, and ids sort by the start of
a census. The order of commits does not matter: where an older census is published after a newer census,
it is in the history, and readers of `current_*` still see the newer census.
"""

from collections.abc import Collection
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.census import checked
from kafka_census.lake import history
from kafka_census.lake.lake import Lake


@dataclass(frozen=True)
class Last:
    """The last published census of a cluster, by one of the names that it had in configurations."""

    cluster_id: str
    cluster: str
    census_id: str


def last_published(spark: SparkSession, lake: Lake) -> Collection[Last]:
    """The last published census of every cluster and name. Raises CorruptLake, also where some are lost."""
    published = history.publications(spark, lake)
    if published is None:
        return ()
    history.require_whole(spark, lake)
    last = published.groupBy("cluster_id", "cluster").agg(F.max("census_id").alias("census_id"))
    return [Last(row.cluster_id, row.cluster, checked(row.census_id, "audit/publications")) for row in last.collect()]


@dataclass(frozen=True)
class Standing:
    """Whether readers see a census, and the number of files of `publications`."""

    published: bool = False
    files: int = 0


def standing(spark: SparkSession, lake: Lake, census_id: str) -> Standing:
    """The `Standing` of a census that is about to be published, in one query. Raises CorruptLake."""
    published = history.publications(spark, lake)
    if published is None:
        return Standing()
    found = published.agg(
        F.count_if(F.col("census_id") == census_id).alias("rows"),
        F.count_distinct("_metadata.file_path").alias("files"),
    )
    return next(Standing(row.rows > 0, row.files) for row in found.collect())
