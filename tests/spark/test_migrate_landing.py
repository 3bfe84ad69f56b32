"""A lake with a landing table per RPC, as 0.2.0 wrote it until 59084ed: moved, and computed from."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from kafka_census.errors import Refused
from kafka_census.workflows import census as workflow
from spark.old_lake import OldLake, old_lake

CONF = """
tables: [group_coordinator_placement, under_min_isr_partitions, reassignment_backlog]
lake: {root: lake}
completeness: {unreachable_brokers: publish_incomplete, visibility: accept_unknown}
clusters: {test: {bootstrap_servers: ['127.0.0.1:9092']}}
"""


@pytest.fixture(scope="module")
def old(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OldLake]:
    """The lake of this file's tests, which take it from one state to the next, in their order."""
    with old_lake(spark, tmp_path_factory.mktemp("migrate-landing"), "0.2.0-59084ed.tar.xz", CONF) as lake:
        yield lake


def shown(old: OldLake) -> list[tuple[str, int]]:
    rows = old.views().table("history_under_min_isr_partitions").groupBy("census_id").count().collect()
    return sorted((row["census_id"], row["count"]) for row in rows)


def landed(old: OldLake) -> int:
    """The number of FindCoordinator pages in the common landing table."""
    return old.spark.table(old.lake.name("landing", "pages")).where("rpc = 'FindCoordinator'").count()


def test_pages_are_moved_and_tables_computed_from_them(old: OldLake) -> None:
    """After a dry run and the move, each page is there once, and the census that was only landed is computed.

    It stays unpublished, because it lacks RPCs that this release needs.
    """
    own = old.spark.table(old.lake.name("landing", "FindCoordinator"))
    pages = own.count()
    reported = old.migrated(apply=False)
    assert "into landing/pages: landed pages of " in reported
    assert max(map(len, reported.splitlines())) <= 80
    old.migrated(apply=True)
    assert old.migrated(apply=False) == "nothing in this lake is of an older release\n"
    assert (landed(old), own.count()) == (pages, 0)
    before = shown(old)
    workflow.run_transform(old.census)
    rows = old.spark.table(old.lake.name("published", "under_min_isr_partitions"))
    assert {row["count"] for row in rows.groupBy("census_id").count().collect()} == {before[0][1]}
    with pytest.raises(Refused, match="MISSING_CHAIN"):
        workflow.run_publish(old.census)
    assert shown(old) == before
