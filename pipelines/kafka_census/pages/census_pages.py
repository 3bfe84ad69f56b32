"""The landed pages and the staged rows of one census, which transforms and the gate read."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.memory import computed_once
from kafka_census.lake.union import union
from kafka_census.pages.error_name import error_name
from kafka_census.pages.header import Header, WalkName, latest
from kafka_census.pages.item_errors import Answered, item_errors, suspects
from kafka_census.pages.items import items
from kafka_census.pages.leaderless import leaderless
from kafka_census.pages.missing_read import MissingRead
from kafka_census.pages.page_chain import Keys, missing_reads
from kafka_census.pages.read import LandedPages
from kafka_census.tables.audit import ROUTES
from kafka_census.tables.table import Table
from kafka_census.tables.walk import Walk, joined

_EXAMPLES = 3
_BITS = 63
"""Bits of a non-negative bigint, one per keyed walk: no census has as many keyed walks."""


@dataclass(frozen=True)
class CensusPages:
    """One census in one lake. Every method raises CorruptLake where a table is missing or damaged."""

    spark: SparkSession
    lake: Lake
    census_id: str
    landed: LandedPages
    _staged: dict[str, DataFrame] = field(default_factory=dict, compare=False, repr=False)

    def items(self, rpc: str, scope: str) -> DataFrame:
        """The items of one walk, exploded from the pages that count; columns as in `pages.items`."""
        return items(self.landed.of_walk(rpc, scope))

    def listed(self, rpc: str, scope: str) -> DataFrame:
        """The items of one walk, from the pages that count: one column per field, and `asked_node_id`."""
        return self.landed.of_walk(rpc, scope).selectExpr("inline(items)", "node_id AS asked_node_id")

    def staged(self, table: Table) -> DataFrame:
        """The census' rows of a table, with its declared columns; readers see them once the census is published."""
        kept = self._staged.get(table.name)
        return kept or store.read(self.spark, self.lake, table).where(F.col("census_id") == self.census_id)

    def keep_staged(self, table: Table, rows: DataFrame) -> None:
        """Use these rows as the rows of the table from now on."""
        self._staged[table.name] = rows

    def staged_once(self, table: Table) -> DataFrame:
        """The rows of a table as `staged` gives them, in one partition; they are kept after their first read."""
        if table.name not in self._staged:
            self.keep_staged(table, computed_once(self.staged(table)))
        return self._staged[table.name].coalesce(1)

    def headers_of(self, walks: tuple[Walk, ...]) -> list[Header]:
        """The headers of the pages of these walks."""
        wanted = {walk.name for walk in walks}
        return [header for header in self.landed.headers if header.walk in wanted]

    def missing_reads(self, walks: tuple[Walk, ...]) -> list[MissingRead]:
        """What is missing from these walks, by their headers, the routes, the keys and the refused items."""
        headers = self.headers_of(walks)
        routes = store.read(self.spark, self.lake, ROUTES).where(F.col("census_id") == self.census_id)
        owing = [tuple(row) for row in routes.select("rpc", "scope", "broker_id").distinct().collect()]
        keys, suspected = self.keys(walks, headers), suspects(headers, walks)
        return [
            *missing_reads(headers, owing, keys, walks),
            *leaderless(headers, walks, keys),
            *item_errors(self._answered(suspected), suspected),
        ]

    def keys(self, walks: tuple[Walk, ...], headers: list[Header]) -> dict[WalkName, Keys]:
        """By keyed walk: how many keys it had to ask for, and how many of them no page answers.

        One pass over listings and answers, without a join: each key collects the walks that know it, one bit per walk,
        so that Spark need not sort.
        """
        keyed = [(walk, walk.keys) for walk in walks if walk.keys and walk.answered_by]
        if not keyed:
            return {}
        listings = tuple(dict.fromkeys(keys for _, keys in keyed))
        asked_by = [sum(1 << bit for bit, (_, keys) in enumerate(keyed) if keys == of) for of in listings]
        known = [
            *(
                _as_known(self._named((of.rpc, of.scope), of.sql), number, asked=asked_by[number])
                for number, of in enumerate(listings)
            ),
            *(
                _as_known(names, listings.index(keys), answered=1 << bit)
                for bit, (walk, keys) in enumerate(keyed)
                for names in (
                    self._named(walk.name, joined(walk.answered_by)),
                    *self._held_open(walk, headers),
                )
            ),
            *(
                _as_known(self._named((of.unless.rpc, of.unless.scope), of.unless.sql), number, left_out=-1)
                for number, of in enumerate(listings)
                if of.unless
            ),
        ]
        by_key = (
            union(known, one_task=self.landed.is_one_task)
            .groupBy("listing", "key")
            .agg(*[F.bit_or(bits).alias(bits) for bits in ("asked", "answered", "left_out")])
            .withColumn("asked", F.col("asked").bitwiseAND(F.bitwise_not("left_out")))
            .select("key", "asked", F.col("asked").bitwiseAND(F.bitwise_not("answered")).alias("lost"))
        )
        counted = by_key.groupBy("asked", "lost").count().collect()
        examples = self._lost_keys(by_key) if any(row["lost"] for row in counted) else {}
        found = {}
        for bit, (walk, _) in enumerate(keyed):
            listed = sum(row["count"] for row in counted if row["asked"] >> bit & 1)
            lost = sum(row["count"] for row in counted if row["lost"] >> bit & 1)
            if listed:
                found[walk.rpc, walk.scope] = Keys(listed, lost, examples.get(bit, ()))
        return found

    def _answered(self, walks: Sequence[Walk]) -> list[Answered]:
        """How many keys of these walks each broker answered, by error code, None for ordinary answers; one query."""
        if not walks:
            return []
        counted = (
            union([self._codes(walk) for walk in walks], one_task=self.landed.is_one_task)
            .groupBy("rpc", "scope", "node_id", "code")
            .agg(F.count("*").alias("things"), F.min("key").alias("example"))
            .withColumn("name", error_name("code"))
        )
        return [
            Answered(
                (row["rpc"], row["scope"]), row["node_id"], row["code"], row["name"], row["things"], row["example"]
            )
            for row in counted.collect()
        ]

    def _codes(self, walk: Walk) -> DataFrame:
        """(rpc, scope, node_id, key, code): the greatest code that counts, per key that a broker reported."""
        items = self.items(walk.rpc, walk.scope)
        counts = (F.col("error_code") != 0) & ~F.col("error_code").isin(*walk.ordinary)
        named = items.select(
            F.expr(joined(walk.answered_by or walk.about)).alias("key"),
            F.col("asked_node_id").alias("node_id"),
            F.when(counts, F.col("error_code")).alias("code"),
        )
        if walk.located is not None and walk.located.unowned:
            source = walk.located.keys
            locating = self.items(source.rpc, source.scope)
            unlocated = locating.where(F.col(walk.located.node) < 0).select(F.expr(source.sql).alias("key")).distinct()
            nobodys = F.col("is_nobodys").isNotNull() & F.col("code").isin(*walk.located.unowned)
            named = named.join(unlocated.withColumn("is_nobodys", F.lit(True)), "key", "left")
            named = named.withColumn("code", F.when(~nobodys, F.col("code")))
        by_key = named.groupBy("node_id", "key").agg(F.max("code").alias("code"))
        return by_key.select(F.lit(walk.rpc).alias("rpc"), F.lit(walk.scope).alias("scope"), "node_id", "key", "code")

    def _lost_keys(self, by_key: DataFrame) -> dict[int, tuple[str, ...]]:
        """By the bit of a walk: the first of its keys without an answer."""
        bits = F.explode(F.sequence(F.lit(0), F.lit(_BITS - 1))).alias("bit")
        mine = by_key.where("lost != 0").select("key", "lost", bits).where("shiftright(lost, bit) & 1 = 1")
        order = F.row_number().over(Window.partitionBy("bit").orderBy("key"))
        first = mine.withColumn("order", order).where(F.col("order") <= _EXAMPLES).orderBy("bit", "key").collect()
        bits_lost = dict.fromkeys(row["bit"] for row in first)
        return {bit: tuple(row["key"] for row in first if row["bit"] == bit) for bit in bits_lost}

    def _named(self, walk: WalkName, column: str) -> DataFrame:
        """The keys that the items of a walk name."""
        return self.listed(*walk).selectExpr(f"{column} AS key").where("key IS NOT NULL")

    def _held_open(self, walk: Walk, headers: list[Header]) -> list[DataFrame]:
        """Keys that a failed page holds open: they count as answered, since the page itself is reported as missing."""
        failed = [
            page
            for (of, _), pages in latest(headers).items()
            for page in pages
            if page.failed and page.open_key_count and of == walk.name
        ]
        return [self.landed.those(failed).select(F.explode("open_keys").alias("key"))] if failed else []


def _as_known(names: DataFrame, listing: int, asked: int = 0, answered: int = 0, left_out: int = 0) -> DataFrame:
    """(listing, key, asked, answered, left_out): one bit per walk that must ask for, has answered, or skips the key."""
    bits = f"{asked}L AS asked", f"{answered}L AS answered", f"{left_out}L AS left_out"
    return names.selectExpr(f"{listing} AS listing", "key", *bits)
