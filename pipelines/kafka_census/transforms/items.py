"""From the landed pages of one census to their items, a row an item."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

_PAGE = ("scope", "chain_id", "page_no")
_YEAR_9999 = 253_370_764_800_000


def items(pages: DataFrame, scope: str, *, retried: bool = True) -> DataFrame:
    """The items of one scope's pages, as columns, then `census_id`, `cluster_id`, `asked_node_id`, `received_at`.

    After these comes `release_at_least` of the broker that was asked.
    `pages` are the pages of ONE census and RPC. Where a page was asked again the
    highest try counts, with all of its parts; where a chain started over (a page without a
    request cursor), what came before it does not. Empty pages and refusals give no row.
    `retried` False promises that there is neither, which saves two aggregates and a join.
    """
    mine = pages.where(F.col("scope") == scope)
    if retried:
        # A join with the few page numbers, not a window: that would shuffle every item.
        newest = mine.groupBy(*_PAGE).agg(F.max("try_no").alias("try_no"))
        begins = F.when(F.col("request_cursor").isNull() & (F.col("error_code") == 0), F.col("page_no"))
        starts = mine.groupBy("scope", "chain_id").agg(F.coalesce(F.max(begins), F.lit(0)).alias("start"))
        newest = newest.join(starts, ["scope", "chain_id"]).where(F.col("page_no") >= F.col("start")).drop("start")
        mine = mine.join(F.broadcast(newest), [*_PAGE, "try_no"], "left_semi")
    return mine.select(
        F.explode("items").alias("item"),
        "census_id",
        "cluster_id",
        F.col("node_id").alias("asked_node_id"),
        "received_at",
        "release_at_least",
    ).select("item.*", "census_id", "cluster_id", "asked_node_id", "received_at", "release_at_least")


def broker(node_id: Column) -> Column:
    """A broker id, or null for null and for Kafka's "none", -1."""
    return F.when(node_id >= 0, node_id)


def is_true(condition: Column) -> Column:
    """False also where the condition is null."""
    return condition.isNotNull() & condition


def list_of(numbers: Column) -> Column:
    """A list of broker ids that is never null."""
    return F.coalesce(numbers, F.array().cast("array<int>"))


def is_remote(log_dir: Column) -> Column:
    """Whether a log dir stands for object storage, as Redpanda lists it: `remote://` and a bucket."""
    return log_dir.startswith("remote://")


def moment(milliseconds: Column) -> Column:
    """A time from milliseconds since 1970 that a client has set; null where no calendar has it."""
    return F.when(milliseconds.between(0, _YEAR_9999), F.timestamp_millis(milliseconds))


def newest(frame: DataFrame, key: str, *columns: str) -> DataFrame:
    """One row a key: its columns as last received, and `received_at`; a walk that repeats a key cannot double rows."""
    last = F.max_by(F.struct(*columns, "received_at"), "received_at").alias("last")
    return frame.groupBy(key).agg(last).select(key, "last.*")
