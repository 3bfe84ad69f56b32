"""What is published: reading `books/publications`."""

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.tables import store
from kafka_census.tables.books import PUBLICATIONS
from kafka_census.tables.lake import Lake


def is_published(spark: SparkSession, lake: Lake, census_id: str) -> bool:
    """Whether readers see this census."""
    book = store.find(spark, lake, PUBLICATIONS)
    return book is not None and not book.where(F.col("census_id") == census_id).isEmpty()


def census_before(spark: SparkSession, lake: Lake, table_name: str, cluster_id: str, census_id: str) -> str | None:
    """The last published census of a cluster and table that is older than this one; None on the first."""
    book = store.find(spark, lake, PUBLICATIONS)
    if book is None:
        return None
    older = book.where(
        (F.col("table_name") == table_name) & (F.col("cluster_id") == cluster_id) & (F.col("census_id") < census_id)
    )
    before: str | None = older.agg(F.max("census_id").alias("last")).collect()[0]["last"]
    return before
