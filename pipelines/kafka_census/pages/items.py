"""Explode the landed pages of one census into their items, one row per item."""

from pyspark.sql import DataFrame


def items(pages: DataFrame) -> DataFrame:
    """The fields of the items of a walk's pages, then `census_id`, `cluster_id`, `asked_node_id`, `received_at`.

    The last column is `release_at_least` of the broker that was asked.
    `pages` are the pages of ONE census and walk that count (`pages.header`). Empty pages and refusals give no row.
    """
    return pages.selectExpr(
        "inline(items)", "census_id", "cluster_id", "node_id AS asked_node_id", "received_at", "release_at_least"
    )
