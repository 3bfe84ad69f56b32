"""A lake with a landing table per RPC and its audit tables in the layer `books`, as 0.2.0 wrote it until 59084ed."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from kafka_census.errors import Refused
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.tables import AUDIT_TABLES
from kafka_census.tables.table import Table
from kafka_census.workflows import census as workflow
from spark.old_lake import OldLake, old_lake

CONF = """
tables: [group_coordinator_placement, under_min_isr_partitions, reassignment_backlog]
lake: {root: lake}
completeness: {unreachable_brokers: publish_incomplete, visibility: accept_unknown}
clusters: {test: {bootstrap_servers: ['127.0.0.1:9092']}}
"""
OLDER = r"was written by an older release: audit tables are in the layer audit now; run kafka-census migrate$"
MOVED = ("routes", "calls", "verdicts", "publications", "census_runs")


class Died(Exception):
    """The end of the process at this point."""


@pytest.fixture(scope="module")
def old(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OldLake]:
    """The lake of this file's tests, which take it from one state to the next, in their order."""
    with old_lake(spark, tmp_path_factory.mktemp("migrate-landing"), "0.2.0-59084ed.tar.xz", CONF) as lake:
        yield lake


def rows(old: OldLake, layer: str) -> dict[str, int]:
    """The number of rows of each audit table in a layer, if the table exists."""
    found = {table.name: store.found(old.spark, old.lake, layer, table.name) for table in AUDIT_TABLES}
    return {name: frame.count() for name, frame in found.items() if frame is not None}


def test_a_move_that_is_cut_off_anywhere_goes_on(old: OldLake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed before each deletion in turn: jobs report the older release until the end; no row is lost or repeated."""
    before, commit = rows(old, "books"), store.commit
    assert set(before) == set(MOVED)
    own = old.spark.table(old.lake.name("landing", "FindCoordinator"))
    pages = own.count()
    reported = old.migrated(apply=False)
    assert "into landing/pages: landed pages of " in reported
    assert max(map(len, reported.splitlines())) <= 80
    for name in MOVED:

        def dying(spark: SparkSession, lake: Lake, table: Table, statement: str, *, last: str = name) -> None:
            if (table.layer, table.name) == ("books", last):
                raise Died
            commit(spark, lake, table, statement)

        with monkeypatch.context() as patched:
            patched.setattr(store, "commit", dying)
            with pytest.raises(Died):
                old.migrated(apply=True)
        assert rows(old, "audit")[name] == rows(old, "books")[name] == before[name]
        if name == "publications":
            old.is_refused(OLDER)
    old.migrated(apply=True)
    assert rows(old, "audit") == before
    assert set(rows(old, "books").values()) == {0}
    landed = old.spark.table(old.lake.name("landing", "pages")).where("rpc = 'FindCoordinator'")
    assert (landed.count(), own.count()) == (pages, 0)
    assert old.migrated(apply=False) == "nothing in this lake is of an older release\n"


def test_a_census_that_was_only_landed_is_computed_from_the_pages_that_were_moved(old: OldLake) -> None:
    """It stays unpublished, because it lacks RPCs that this release needs."""

    def shown() -> list[tuple[str, int]]:
        rows = old.views().table("history_under_min_isr_partitions").groupBy("census_id").count().collect()
        return sorted((row["census_id"], row["count"]) for row in rows)

    before = shown()
    workflow.run_transform(old.census)
    computed = old.spark.table(old.lake.name("published", "under_min_isr_partitions"))
    assert {row["count"] for row in computed.groupBy("census_id").count().collect()} == {before[0][1]}
    with pytest.raises(Refused, match="MISSING_CHAIN"):
        workflow.run_publish(old.census)
    assert shown() == before
