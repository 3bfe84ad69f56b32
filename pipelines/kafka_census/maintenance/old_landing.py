"""Landed pages of an older release, which had one landing table per RPC: they move into `landing/pages`."""

from collections.abc import Iterable

from pyspark.sql import SparkSession

from kafka_census.errors import CorruptLake
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.shape import fields_named
from kafka_census.maintenance import moved
from kafka_census.progress import Progress
from kafka_census.tables.pages import PAGE, items_column
from kafka_census.tables.table import Table


def with_pages(spark: SparkSession, lake: Lake, rpcs: Iterable[str]) -> tuple[str, ...]:
    """The RPCs whose landing tables of an older release hold pages. Raises CorruptLake where one is damaged."""
    found = {rpc: store.found(spark, lake, "landing", rpc) for rpc in rpcs}
    return tuple(rpc for rpc, pages in found.items() if pages is not None and not pages.isEmpty())


def require_none(spark: SparkSession, lake: Lake, rpcs: Iterable[str]) -> None:
    """Raises CorruptLake where an older release's landing table holds pages."""
    for rpc in with_pages(spark, lake, rpcs):
        raise CorruptLake(
            f"{lake.name('landing', rpc)} was written by an older release: pages are in landing/pages now; "
            "run kafka-census migrate"
        )


def move(spark: SparkSession, lake: Lake, rpc: str, landed: Table, progress: Progress) -> None:
    """Move the pages of an RPC into `landed`, the table of all pages."""
    pages = store.found(spark, lake, "landing", rpc)
    if pages is not None:
        column = items_column(rpc)
        columns = fields_named(landed.schema, *PAGE.names, column)
        store.create(spark, lake, landed)
        moved.move(pages.withColumnRenamed("items", column), lake, ("landing", rpc), landed, columns, progress)
