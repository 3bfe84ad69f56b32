"""The landed pages of one census, and what is staged of it: what the gate judges and transforms explode."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from kafka_census.quality.memory import in_memory
from kafka_census.quality.page_chain import Defect, Header, Keys, Walk, defects, latest
from kafka_census.tables import store
from kafka_census.tables.books import ROUTES
from kafka_census.tables.lake import Lake
from kafka_census.tables.landed import Landed, joined
from kafka_census.tables.pages import PAGE
from kafka_census.tables.rows import local_frame
from kafka_census.tables.table import Table
from kafka_census.transforms.items import items

_FAILED = StructType([field for field in PAGE.fields if field.name in ("chain_id", "page_no", "try_no")])
_HEADER = [field.name for field in fields(Header)]


@dataclass(frozen=True)
class CensusPages:
    """One census in one lake. Every method raises CorruptLake where a table is missing or damaged."""

    spark: SparkSession
    lake: Lake
    census_id: str
    _kept: dict[str, DataFrame] = field(default_factory=dict, compare=False, repr=False)

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
        with ExitStack() as until_the_end:
            self._kept.update({rpc: until_the_end.enter_context(in_memory(self.pages(rpc))) for rpc in rpcs})
            try:
                yield
            finally:
                self._kept.clear()

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

    def staged(self, table: Table) -> DataFrame:
        """The staged rows of a table."""
        return store.read(self.spark, self.lake, store.staged(table)).where(F.col("census_id") == self.census_id)

    def headers(self, walks: tuple[Landed, ...]) -> list[Header]:
        """What is landed of these walks, without items; one query over all RPCs."""
        rows = self._all_pages(walks).select(*_HEADER).collect()
        return [Header(**row.asDict()) for row in rows]

    def defects(self, walks: tuple[Landed, ...], headers: list[Header]) -> list[Defect]:
        """What is wrong with these walks, from their headers, the routes and the keys."""
        routes = store.read(self.spark, self.lake, ROUTES).where(F.col("census_id") == self.census_id)
        owing = [tuple(row) for row in routes.select("rpc", "scope", "node_id").distinct().collect()]
        return defects(headers, owing, self.keys(walks, headers), walks)

    def keys(self, walks: tuple[Landed, ...], headers: list[Header]) -> dict[Walk, Keys]:
        """How many keys each keyed walk was to ask for, and how many nothing answers.

        One pass over listings and answers, without a join: each key gathers the walks that know it.
        """
        keyed = {f"{walk.rpc}/{walk.scope}": walk for walk in walks if walk.keys and walk.answered_by}
        if not keyed:
            return {}
        over = {header.walk for header in headers if header.page_no and header.starts}
        listings = {w.keys: [name for name, other in keyed.items() if other.keys == w.keys] for w in keyed.values()}
        known = [
            *(self._known(str(k), (k.rpc, k.scope), k.sql, names, over) for k, names in listings.items() if k),
            *(
                self._known(str(w.keys), (w.rpc, w.scope), joined(w.answered_by), name, over)
                for name, w in keyed.items()
            ),
            *self._held_open(keyed, headers),
        ]
        by_key = (
            reduce(DataFrame.unionByName, known)
            .groupBy("listing", "key")
            .agg(F.max("asked_by").alias("asked_by"), F.collect_set("answered_in").alias("answered_in"))
            .select("key", "answered_in", F.explode("asked_by").alias("walk"))
        )
        lost = F.when(~F.array_contains("answered_in", F.col("walk")), F.col("key"))
        counted = by_key.groupBy("walk").agg(
            F.count("*").alias("listed"),
            F.count(lost).alias("lost"),
            F.slice(F.array_sort(F.collect_set(lost)), 1, 3).alias("examples"),
        )
        found = {row["walk"]: Keys(row["listed"], row["lost"], tuple(row["examples"])) for row in counted.collect()}
        return {(walk.rpc, walk.scope): found[name] for name, walk in keyed.items() if name in found}

    def _all_pages(self, walks: tuple[Landed, ...]) -> DataFrame:
        """The pages of these walks, without items."""
        frames = []
        for rpc in dict.fromkeys(walk.rpc for walk in walks):
            scopes = [walk.scope for walk in walks if walk.rpc == rpc]
            frames.append(self.pages(rpc).where(F.col("scope").isin(*scopes)).drop("items"))
        return reduce(DataFrame.unionByName, frames)

    def _known(self, listing: str, walk: Walk, column: str, walks: str | list[str], over: set[Walk]) -> DataFrame:
        """Keys that a walk names: listed, to be asked for by some walks, or answered in one of them.

        Of walks in which a chain started `over`, what it had before does not count.
        """
        items = self.items(*walk) if walk in over else self.listed(*walk)
        names = items.select(F.expr(column).alias("key")).where("key IS NOT NULL")
        return _as_known(names, listing, walks)

    def _held_open(self, keyed: dict[str, Landed], headers: list[Header]) -> list[DataFrame]:
        """Keys that a failed page kept from being answered: the page is the defect, they are not lost."""
        chains = latest(headers)
        frames = []
        for name, walk in keyed.items():
            failed = [
                (page.chain_id, page.page_no, page.try_no)
                for (of, _), pages in chains.items()
                for page in pages
                if page.failed and of == (walk.rpc, walk.scope)
            ]
            if failed:
                these = local_frame(self.spark, failed, _FAILED)
                pages = self.pages(walk.rpc).where(F.col("scope") == walk.scope)
                pages = pages.join(F.broadcast(these), these.columns, "left_semi")
                frames.append(_as_known(pages.select(F.explode("open_keys").alias("key")), str(walk.keys), name))
        return frames


def _as_known(names: DataFrame, listing: str, walks: str | list[str]) -> DataFrame:
    """(listing, key, asked_by, answered_in); `walks` is a list for the listing itself, a name for an answer."""
    nothing = F.lit(None)
    asked_by = F.array(*[F.lit(walk) for walk in walks]) if isinstance(walks, list) else nothing.cast("array<string>")
    answered_in = nothing.cast("string") if isinstance(walks, list) else F.lit(walks)
    return names.select(
        F.lit(listing).alias("listing"), "key", asked_by.alias("asked_by"), answered_in.alias("answered_in")
    )
