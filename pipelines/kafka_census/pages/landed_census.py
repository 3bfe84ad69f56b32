"""One census in its lake: landed pages, what is missing from them, and staged rows, which transforms and the gate read.

Staging, judging and the audit table `calls` all start from the headers of the same pages. A job
that runs more than one of these steps reads the headers once and passes the `LandedCensus` on.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.levels import walks_for
from kafka_census.declarations.table import Table
from kafka_census.declarations.walk import Walk
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.memory import computed_once
from kafka_census.pages.header import Header
from kafka_census.pages.missing_read import MissingRead
from kafka_census.pages.missing_reads import missing_reads
from kafka_census.pages.read import LandedPages


@dataclass(frozen=True)
class LandedCensus:
    """The landed pages of one census, what is missing from them, and its staged rows.

    pages    all landed pages
    walks    the walks that its tables need
    headers  every landed row of these walks, all tries, without items
    missing_reads  what is missing, broken or refused in these walks
    """

    lake: Lake
    census_id: str
    pages: LandedPages
    walks: tuple[Walk, ...]
    headers: list[Header]
    missing_reads: list[MissingRead]
    _staged: dict[str, DataFrame] = field(default_factory=dict, compare=False, repr=False)
    _found: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def listed(self, rpc: str, scope: str) -> DataFrame:
        """The items of one walk, as `pages` lists them."""
        return self.pages.listed(rpc, scope)

    def staged(self, table: Table) -> DataFrame:
        """The census' rows of a table, with its declared columns; readers see them once the census is published."""
        kept = self._staged.get(table.name)
        return kept or store.read(self.pages.spark, self.lake, table).where(F.col("census_id") == self.census_id)

    def keep_staged(self, table: Table, rows: DataFrame) -> None:
        """Use these rows as the rows of the table from now on."""
        self._staged[table.name] = rows

    def staged_once(self, table: Table) -> DataFrame:
        """The rows of a table as `staged` gives them, in one partition; they are kept after their first read."""
        if table.name not in self._staged:
            self.keep_staged(table, computed_once(self.staged(table)))
        return self._staged[table.name].coalesce(1)

    def once(self, what: str, find: Callable[[], Any]) -> Any:
        """The result of `find`, called on the first request for `what`; all steps of a job share the result."""
        if what not in self._found:
            self._found[what] = find()
        return self._found[what]

    @property
    def items(self) -> int:
        """The number of landed items."""
        return self.pages.items

    @property
    def is_one_task(self) -> bool:
        """Whether the items are so few that one task computes each query."""
        return self.pages.is_one_task

    @property
    def stays_in_memory(self) -> bool:
        """Whether pages and rows are kept between the steps of a job."""
        return self.pages.stays_in_memory

    @property
    def is_judged_in_one_part(self) -> bool:
        """Whether one task reads all rows of a table when they are judged: to share them out takes longer."""
        return self.is_one_task or self.stays_in_memory


def read_landed_census(
    spark: SparkSession,
    lake: Lake,
    census_id: str,
    tables: tuple[Table, ...],
    pages: LandedPages | None = None,
    at_once: int = 1,
) -> LandedCensus:
    """The landed pages that these tables need; unless the census is large, they are read once, for all steps of a job.

    pages    the pages, if the job has read or landed them already; None: they are read
    at_once  the number of queries that run at the same time

    Raises CorruptLake where a landing table is missing or damaged.
    """
    found, walks = pages or read_pages(spark, lake, census_id), walks_for(tables)
    wanted = {walk.name for walk in walks}
    headers = [header for header in found.headers if header.walk in wanted]
    missing = missing_reads(lake, census_id, found, walks, headers, at_once)
    return LandedCensus(lake, census_id, found, walks, headers, missing)


def read_pages(spark: SparkSession, lake: Lake, census_id: str) -> LandedPages:
    """The landed pages of a census; unless it is large, they stay in memory. Raises CorruptLake."""
    found = LandedPages.read(spark, lake, census_id)
    return found.computed_once() if found.stays_in_memory else found
