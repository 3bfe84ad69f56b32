"""The book of calls: what was sent to whom and what came back, summed from landed pages."""

from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.census import Census
from kafka_census.rpc import rpc as rpc_named
from kafka_census.source.schema import page_table
from kafka_census.tables import store
from kafka_census.tables.books import CALLS
from kafka_census.tables.lake import Lake
from kafka_census.tables.landed import Landed
from kafka_census.tables.pages import PAGE

BY = ["census_id", "cluster_id", "rpc", "scope", "api", "api_version", "paging", "node_id"]


def write(spark: SparkSession, lake: Lake, census: Census, walks: tuple[Landed, ...]) -> None:
    """Sum the landed pages of a census, every try included; a repeat replaces what was there."""
    tables = {walk.rpc: page_table(rpc_named(walk.rpc, walk.scope)) for walk in walks}
    pages = [store.rows(spark, lake, table, census.census_id).select(*PAGE.names) for table in tables.values()]
    store.replace_census(summed(reduce(DataFrame.unionByName, pages)), lake, CALLS, census.census_id)


def summed(pages: DataFrame) -> DataFrame:
    """Pages (of any RPCs) as rows of `calls`."""
    started, ended = F.min("requested_at"), F.max("received_at")
    seconds = ended.cast("double") - started.cast("double")
    sums = pages.groupBy(*BY).agg(
        F.count("*").alias("pages"),
        F.sum("item_count").cast("bigint").alias("items"),
        F.sum("attempts").cast("bigint").alias("requests"),
        F.count_if(F.col("error_code") != 0).alias("errors"),
        F.max_by("error", F.when(F.col("error").isNotNull(), F.col("received_at"))).alias("error"),
        F.sum("response_bytes").alias("response_bytes"),
        F.sum("throttle_time_ms").alias("throttle_time_ms"),
        seconds.alias("seconds"),
        F.max("error_message").alias("error_message"),
    )
    fallback = F.format_string("%s is not offered by broker %d; %s was asked instead", "rpc", "node_id", "api")
    note = F.when(F.col("api") != F.col("rpc"), fallback).otherwise(F.col("error_message"))
    return sums.withColumn("note", note).select(*CALLS.columns)
