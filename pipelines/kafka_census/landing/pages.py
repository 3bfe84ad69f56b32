"""Reading back what is landed: the pages of one walk, and their items."""

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from kafka_census.census import Census
from kafka_census.rpc import rpc as rpc_named
from kafka_census.source.schema import page_table
from kafka_census.tables import store
from kafka_census.tables.lake import Lake


def landed_pages(spark: SparkSession, lake: Lake, census: Census, rpc: str, scope: str) -> DataFrame:
    """The pages of one walk in this census, of each page its highest try only."""
    table = page_table(rpc_named(rpc, scope))
    pages = store.rows(spark, lake, table, census.census_id).where(F.col("scope") == scope)
    latest = F.max("try_no").over(Window.partitionBy("chain_id", "page_no"))
    return pages.withColumn("latest_try", latest).where(F.col("try_no") == F.col("latest_try")).drop("latest_try")


def landed_items(spark: SparkSession, lake: Lake, census: Census, rpc: str, scope: str) -> DataFrame:
    """The items of one walk in this census, as columns."""
    return landed_pages(spark, lake, census, rpc, scope).select(F.inline("items"))
