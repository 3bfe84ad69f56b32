"""Read `audit/publications`: the published censuses.

The last published census of a cluster is the published census with the greatest id, and ids sort by the start of
a census. The order of commits does not matter: where an older census is published after a newer census,
it is in the history, and readers of `current_*` still see the newer census.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.census import Census, checked
from kafka_census.lake import history, store
from kafka_census.lake.cluster_key import KEY, Last
from kafka_census.lake.lake import Lake


def last_published(spark: SparkSession, lake: Lake, find: history.Find = store.find) -> Collection[Last]:
    """The last published census of every cluster and name. Raises CorruptLake, also where some are lost."""
    published = history.publications(spark, lake, find)
    if published is None:
        return ()
    history.require_whole(spark, lake)
    last = published.groupBy(KEY, "cluster").agg(F.max("census_id").alias("census_id"))
    return [Last(row.cluster_id, row.cluster, checked(row.census_id, "audit/publications")) for row in last.collect()]


@dataclass(frozen=True)
class Standing:
    """Whether readers see a census, the number of files of `publications`, and the last `foreign` census, if any."""

    published: bool = False
    files: int = 0
    others: Sequence[Last] = ()


def standing(spark: SparkSession, lake: Lake, census: Census, former_names: tuple[str, ...] = ()) -> Standing:
    """The `Standing` of a census that is about to be published, in one query. Raises CorruptLake."""
    published = history.publications(spark, lake)
    if published is None:
        return Standing()
    is_other = (F.col(KEY) == census.cluster_id) & ~F.col("cluster").isin(census.cluster, *former_names)
    found = published.agg(
        F.count_if(F.col("census_id") == census.census_id).alias("rows"),
        F.max(F.when(is_other, F.struct("census_id", "cluster"))).alias("other"),
        F.count_distinct("_metadata.file_path").alias("files"),
    )
    row = found.collect()[0]
    others = [Last(census.cluster_id, row.other.cluster, row.other.census_id)] if row.other else []
    return Standing(row.rows > 0, row.files, others)
