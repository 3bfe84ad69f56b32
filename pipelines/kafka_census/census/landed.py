"""What all steps of a census work on: its landed pages, and its tables."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from kafka_census.census.work import Work
from kafka_census.declarations.census import Census
from kafka_census.declarations.table import Table
from kafka_census.errors import CorruptLake
from kafka_census.spark.query_settings import fit, lacks_second_compiler, one_task
from kafka_census.tables.all_tables import tables_named
from kafka_census.terminal.progress import timed

if TYPE_CHECKING:
    from kafka_census.pages.landed_census import LandedCensus
    from kafka_census.pages.read import LandedPages

_SECOND_COMPILER = "--spark-conf spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=4 saves CPU time (docs/command.md)"


@contextmanager
def landed_census(work: Work, census: Census, pages: "LandedPages | None" = None) -> Iterator["LandedCensus"]:
    """The landed pages, read once for all steps of a block; the session is configured for their number of items."""
    from kafka_census.pages.landed_census import read_landed_census, read_pages

    lake, census_id = work.config.lake, census.census_id
    try:
        with timed(work.progress, "read_landed") as done:
            found = pages or read_pages(work.spark, lake, census_id)
            fit(work.spark, found.items)
            if lacks_second_compiler(work.spark, found.items):
                work.progress("second_compiler_off", items=found.items, remedy=_SECOND_COMPILER)
            with one_task(work.spark) if found.is_one_task else nullcontext():
                landed = read_landed_census(
                    work.spark, lake, census_id, tables_of(census), found, work.config.tables_at_once
                )
            done.update(pages=len(landed.headers), items=landed.items, missing_reads=len(landed.missing_reads))
        yield landed
    except (AnalysisException, CorruptLake):
        # An older release landed fewer walks, and items with fewer fields: then that is the error to report.
        from kafka_census.upkeep.run import require_migrated

        require_migrated(work)
        raise


def tables_of(census: Census) -> tuple[Table, ...]:
    """The tables that a census computes."""
    return tables_named(census.tables)
