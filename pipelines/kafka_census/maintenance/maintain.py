"""Execute a plan, then comment, optimize and vacuum the tables: the only place where rows are deleted.

Each step is one commit to one table, and each may be the last: what `census_runs` says
before it was done is done the next time, and what is done leaves the plan. The order is
what makes that safe. A census is first said to be retired, then hidden from all tables by
one commit, and its rows go by a later plan, when no reader can hold on to it any more.
"""

from collections.abc import Callable, Collection, Sequence

from pyspark.sql import SparkSession

from kafka_census.census import Census
from kafka_census.lake.ddl import quoted
from kafka_census.lake.lake import Lake
from kafka_census.lake.store import commit
from kafka_census.maintenance.plan import Plan
from kafka_census.progress import Progress, timed
from kafka_census.spark_settings import set_within
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.table import Table

Note = Callable[[Sequence[Census], str], None]
"""Notes one event of several censuses in the audit table `census_runs`, in one commit."""

LISTED_IN_FEW_TASKS = {"spark.sql.sources.parallelPartitionDiscovery.parallelism": "16"}
"""VACUUM lists folders in as many tasks as this setting says, 10,000 by default: half a minute a table."""


def execute(spark: SparkSession, lake: Lake, plan: Plan, note: Note, progress: Progress) -> None:
    """Do what the plan says; who calls it holds the locks of the plan's clusters."""
    if plan.retire:
        retired = [one.census for one in plan.retire]
        note(retired, "retired")
        _delete(spark, lake, PUBLICATIONS, [census.census_id for census in retired], progress)
    if plan.clear:
        note([one.census for one in plan.clear], "cleared")
    for share in plan.shares:
        _delete(spark, lake, share.table, share.census_ids, progress)


def tend(spark: SparkSession, lake: Lake, tables: Collection[Table], progress: Progress) -> None:
    """Comment tables, put their small files together, and delete files that no reader can need.

    Delta keeps those seven days.
    Landed tables are not put together: a file there is of one census, and goes with it.
    """
    with set_within(spark, LISTED_IN_FEW_TASKS):
        for table in tables:
            name = lake.name_of(table)
            _comment(spark, lake, table, progress)
            if table.layer in ("audit", "published"):
                with timed(progress, "optimized", table=table.folder):
                    commit(spark, lake, table, f"OPTIMIZE {name}")
            with timed(progress, "vacuumed", table=table.folder):
                commit(spark, lake, table, f"VACUUM {name}")


def _comment(spark: SparkSession, lake: Lake, table: Table, progress: Progress) -> None:
    """Give the table its declared comment, where it has none or another one.

    On a path its first write makes a table, and has no place for the comment; a census is not to pay for a commit
    more.
    """
    name = lake.name_of(table)
    [detail] = spark.sql(f"DESCRIBE DETAIL {name}").select("description").collect()
    if detail["description"] != table.comment:
        with timed(progress, "commented", table=table.folder):
            commit(spark, lake, table, f"COMMENT ON TABLE {name} IS {quoted(table.comment)}")


def _delete(spark: SparkSession, lake: Lake, table: Table, census_ids: Sequence[str], progress: Progress) -> None:
    ids = ", ".join(map(quoted, census_ids))
    with timed(progress, "deleted", table=table.folder, censuses=len(census_ids)):
        commit(spark, lake, table, f"DELETE FROM {lake.name_of(table)} WHERE census_id IN ({ids})")
