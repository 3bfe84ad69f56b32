"""The two books that say what was done and what is published, and the proof that neither is lost.

A book that is not there is an empty answer in a new lake only. Where other tables show that it
was written (its `_delta_log` was deleted, a copy was restored in part), reading it as empty would
publish, hide or delete the wrong census: that is a CorruptLake.
"""

from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.errors import CorruptLake
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.tables import TABLES
from kafka_census.tables.books import CENSUS_BOOKS, CENSUS_RUNS, PUBLICATIONS
from kafka_census.tables.table import Table

Find = Callable[[SparkSession, Lake, Table], DataFrame | None]
"""`store.find`, or `store.readable` where a table of an older release is read as well."""

_RESTORE = (
    "restore that folder (or table) from a copy of the lake; until then nothing is surveyed, published or maintained"
)


def publications(spark: SparkSession, lake: Lake, find: Find = store.find) -> DataFrame | None:
    """The book `publications`, None where nothing was ever published. Raises CorruptLake where it is lost."""
    book = find(spark, lake, PUBLICATIONS)
    if book is None:
        runs = find(spark, lake, CENSUS_RUNS)
        first = None if runs is None else runs.where(F.col("event") == "published").select("census_id").first()
        if first is not None:
            raise CorruptLake(
                f"{_name(lake, PUBLICATIONS)} is lost: it is not there, and {_name(lake, CENSUS_RUNS)} says that "
                f"censuses were published, such as {first.census_id!r}; {_RESTORE}"
            )
    return book


def census_runs(spark: SparkSession, lake: Lake, find: Find = store.find) -> DataFrame | None:
    """The book `census_runs`, None where no census was ever started. Raises CorruptLake where it is lost."""
    book = find(spark, lake, CENSUS_RUNS)
    if book is None:
        # A census is noted as started before any other table is written.
        for table in (*CENSUS_BOOKS, *TABLES):
            if store.readable(spark, lake, table) is not None:
                raise CorruptLake(
                    f"{_name(lake, CENSUS_RUNS)} is lost: it is not there, and {_name(lake, table)} is; {_RESTORE}"
                )
    return book


def _name(lake: Lake, table: Table) -> str:
    return lake.name(table.place, table.name)
