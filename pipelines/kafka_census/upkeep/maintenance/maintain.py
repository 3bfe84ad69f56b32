"""Execute a plan, then comment, optimize and vacuum the tables: the only module that deletes rows for good.

Each step is one commit to one table, and a crash may follow any step: a step that `census_runs` records
but that was not carried out is in the next plan, and a finished step is not. The order of steps
makes that safe. A census is first recorded as retired, then hidden from all tables by
one commit, and a later plan deletes its rows, when no reader can use them any more.
"""

from collections.abc import Callable, Collection, Sequence

from pyspark.sql import SparkSession

from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.declarations.census import Census
from kafka_census.declarations.table import Table
from kafka_census.lake.ddl import quoted
from kafka_census.lake.lake import Lake
from kafka_census.lake.store import commit
from kafka_census.spark.settings import set_within
from kafka_census.terminal.progress import Progress, timed
from kafka_census.upkeep.maintenance.plan import Plan

Note = Callable[[Sequence[Census], str], None]
"""Records one event of several censuses in the audit table `census_runs`, in one commit."""

LISTED_IN_FEW_TASKS = {"spark.sql.sources.parallelPartitionDiscovery.parallelism": "16"}
"""VACUUM lists folders in as many tasks as this setting says; the default of 10,000 takes half a minute per table."""


def execute(spark: SparkSession, lake: Lake, plan: Plan, note: Note, progress: Progress) -> None:
    """Carry out the plan; the caller holds the locks of the plan's clusters."""
    if plan.retire:
        retired = [one.census for one in plan.retire]
        note(retired, "retired")
        _delete(spark, lake, PUBLICATIONS, [census.census_id for census in retired], progress)
    if plan.clear:
        note([one.census for one in plan.clear], "cleared")
    for share in plan.shares:
        _delete(spark, lake, share.table, share.census_ids, progress)


def tend(spark: SparkSession, lake: Lake, tables: Collection[Table], progress: Progress) -> None:
    """Comment tables, compact their small files, and delete files that no reader can need any more.

    Delta keeps such files for seven days.
    The landing table is not compacted: each of its files belongs to one census, and is deleted with it.
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
    """Set the declared comment of a table, where it has no comment or another one.

    On a path the first write creates a table, and cannot set the comment; a census should not need
    a second commit for it.
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
