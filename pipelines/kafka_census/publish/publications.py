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
