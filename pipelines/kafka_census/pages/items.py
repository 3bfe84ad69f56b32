"""Explode the landed pages of one census into their items, one row per item."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def items(pages: DataFrame) -> DataFrame:
    """The fields of the items of a walk's pages, then `census_id`, `cluster_id`, `asked_node_id`, `received_at`.

    The last column is `release_at_least` of the broker that was asked.
    `pages` are the pages of ONE census and walk that count (`pages.header`). Empty pages and refusals give no row.
    """
    return pages.select(
        F.explode("items").alias("item"),
        "census_id",
        "cluster_id",
        F.col("node_id").alias("asked_node_id"),
        "received_at",
        "release_at_least",
    ).select("item.*", "census_id", "cluster_id", "asked_node_id", "received_at", "release_at_least")
