"""What is missing, broken or refused in the landed pages of a census, by headers, routes, keys and refused items."""

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kafka_census.declarations.audit import ROUTES
from kafka_census.declarations.walk import Walk, joined
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.union import union
from kafka_census.pages import page_chain
from kafka_census.pages.answered_keys import answered_keys
from kafka_census.pages.error_name import error_name
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.item_errors import Answered, item_errors, suspects
from kafka_census.pages.leaderless import leaderless
from kafka_census.pages.missing_read import MissingRead
from kafka_census.pages.page_chain import Keys, Owing
from kafka_census.pages.read import LandedPages
from kafka_census.spark.side_by_side import side_by_side


def missing_reads(
    lake: Lake, census_id: str, pages: LandedPages, walks: tuple[Walk, ...], headers: Sequence[Header], at_once: int = 1
) -> list[MissingRead]:
    """What is missing from these walks; `headers` are theirs. Raises CorruptLake where a table is missing or damaged.

    at_once  the number of queries that run at the same time
    """
    suspected = suspects(headers, walks)
    owing: list[Owing] = []
    keys: dict[WalkName, Keys] = {}
    answered: list[Answered] = []
    queries = {
        "keys": lambda: keys.update(answered_keys(pages, walks, headers)),
        "routes": lambda: owing.extend(_owing(lake, census_id, pages)),
        "refused items": lambda: answered.extend(_answered(pages, suspected)),
    }
    side_by_side(pages.spark, queries, {}, at_once)
    return [
        *page_chain.missing_reads(headers, owing, keys, walks),
        *leaderless(headers, walks, keys),
        *item_errors(answered, suspected),
    ]


def _owing(lake: Lake, census_id: str, pages: LandedPages) -> Sequence[Owing]:
    """The chains that are owed."""
    if pages.owing is not None:
        return pages.owing
    routes = store.read(pages.spark, lake, ROUTES).where(F.col("census_id") == census_id)
    return [tuple(row) for row in routes.select("rpc", "scope", "broker_id").distinct().collect()]


def _answered(pages: LandedPages, walks: Sequence[Walk]) -> list[Answered]:
    """How many keys of these walks each broker answered, by error code, None for ordinary answers; one query."""
    if not walks:
        return []
    counted = (
        union([_codes(pages, walk) for walk in walks], one_task=pages.is_one_task)
        .groupBy("rpc", "scope", "node_id", "code")
        .agg(F.count("*").alias("things"), F.min("key").alias("example"))
        .withColumn("name", error_name("code"))
    )
    return [
        Answered((row["rpc"], row["scope"]), row["node_id"], row["code"], row["name"], row["things"], row["example"])
        for row in counted.collect()
    ]


def _codes(pages: LandedPages, walk: Walk) -> DataFrame:
    """(rpc, scope, node_id, key, code): the greatest code that counts, per key that a broker reported."""
    items = pages.items_of(walk.rpc, walk.scope)
    counts = (F.col("error_code") != 0) & ~F.col("error_code").isin(*walk.ordinary)
    named = items.select(
        F.expr(joined(walk.answered_by or walk.about)).alias("key"),
        F.col("asked_node_id").alias("node_id"),
        F.when(counts, F.col("error_code")).alias("code"),
    )
    if walk.located is not None and walk.located.unowned:
        source = walk.located.keys
        locating = pages.items_of(source.rpc, source.scope)
        unlocated = locating.where(F.col(walk.located.node) < 0).select(F.expr(source.sql()).alias("key")).distinct()
        nobodys = F.col("is_nobodys").isNotNull() & F.col("code").isin(*walk.located.unowned)
        named = named.join(unlocated.withColumn("is_nobodys", F.lit(True)), "key", "left")
        named = named.withColumn("code", F.when(~nobodys, F.col("code")))
    by_key = named.groupBy("node_id", "key").agg(F.max("code").alias("code"))
    return by_key.select(F.lit(walk.rpc).alias("rpc"), F.lit(walk.scope).alias("scope"), "node_id", "key", "code")
