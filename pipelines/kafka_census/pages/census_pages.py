"""The landed pages and the staged rows of one census, which transforms and the gate read."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.audit import ROUTES
from kafka_census.declarations.table import Table
from kafka_census.declarations.walk import Walk, joined
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.memory import computed_once
from kafka_census.lake.union import union
from kafka_census.pages.answered_keys import answered_keys
from kafka_census.pages.error_name import error_name
from kafka_census.pages.header import Header, WalkName
from kafka_census.pages.item_errors import Answered, item_errors, suspects
from kafka_census.pages.items import items
from kafka_census.pages.leaderless import leaderless
from kafka_census.pages.missing_read import MissingRead
from kafka_census.pages.page_chain import Keys, Owing, missing_reads
from kafka_census.pages.read import LandedPages
from kafka_census.spark.side_by_side import side_by_side


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

    def missing_reads(self, walks: tuple[Walk, ...], at_once: int = 1) -> list[MissingRead]:
        """What is missing from these walks, by their headers, the routes, the keys and the refused items.

        at_once  the number of queries that run at the same time
        """
        headers = self.headers_of(walks)
        suspected = suspects(headers, walks)
        owing: list[Owing] = []
        keys: dict[WalkName, Keys] = {}
        answered: list[Answered] = []
        queries = {
            "keys": lambda: keys.update(answered_keys(self.landed, walks, headers)),
            "routes": lambda: owing.extend(self._owing()),
            "refused items": lambda: answered.extend(self._answered(suspected)),
        }
        side_by_side(self.spark, queries, {}, at_once)
        return [
            *missing_reads(headers, owing, keys, walks),
            *leaderless(headers, walks, keys),
            *item_errors(answered, suspected),
        ]

    def _owing(self) -> Sequence[Owing]:
        """The chains that are owed."""
        if self.landed.owing is not None:
            return self.landed.owing
        routes = store.read(self.spark, self.lake, ROUTES).where(F.col("census_id") == self.census_id)
        return [tuple(row) for row in routes.select("rpc", "scope", "broker_id").distinct().collect()]

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
            unlocated = (
                locating.where(F.col(walk.located.node) < 0).select(F.expr(source.sql()).alias("key")).distinct()
            )
            nobodys = F.col("is_nobodys").isNotNull() & F.col("code").isin(*walk.located.unowned)
            named = named.join(unlocated.withColumn("is_nobodys", F.lit(True)), "key", "left")
            named = named.withColumn("code", F.when(~nobodys, F.col("code")))
        by_key = named.groupBy("node_id", "key").agg(F.max("code").alias("code"))
        return by_key.select(F.lit(walk.rpc).alias("rpc"), F.lit(walk.scope).alias("scope"), "node_id", "key", "code")
