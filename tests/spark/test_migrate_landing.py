"""A lake with a landing table per RPC, as 0.2.0 wrote it until 59084ed: told, moved, and computed from."""

import io
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import kafka_census
from kafka_census.clock import Clock
from kafka_census.config import load
from kafka_census.errors import CorruptLake, Refused
from kafka_census.lake.runs import Runs
from kafka_census.log import Redactor
from kafka_census.progress import NullProgress
from kafka_census.workflows import census as workflow
from kafka_census.workflows import upkeep

ARCHIVE = Path(__file__).parents[1] / "lakes" / "0.2.0-59084ed.tar.xz"
CONF = """
tables: [group_coordinator_placement, under_min_isr_partitions, reassignment_backlog]
lake: {root: lake}
completeness: {unreachable_brokers: publish_incomplete, visibility: accept_unknown}
clusters: {test: {bootstrap_servers: ['127.0.0.1:9092']}}
"""


@pytest.fixture(scope="module")
def work(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[workflow.Work]:
    """The old lake, unpacked; the tests of this file take it from one state to the next, in their order."""
    folder = tmp_path_factory.mktemp("migrate-landing")
    with tarfile.open(ARCHIVE) as archive, pytest.MonkeyPatch.context() as patched:
        archive.extractall(folder, filter="data")
        patched.chdir(folder)
        (folder / "census.yaml").write_text(CONF, encoding="utf-8")
        config = load("census.yaml", {})
        runs = Runs(spark, config.lake, Clock())
        yield workflow.Work(spark, config, "test", None, runs, Clock(), NullProgress(), Redactor(), io.StringIO())


def migrated(work: workflow.Work, *, apply: bool) -> str:
    """What jobs/migrate.py prints."""
    out = io.StringIO()
    upkeep.run_migrate(replace(work, apply=apply, out=out))
    return out.getvalue()


def shown(work: workflow.Work) -> list[tuple[str, int]]:
    """Of each published census its partitions, as the views show them."""
    fresh = work.spark.newSession()
    kafka_census.register(fresh, str(work.config.lake.root))
    rows = fresh.table("history_under_min_isr_partitions").groupBy("census_id").count().collect()
    return sorted((row["census_id"], row["count"]) for row in rows)


def landed(work: workflow.Work) -> int:
    """How many pages of FindCoordinator the landing table of all has."""
    return work.spark.table(work.config.lake.name("landing", "pages")).where("rpc = 'FindCoordinator'").count()


def test_who_computes_is_told_to_migrate(work: workflow.Work) -> None:
    """In one line, before anything is changed; what is published stays visible meanwhile."""
    for job in (workflow.run_transform, upkeep.run_maintain):
        with pytest.raises(CorruptLake, match=r"pages are in landing/pages now; run jobs/migrate\.py$"):
            job(replace(work, apply=True))
    assert [count for _, count in shown(work)] == [shown(work)[0][1]]


def test_pages_are_moved_and_tables_computed_from_them(work: workflow.Work) -> None:
    """A dry run tells it; moved, each page is there once, and the census that was only landed is computed.

    It stays unpublished: it was not asked all that this release asks.
    """
    own = work.spark.table(work.config.lake.name("landing", "FindCoordinator"))
    pages, before = own.count(), shown(work)
    told = migrated(work, apply=False)
    assert "into landing/pages: landed pages of " in told
    assert max(map(len, told.splitlines())) <= 80
    migrated(work, apply=True)
    assert migrated(work, apply=False) == "no column is missing in this lake\n"
    assert (landed(work), own.count()) == (pages, 0)
    assert shown(work) == before
    workflow.run_transform(work)
    rows = work.spark.table(work.config.lake.name("published", "under_min_isr_partitions"))
    assert {row["count"] for row in rows.groupBy("census_id").count().collect()} == {before[0][1]}
    with pytest.raises(Refused, match="MISSING_CHAIN"):
        workflow.run_publish(work)
    assert shown(work) == before
