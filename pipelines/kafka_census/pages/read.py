"""Read the landed pages of one census with Spark: headers, the pages of an RPC, the pages of a walk."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from kafka_census.declarations.pages import PAGE, PAGES, items_column
from kafka_census.errors import CorruptLake
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.memory import computed_once, keeps_rows
from kafka_census.lake.rows import local_frame
from kafka_census.pages.header import Header, PageKey, WalkName, superseded
from kafka_census.pages.item_columns import brokers, internal_partitions, item_codes, replica_ids
from kafka_census.pages.page_chain import Owing
from kafka_census.spark import size

_HEADER = [one.name for one in fields(Header)]
_KEY = StructType([PAGE[name] for name in ("rpc", "scope", "chain_id", "page_no", "try_no")])


@dataclass(frozen=True)
class Part:
    """Landed pages with the columns of `landing/pages`; `rpcs` are the RPCs of the pages, None for any."""

    frame: DataFrame
    rpcs: Collection[str] | None = None

    def headers(self, filled: StructType | None = None) -> list[Header]:
        """The headers of these pages; one query. `filled`: the columns that these pages fill, by default any."""
        schema = filled or self.frame.schema
        of_lists = {
            "item_codes": item_codes(schema),
            "internal": internal_partitions(schema),
            "brokers": brokers(schema),
            "replica_ids": replica_ids(schema),
            "open_key_count": F.size("open_keys"),
        }
        return [Header(**row.asDict()) for row in self.frame.withColumns(of_lists).select(*_HEADER).collect()]


@dataclass(frozen=True)
class LandedPages:
    """The landed pages of one census, all tries, and their headers. Raises CorruptLake for a missing column.

    owing  the chains that are owed, if the job has just written them to `audit/routes`; None: that table says it
    """

    spark: SparkSession
    parts: tuple[Part, ...]
    headers: Sequence[Header]
    owing: Sequence[Owing] | None = None
    _walks: dict[WalkName, DataFrame] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def read(cls, spark: SparkSession, lake: Lake, census_id: str) -> "LandedPages":
        """The pages of a census in its lake. Raises CorruptLake where nothing was ever landed there."""
        part = Part(store.landed_pages(spark, lake).where(F.col("census_id") == census_id))
        return cls(spark, (part,), part.headers())

    @cached_property
    def superseded(self) -> frozenset[PageKey]:
        """The answers that do not count."""
        return superseded(self.headers)

    @property
    def items(self) -> int:
        """The number of landed items."""
        return sum(header.item_count for header in self.headers)

    @property
    def is_one_task(self) -> bool:
        """Whether so few items are landed that one task computes each query, without shuffle or broadcast jobs."""
        return self.items < size.ONE_TASK

    @property
    def stays_in_memory(self) -> bool:
        """Whether pages and rows are kept between the steps of a job: few items are landed, and Spark can keep them."""
        return self.items < size.LARGE and keeps_rows(self.spark)

    def computed_once(self) -> "LandedPages":
        """The same pages, read from the lake once.

        Many tables read each page, and for each read Delta runs a query to look up the files of the table:
        unless the census is large, these queries are most of the work.
        """
        return replace(self, parts=tuple(replace(part, frame=computed_once(part.frame)) for part in self.parts))

    def of(self, rpc: str) -> DataFrame:
        """All pages of one RPC, all tries: the columns of `PAGE`, then `items`. Raises CorruptLake without `items`."""
        return self._with_items(self._with_pages_of([rpc]).where(F.col("rpc") == rpc), rpc)

    def items_column(self, rpc: str) -> str:
        """The column with the items of an RPC. Raises CorruptLake where the pages do not have it."""
        column = items_column(rpc)
        if column not in self.parts[0].frame.columns:
            raise CorruptLake(f"landing/{PAGES} holds no landed pages of {rpc}: column {column} is missing")
        return column

    def that_count(self, rpcs: Collection[str]) -> DataFrame:
        """The pages of these RPCs that count. Columns: those of `landing/pages`."""
        pages = self._with_pages_of(rpcs).where(F.col("rpc").isin(*sorted(rpcs)))
        gone = sorted(key for key in self.superseded if key[0] in rpcs)
        if not gone:
            return pages
        return pages.join(F.broadcast(local_frame(self.spark, gone, _KEY)), _KEY.names, "left_anti")

    def of_walk(self, rpc: str, scope: str) -> DataFrame:
        """The pages of one walk that count; columns as in `of`. The same frame each time: Spark analyzes it once.

        Where tasks run generated code, the frame is kept in memory on its own: each task that reads rows from memory
        first writes code for all their columns, and pages have a column for the items of every RPC.
        """
        if (rpc, scope) not in self._walks:
            walk = self._with_items(self.that_count([rpc]), rpc).where(F.col("scope") == scope)
            on_its_own = self.stays_in_memory and self.items >= size.SMALL
            self._walks[rpc, scope] = computed_once(walk) if on_its_own else walk
        return self._walks[rpc, scope]

    def items_of(self, rpc: str, scope: str) -> DataFrame:
        """The items of one walk, from the pages that count: one row per item; empty pages and refusals give none.

        Columns: the fields of the items, then `census_id`, `cluster_id`, `asked_node_id`, `received_at`, and
        `release_at_least` of the broker that was asked.
        """
        of_page = ("census_id", "cluster_id", "node_id AS asked_node_id", "received_at", "release_at_least")
        return self.of_walk(rpc, scope).selectExpr("inline(items)", *of_page)

    def listed(self, rpc: str, scope: str) -> DataFrame:
        """The items of one walk, from the pages that count: one column per field, and `asked_node_id`."""
        return self.of_walk(rpc, scope).selectExpr("inline(items)", "node_id AS asked_node_id")

    def those(self, headers: Sequence[Header]) -> DataFrame:
        """The rows of the first parts of these pages. Columns: those of `landing/pages`."""
        keys = [header.key for header in headers]
        these = F.broadcast(local_frame(self.spark, keys, _KEY))
        pages = self._with_pages_of({header.rpc for header in headers})
        return pages.where("part_no = 0").join(these, _KEY.names, "left_semi")

    def _with_items(self, pages: DataFrame, rpc: str) -> DataFrame:
        """These pages, all of one RPC: the columns of `PAGE`, then `items`."""
        others = ", ".join(name for name in self.parts[0].frame.columns if name not in PAGE.names)
        return pages.selectExpr(f"* EXCEPT ({others})", f"{self.items_column(rpc)} AS items")

    def _with_pages_of(self, rpcs: Collection[str]) -> DataFrame:
        """The rows of all parts that may hold pages of these RPCs."""
        frames = [part.frame for part in self.parts if part.rpcs is None or set(rpcs) & set(part.rpcs)]
        return reduce(DataFrame.unionByName, frames) if frames else self.parts[0].frame.where("false")
