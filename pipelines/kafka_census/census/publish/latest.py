"""Replace the tables `latest_<table>`, for engines that cannot read Spark's views (Trino, BI tools).

They hold a copy of what `current_<table>` shows: of one table and cluster in one commit. Tables are replaced one after
the other, so a reader of several may find them of different censuses for a moment, and a job that is killed between two
tables leaves them so until the next job: only the views promise that all tables are of one census. A census is
published whether or not this succeeds. A table that lost its last commit shows the census before, until the next one is
published: its readers can tell by `census_id`, which `publications` has.
"""

from collections.abc import Collection
from functools import partial

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.census.publish.conditions import current_condition
from kafka_census.declarations.latest import LATEST_TABLES
from kafka_census.declarations.table import Table
from kafka_census.errors.one_line import one_line
from kafka_census.lake import store
from kafka_census.lake.cluster_key import KEY
from kafka_census.lake.lake import Lake
from kafka_census.spark.side_by_side import side_by_side
from kafka_census.tables.all_tables import TABLES
from kafka_census.terminal.progress import Progress, timed


def replace_latest(
    spark: SparkSession, lake: Lake, cluster_id: str, names: Collection[str], at_once: int, progress: Progress
) -> None:
    """Make the latest tables of these names show what readers of the views see of one cluster.

    A failure is reported as `latest_not_replaced`, and the table is left unchanged: the next census replaces it.
    """
    pairs = [pair for pair in zip(TABLES, LATEST_TABLES, strict=True) if pair[0].name in names]
    work = {table.name: partial(_replace, spark, lake, cluster_id, table, latest, progress) for table, latest in pairs}
    side_by_side(spark, work, {}, at_once)


def _replace(spark: SparkSession, lake: Lake, cluster_id: str, table: Table, latest: Table, progress: Progress) -> None:
    try:
        with timed(progress, "latest_replaced", table=latest.name):
            current = store.read(spark, lake, table).where(current_condition(lake, table))
            rows = current.where(F.col(KEY) == cluster_id)
            store.replace_rows(rows, lake, latest, KEY, cluster_id)
    except Exception as error:  # noqa: BLE001 - reported; the census is published even if the copy fails
        progress("latest_not_replaced", table=latest.name, error=one_line(error, str))
