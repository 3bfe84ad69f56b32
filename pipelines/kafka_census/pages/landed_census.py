"""The landed pages of a census, and what is missing from them.

Staging, judging and the audit table `calls` all start from the headers of the same pages. A job
that runs more than one of these steps reads the headers once and passes the `LandedCensus` on.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import SparkSession

from kafka_census.declarations.levels import walks_for
from kafka_census.declarations.table import Table
from kafka_census.declarations.walk import Walk
from kafka_census.lake.lake import Lake
from kafka_census.pages.census_pages import CensusPages
from kafka_census.pages.header import Header
from kafka_census.pages.missing_read import MissingRead
from kafka_census.pages.read import LandedPages


@dataclass(frozen=True)
class LandedCensus:
    """The landed pages of one census, and what is missing from them.

    pages    the census in its lake, for steps that need items
    walks    the walks that its tables need
    headers  every landed row of these walks, all tries, without items
    missing_reads  what is missing, broken or refused in these walks
    """

    pages: CensusPages
    walks: tuple[Walk, ...]
    headers: list[Header]
    missing_reads: list[MissingRead]
    _found: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, what: str, find: Callable[[], Any]) -> Any:
        """The result of `find`, called on the first request for `what`; all steps of a job share the result."""
        if what not in self._found:
            self._found[what] = find()
        return self._found[what]

    @property
    def items(self) -> int:
        """The number of landed items."""
        return self.pages.landed.items

    @property
    def is_one_task(self) -> bool:
        """Whether the items are so few that one task computes each query."""
        return self.pages.landed.is_one_task

    @property
    def stays_in_memory(self) -> bool:
        """Whether pages and rows are kept between the steps of a job."""
        return self.pages.landed.stays_in_memory

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
    walks = walks_for(tables)
    census = CensusPages(spark, lake, census_id, pages or read_pages(spark, lake, census_id))
    return LandedCensus(census, walks, census.headers_of(walks), census.missing_reads(walks, at_once))


def read_pages(spark: SparkSession, lake: Lake, census_id: str) -> LandedPages:
    """The landed pages of a census; unless it is large, they stay in memory. Raises CorruptLake."""
    found = LandedPages.read(spark, lake, census_id)
    return found.computed_once() if found.stays_in_memory else found
