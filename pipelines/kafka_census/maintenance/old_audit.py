"""Audit tables of an older release, in the layer `books/`: their rows move into `audit/`.

`census_runs` is moved last, so that every job reports an older release until all tables are moved.
"""

from collections.abc import Iterable
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from kafka_census.errors import CorruptLake
from kafka_census.lake import store
from kafka_census.lake.history import of_older_release
from kafka_census.lake.lake import OLD_AUDIT_LAYER, Lake
from kafka_census.maintenance import moved
from kafka_census.progress import Progress
from kafka_census.tables import AUDIT_TABLES
from kafka_census.tables.audit import CENSUS_RUNS, PUBLICATIONS
from kafka_census.tables.table import Table

_LAST = (PUBLICATIONS, CENSUS_RUNS)
_IN_ORDER = (*(table for table in AUDIT_TABLES if table not in _LAST), *_LAST)


def to_move(spark: SparkSession, lake: Lake) -> tuple[Table, ...]:
    """The audit tables that an older release wrote, in the order in which they move. Raises CorruptLake."""
    return tuple(table for table in _IN_ORDER if _is_to_move(spark, lake, table))


def require_none(spark: SparkSession, lake: Lake) -> None:
    """Raises CorruptLake where an audit table of an older release holds rows."""
    for table in to_move(spark, lake):
        raise CorruptLake(of_older_release(lake, table))


def clusters(spark: SparkSession, lake: Lake) -> list[str]:
    """The configured names of the clusters that an older release surveyed; none where all rows are moved."""
    old = _old(spark, lake, CENSUS_RUNS)
    return [] if old is None else [row["cluster"] for row in old.select("cluster").distinct().collect()]


def move(spark: SparkSession, lake: Lake, tables: Iterable[Table], progress: Progress) -> None:
    """Move the rows of each old table into the table of this release."""
    for table in tables:
        old = _old(spark, lake, table)
        if old is not None:
            moved.move(old, lake, (OLD_AUDIT_LAYER, table.name), table, table.schema, progress)


def _is_to_move(spark: SparkSession, lake: Lake, table: Table) -> bool:
    old = _old(spark, lake, table)
    return old is not None and (not old.isEmpty() or not store.exists(spark, lake, table))


def _old(spark: SparkSession, lake: Lake, table: Table) -> DataFrame | None:
    """The rows of the table in the older release's layer, with their own columns; None where it is missing."""
    return store.readable(spark, lake, replace(table, layer=OLD_AUDIT_LAYER))
