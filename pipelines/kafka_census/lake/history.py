"""The two audit tables that record runs and publications, and the check that neither is lost.

A missing table counts as empty in a new lake only. Where other tables show that it was written (its
`_delta_log` was deleted, a copy was restored in part), reading it as empty would publish, hide or delete the wrong
census: that raises CorruptLake.
"""

from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafka_census.declarations.audit import CENSUS_AUDIT_TABLES, CENSUS_RUNS, PUBLICATIONS
from kafka_census.declarations.table import Table
from kafka_census.errors import CorruptLake
from kafka_census.lake import promised, store
from kafka_census.lake.lake import Lake
from kafka_census.tables.all_tables import TABLES

_PUBLISHED, _RETIRED = "published", "retired"

Find = Callable[[SparkSession, Lake, Table], DataFrame | None]
"""`store.find`, or `store.readable`, which also reads a table of an older release."""

_RESTORE = (
    "restore that folder (or table) from a copy of the lake; until then nothing is surveyed, published or maintained"
)


def publications(spark: SparkSession, lake: Lake, find: Find = store.find) -> DataFrame | None:
    """The audit table `publications`, None where nothing was ever published. Raises CorruptLake if it is lost."""
    published = find(spark, lake, PUBLICATIONS)
    if published is None:
        runs = find(spark, lake, CENSUS_RUNS)
        if runs is None:
            return None
        first = runs.where(F.col("event") == "published").select("census_id").first()
        if first is not None:
            raise CorruptLake(
                f"{lake.name_of(PUBLICATIONS)} is lost: it is not there, and {lake.name_of(CENSUS_RUNS)} says that "
                f"censuses were published, such as {first.census_id!r}; {_RESTORE}"
            )
    return published


def require_whole(spark: SparkSession, lake: Lake) -> None:
    """Raises CorruptLake where `publications` lacks a census that was published and never retired, by `census_runs`.

    A census is noted after it is published and before it is hidden, so that a look between the two finds one lost that
    is not: what is lost is lost in a second look, too.
    """
    lost = _lost(spark, lake)
    if lost and (lost := lost & _lost(spark, lake)):
        raise CorruptLake(promised.lost_publications(lake.name_of(PUBLICATIONS), lost))


def _lost(spark: SparkSession, lake: Lake) -> set[str]:
    runs, published = store.readable(spark, lake, CENSUS_RUNS), store.readable(spark, lake, PUBLICATIONS)
    if runs is None or published is None:
        return set()  # `publications` and `census_runs` above say whether that is a new lake
    noted = runs.groupBy("census_id").agg(
        *(F.bool_or(F.col("event") == event).alias(event) for event in (_PUBLISHED, _RETIRED))
    )
    missed = noted.where(f"{_PUBLISHED} AND NOT {_RETIRED}").join(published, "census_id", "left_anti")
    return {row["census_id"] for row in missed.select("census_id").collect()}


def census_runs(spark: SparkSession, lake: Lake, find: Find = store.find) -> DataFrame | None:
    """The audit table `census_runs`, None where no census was ever started. Raises CorruptLake if it is lost."""
    runs = find(spark, lake, CENSUS_RUNS)
    if runs is None:
        # A census is noted as started before any other table is written.
        for table in (*CENSUS_AUDIT_TABLES, *TABLES):
            if store.readable(spark, lake, table) is not None:
                raise CorruptLake(
                    f"{lake.name_of(CENSUS_RUNS)} is lost: it is not there, and {lake.name_of(table)} is; {_RESTORE}"
                )
    return runs
