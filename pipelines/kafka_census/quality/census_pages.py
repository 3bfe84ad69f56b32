"""The landed pages of one census, and what is staged of it: what the gate judges and transforms explode."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields
from functools import reduce

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from kafka_census.quality.item_columns import internal_partitions, item_codes
from kafka_census.quality.item_errors import Answered, item_errors, suspects
from kafka_census.quality.leaderless import leaderless
from kafka_census.quality.page_chain import Defect, Header, Keys, Walk, defects, latest
from kafka_census.tables import store
from kafka_census.tables.books import ROUTES
from kafka_census.tables.lake import Lake
from kafka_census.tables.landed import Landed, joined
from kafka_census.tables.memory import in_memory
from kafka_census.tables.pages import PAGE
from kafka_census.tables.rows import local_frame
from kafka_census.tables.table import Table
from kafka_census.transforms.items import items
from kafka_census.transforms.reasons import error_name

_FAILED = StructType([field for field in PAGE.fields if field.name in ("chain_id", "page_no", "try_no")])
_EXAMPLES = 3
_BITS = 63
"""Of a bigint that is not negative: no census takes as many keyed walks."""
_HEADER = [field.name for field in fields(Header)]


@dataclass(frozen=True)
class CensusPages:
    """One census in one lake. Every method raises CorruptLake where a table is missing or damaged."""

    spark: SparkSession
    lake: Lake
    census_id: str
    _kept: dict[str, DataFrame] = field(default_factory=dict, compare=False, repr=False)
    _staged: dict[str, DataFrame] = field(default_factory=dict, compare=False, repr=False)
    _until_the_end: ExitStack = field(default_factory=ExitStack, compare=False, repr=False)

    def pages(self, rpc: str) -> DataFrame:
        """All landed pages of one RPC, all tries, with their items."""
        if rpc in self._kept:
            return self._kept[rpc]
        return store.landed_pages(self.spark, self.lake, rpc).where(F.col("census_id") == self.census_id)

    @contextmanager
    def kept(self, rpcs: Iterable[str]) -> Iterator[None]:
        """Hold the pages of these RPCs in memory until the end of the block.

        Each is read by many tables, and for each reading Delta looks up the table's files by a query of its own:
        of a small census that is most of the work.
        """
        with self._until_the_end as until_the_end:
            self._kept.update({rpc: until_the_end.enter_context(in_memory(self.pages(rpc))) for rpc in rpcs})
            try:
                yield
            finally:
                self._kept.clear()
                self._staged.clear()

    def items(self, rpc: str, scope: str, *, retried: bool = True) -> DataFrame:
        """The exploded items of one walk, of the highest tries; `retried` as `transforms.items`."""
        return items(self.pages(rpc), scope, retried=retried)

    def listed(self, rpc: str, scope: str) -> DataFrame:
        """The items of every try, with `asked_node_id`: to be counted, where `items` would cost a join more.

        A page that was asked again held an error and no items, so that no item is there twice but where a
        chain started over.
        """
        pages = self.pages(rpc).where(F.col("scope") == scope)
        exploded = pages.select(F.explode("items").alias("item"), F.col("node_id").alias("asked_node_id"))
        return exploded.select("item.*", "asked_node_id")

    def keep_staged(self, frames: Mapping[str, DataFrame], memory: ExitStack) -> None:
        """Read tables from these frames from now on, and close `memory`, which holds them, as `kept` ends."""
        self._staged.update(frames)
        self._until_the_end.push(memory)

    def staged(self, table: Table) -> DataFrame:
        """The rows of a table, which nobody reads before the census is published."""
        if table.name in self._staged:
            return self._staged[table.name]
        return store.read(self.spark, self.lake, table).where(F.col("census_id") == self.census_id)

    def headers(self, walks: tuple[Landed, ...]) -> list[Header]:
        """What is landed of these walks, of their items what `item_columns` says; one query over all RPCs."""
        rows = self._all_pages(walks).select(*_HEADER).collect()
        return [Header(**row.asDict()) for row in rows]

    def defects(self, walks: tuple[Landed, ...], headers: list[Header]) -> list[Defect]:
        """What is wrong with these walks, from their headers, the routes, the keys and the items that were refused."""
        routes = store.read(self.spark, self.lake, ROUTES).where(F.col("census_id") == self.census_id)
        owing = [tuple(row) for row in routes.select("rpc", "scope", "node_id").distinct().collect()]
        keys, suspected = self.keys(walks, headers), suspects(headers, walks)
        return [
            *defects(headers, owing, keys, walks),
            *leaderless(headers, walks, keys),
            *item_errors(self._answered(suspected, headers), suspected),
        ]

    def keys(self, walks: tuple[Landed, ...], headers: list[Header]) -> dict[Walk, Keys]:
        """How many keys each keyed walk was to ask for, and how many nothing answers.

        One pass over listings and answers, without a join: each key gathers the walks that know it, a bit each, so
        that Spark needs to sort nothing.
        """
        keyed = [(walk, walk.keys) for walk in walks if walk.keys and walk.answered_by]
        if not keyed:
            return {}
        over = {header.walk for header in headers if header.page_no and header.starts}
        listings = tuple(dict.fromkeys(keys for _, keys in keyed))
        asked_by = [sum(1 << place for place, (_, keys) in enumerate(keyed) if keys == of) for of in listings]
        known = [
            *(
                _as_known(self._named((of.rpc, of.scope), of.sql, over), number, asked=asked_by[number])
                for number, of in enumerate(listings)
            ),
            *(
                _as_known(names, listings.index(keys), answered=1 << place)
                for place, (walk, keys) in enumerate(keyed)
                for names in (
                    self._named((walk.rpc, walk.scope), joined(walk.answered_by), over),
                    *self._held_open(walk, headers),
                )
            ),
            *(
                _as_known(self._named((of.unless.rpc, of.unless.scope), of.unless.sql, over), number, left_out=-1)
                for number, of in enumerate(listings)
                if of.unless
            ),
        ]
        by_key = (
            reduce(DataFrame.unionByName, known)
            .groupBy("listing", "key")
            .agg(*[F.bit_or(bits).alias(bits) for bits in ("asked", "answered", "left_out")])
            .withColumn("asked", F.col("asked").bitwiseAND(F.bitwise_not("left_out")))
            .select("key", "asked", F.col("asked").bitwiseAND(F.bitwise_not("answered")).alias("lost"))
        )
        counted = by_key.groupBy("asked", "lost").count().collect()
        examples = self._lost_keys(by_key) if any(row["lost"] for row in counted) else {}
        found = {}
        for place, (walk, _) in enumerate(keyed):
            listed = sum(row["count"] for row in counted if row["asked"] >> place & 1)
            lost = sum(row["count"] for row in counted if row["lost"] >> place & 1)
            if listed:
                found[walk.rpc, walk.scope] = Keys(listed, lost, examples.get(place, ()))
        return found

    def _all_pages(self, walks: tuple[Landed, ...]) -> DataFrame:
        """The pages of these walks, with the columns of `item_columns` in the place of their items."""
        frames = []
        for rpc in dict.fromkeys(walk.rpc for walk in walks):
            scopes = [walk.scope for walk in walks if walk.rpc == rpc]
            pages = self.pages(rpc).where(F.col("scope").isin(*scopes))
            told = {"item_codes": item_codes(pages.schema), "internal": internal_partitions(pages.schema)}
            frames.append(pages.withColumns(told).drop("items"))
        return reduce(DataFrame.unionByName, frames)

    def _answered(self, walks: Sequence[Landed], headers: list[Header]) -> list[Answered]:
        """How many things of these walks each broker answered with which code that is no ordinary one; one query."""
        if not walks:
            return []
        again = {header.walk for header in headers if header.try_no or (header.page_no and header.starts)}
        counted = (
            reduce(DataFrame.unionByName, [self._codes(walk, again) for walk in walks])
            .groupBy("rpc", "scope", "node_id", "code")
            .agg(F.count("*").alias("things"), F.min("key").alias("example"))
            .withColumn("name", error_name(F.col("code")))
        )
        return [
            Answered(
                (row["rpc"], row["scope"]), row["node_id"], row["code"], row["name"], row["things"], row["example"]
            )
            for row in counted.collect()
        ]

    def _codes(self, walk: Landed, again: set[Walk]) -> DataFrame:
        """(rpc, scope, node_id, key, code): of each thing that a broker told of the greatest code that counts."""
        items = self.items(walk.rpc, walk.scope, retried=(walk.rpc, walk.scope) in again)
        counts = (F.col("error_code") != 0) & ~F.col("error_code").isin(*walk.ordinary)
        named = items.select(
            F.expr(joined(walk.answered_by or walk.about)).alias("key"),
            F.col("asked_node_id").alias("node_id"),
            F.when(counts, F.col("error_code")).alias("code"),
        )
        if walk.at is not None and walk.at.nobody:
            source = walk.at.keys
            places = self.items(source.rpc, source.scope, retried=(source.rpc, source.scope) in again)
            placeless = places.where(F.col(walk.at.node) < 0).select(F.expr(source.sql).alias("key")).distinct()
            nobodys = F.col("is_nobodys").isNotNull() & F.col("code").isin(*walk.at.nobody)
            named = named.join(placeless.withColumn("is_nobodys", F.lit(True)), "key", "left")
            named = named.withColumn("code", F.when(~nobodys, F.col("code")))
        by_key = named.groupBy("node_id", "key").agg(F.max("code").alias("code"))
        return by_key.select(F.lit(walk.rpc).alias("rpc"), F.lit(walk.scope).alias("scope"), "node_id", "key", "code")

    def _lost_keys(self, by_key: DataFrame) -> dict[int, tuple[str, ...]]:
        """By the place of a walk's bit: the first keys that it lost."""
        places = F.explode(F.sequence(F.lit(0), F.lit(_BITS - 1))).alias("place")
        mine = by_key.where("lost != 0").select("key", "lost", places).where("shiftright(lost, place) & 1 = 1")
        order = F.row_number().over(Window.partitionBy("place").orderBy("key"))
        first = mine.withColumn("order", order).where(F.col("order") <= _EXAMPLES).orderBy("place", "key").collect()
        places_lost = dict.fromkeys(row["place"] for row in first)
        return {place: tuple(row["key"] for row in first if row["place"] == place) for place in places_lost}

    def _named(self, walk: Walk, column: str, over: set[Walk]) -> DataFrame:
        """Keys that a walk names. Of one in which a chain started `over`, what it had before does not count."""
        items = self.items(*walk) if walk in over else self.listed(*walk)
        return items.select(F.expr(column).alias("key")).where("key IS NOT NULL")

    def _held_open(self, walk: Landed, headers: list[Header]) -> list[DataFrame]:
        """Keys that a failed page kept from being answered: the page is the defect, they are not lost."""
        failed = [
            (page.chain_id, page.page_no, page.try_no)
            for (of, _), pages in latest(headers).items()
            for page in pages
            if page.failed and of == (walk.rpc, walk.scope)
        ]
        if not failed:
            return []
        these = local_frame(self.spark, failed, _FAILED)
        pages = self.pages(walk.rpc).where(F.col("scope") == walk.scope)
        pages = pages.join(F.broadcast(these), these.columns, "left_semi")
        return [pages.select(F.explode("open_keys").alias("key"))]


def _as_known(names: DataFrame, listing: int, asked: int = 0, answered: int = 0, left_out: int = 0) -> DataFrame:
    """(listing, key, asked, answered, left_out): walks that are to ask for a key, answer it, or not ask, a bit each."""
    bits = {"asked": asked, "answered": answered, "left_out": left_out}
    return names.select(
        F.lit(listing).alias("listing"), "key", *[F.lit(of).cast("bigint").alias(name) for name, of in bits.items()]
    )
