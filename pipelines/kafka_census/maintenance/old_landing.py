"""Landed pages of an older release, which had a landing table per RPC: they move into `landing/pages`.

A table's pages are appended in one commit, then deleted from it: cut off in between, the append is repeated and
changes nothing. A table without rows has been moved, or never had any; its folder may be deleted by hand.
"""

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.errors import CorruptLake
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.shape import fields_named, nullable
from kafka_census.progress import Progress, timed
from kafka_census.tables.pages import PAGE, items_column
from kafka_census.tables.table import Table


def with_pages(spark: SparkSession, lake: Lake, rpcs: Iterable[str]) -> tuple[str, ...]:
    """The RPCs whose landing tables of an older release hold pages. Raises CorruptLake where one is damaged."""
    found = {rpc: _pages(spark, lake, rpc) for rpc in rpcs}
    return tuple(rpc for rpc, pages in found.items() if pages is not None and not pages.isEmpty())


def require_none(spark: SparkSession, lake: Lake, rpcs: Iterable[str]) -> None:
    """Raises CorruptLake where an older release's landing table holds pages."""
    for rpc in with_pages(spark, lake, rpcs):
        raise CorruptLake(
            f"{lake.name('landing', rpc)} was written by an older release: pages are in landing/pages now; "
            "run jobs/migrate.py"
        )


def move(spark: SparkSession, lake: Lake, rpc: str, landed: Table, progress: Progress) -> None:
    """Append the pages of an RPC to the table of all `landed` pages, and delete them from their own."""
    pages = _pages(spark, lake, rpc)
    if pages is None:
        return
    column = items_column(rpc)
    with timed(progress, "migrated", table=f"landing/{rpc}"):
        # Of tables that their first write made Delta does not know that lists hold no nulls.
        wanted = nullable(fields_named(landed.schema, *PAGE.names, column))
        store.create(spark, lake, landed)
        store.append(pages.withColumnRenamed("items", column).to(wanted), lake, landed, f"migrate/landing/{rpc}")
        own = Table(name=rpc, layer="landing", comment="", schema=pages.schema, key=())
        store.commit(spark, lake, own, f"DELETE FROM {lake.name('landing', rpc)}")


def _pages(spark: SparkSession, lake: Lake, rpc: str) -> DataFrame | None:
    """The pages of an RPC's own table: the columns of `PAGE`, null where an older release had none, then `items`."""
    found = store.found(spark, lake, "landing", rpc)
    if found is None:
        return None
    absent = [field for field in PAGE.fields if field.name not in found.columns]
    return found.select("*", *[F.lit(None).cast(field.dataType).alias(field.name) for field in absent])
