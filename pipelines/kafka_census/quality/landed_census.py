"""The landed pages of a census, and what is wrong with them.

Staging, judging and the book of calls all start from the headers of the same pages. A job
that takes more than one of these steps reads them once and hands the `LandedCensus` on.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import SparkSession

from kafka_census.lake.lake import Lake
from kafka_census.pages.header import Header
from kafka_census.pages.read import LandedPages
from kafka_census.quality.census_pages import CensusPages
from kafka_census.quality.page_chain import Defect
from kafka_census.tables.levels import walks_for
from kafka_census.tables.table import Table
from kafka_census.tables.walks import Walk


class Fit(Protocol):
    """Fits a session to a census (`kafka_census.spark.fit`)."""

    def __call__(self, spark: SparkSession, *, small: bool) -> None:
        """Whether it is a small one is known."""


OneTask = Callable[[SparkSession], AbstractContextManager[object]]
"""Fits a session to queries of one task each, until the end of a block (`kafka_census.spark.one_task`)."""


@dataclass(frozen=True)
class LandedCensus:
    """The landed pages of one census, and what is wrong with them.

    pages    the census in its lake, for who needs items
    walks    the walks that its tables need
    headers  every landed row of them, all tries, without items
    defects  what is missing, broken or refused among them
    """

    pages: CensusPages
    walks: tuple[Walk, ...]
    headers: list[Header]
    defects: list[Defect]

    @property
    def items(self) -> int:
        """How many items are landed."""
        return self.pages.landed.items

    @property
    def is_small(self) -> bool:
        """Whether its rows cost less than the planning of queries."""
        return self.pages.landed.is_small

    @property
    def is_one_task(self) -> bool:
        """Whether they are so few that one task computes each query."""
        return self.pages.landed.is_one_task


def read_landed_census(
    spark: SparkSession,
    lake: Lake,
    census_id: str,
    tables: tuple[Table, ...],
    fit: Fit | None = None,
    pages: LandedPages | None = None,
    one_task: OneTask = nullcontext,
) -> LandedCensus:
    """The landed pages that these tables need; those of a small census are read once, for all steps of a job.

    fit       is called as soon as it is known how many items there are, before any of them is read
    pages     the pages, where the same job has landed them; else they are read
    one_task  fits the session to queries of one task each, for a census of few items

    Raises CorruptLake where a landing table is missing or damaged.
    """
    walks = walks_for(tables)
    found = pages or LandedPages.read(spark, lake, census_id)
    if fit is not None:
        fit(spark, small=found.is_small)
    if pages is None and found.is_small:
        found = found.computed_once()
    census = CensusPages(spark, lake, census_id, found)
    with one_task(spark) if found.is_one_task else nullcontext():
        return LandedCensus(census, walks, census.headers_of(walks), census.defects(walks))
