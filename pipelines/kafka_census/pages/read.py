"""Reading the landed pages of one census with Spark: headers, the pages of an RPC, the items of a walk."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.errors import CorruptLake
from kafka_census.pages.header import Header, PageKey
from kafka_census.pages.item_columns import internal_partitions, item_codes
from kafka_census.tables import store
from kafka_census.tables.lake import Lake
from kafka_census.tables.pages import PAGE, PAGES, items_column
from kafka_census.tables.rows import local_frame
from kafka_census.tables.shape import fields_named

_HEADER = [field.name for field in fields(Header)]
_FULL_KEY = fields_named(PAGE, "rpc", "scope", "chain_id", "page_no", "try_no")
_KEY = fields_named(PAGE, "chain_id", "page_no", "try_no")


@dataclass(frozen=True)
class LandedPages:
    """The landed pages of one census, all tries: `frame` has the columns of `landing/pages`."""

    spark: SparkSession
    frame: DataFrame
    superseded: frozenset[PageKey] = frozenset()

    def headers(self, condition: Column | None = None) -> list[Header]:
        """The headers of these pages, of those alone that meet a condition; one query."""
        rows = self.frame if condition is None else self.frame.where(condition)
        schema = self.frame.schema
        of_lists = {
            "item_codes": item_codes(schema),
            "internal": internal_partitions(schema),
            "open_key_count": F.size("open_keys"),
        }
        return [Header(**row.asDict()) for row in rows.withColumns(of_lists).select(*_HEADER).collect()]

    def of(self, rpc: str) -> DataFrame:
        """All pages of one RPC, all tries: the columns of `PAGE`, then `items`. Raises CorruptLake."""
        column = items_column(rpc)
        if column not in self.frame.columns:
            raise CorruptLake(f"landing/{PAGES} holds no landed pages of {rpc}: column {column} is missing")
        return self.frame.where(F.col("rpc") == rpc).select(*PAGE.names, F.col(column).alias("items"))

    def of_walk(self, rpc: str, scope: str) -> DataFrame:
        """The pages of one walk that count; columns as in `of`."""
        pages = self.of(rpc).where(F.col("scope") == scope)
        gone = sorted(key[2:] for key in self.superseded if key[:2] == (rpc, scope))
        if not gone:
            return pages
        return pages.join(F.broadcast(local_frame(self.spark, gone, _KEY)), _KEY.names, "left_anti")

    def those(self, headers: Sequence[Header]) -> DataFrame:
        """The rows of the first parts of these pages."""
        keys = [header.key for header in headers]
        these = F.broadcast(local_frame(self.spark, keys, _FULL_KEY))
        return self.frame.where("part_no = 0").join(these, _FULL_KEY.names, "left_semi")


def landed_pages(spark: SparkSession, lake: Lake, census_id: str) -> LandedPages:
    """The pages of a census. Raises CorruptLake where nothing was ever landed."""
    frame = store.landed_pages(spark, lake).where(F.col("census_id") == census_id)
    return LandedPages(spark, frame)
