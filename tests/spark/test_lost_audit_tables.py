"""A lost audit table is a corrupt lake: it does not count as an audit table that was never written."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import kafka_census
from kafka_census.clock import Clock
from kafka_census.errors import CorruptLake
from kafka_census.lake import store
from kafka_census.lake.before import published_before
from kafka_census.lake.lake import Lake
from kafka_census.lake.publications import last_published
from kafka_census.lake.rows import local_frame
from kafka_census.lake.runs import Runs
from kafka_census.maintenance.ledger import read_ledger
from kafka_census.progress import NullProgress
from kafka_census.publish.promote import promote
from kafka_census.report import print_report
from kafka_census.tables.quotas import QUOTAS
from spark.fake_lake import census, passing
from spark.planted_tables import staged_row

FIRST, NEXT = census(1), census(2)

READERS: dict[str, Callable[[SparkSession, Lake], object]] = {
    "publishing": lambda spark, lake: promote(spark, lake, NEXT, passing(1, tables=(QUOTAS,)), NullProgress()),
    "the clock's check": last_published,
    "the previous census": lambda spark, lake: published_before(spark, lake, NEXT),
    "the report": lambda spark, lake: print_report(spark, lake, out=io.StringIO()),
    "the views": lambda spark, lake: kafka_census.register(spark, str(lake.root)),
    "maintenance": read_ledger,
}


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    made = Lake(root=str(tmp_path / "lake"))
    runs = Runs(spark, made, Clock())
    for one in (FIRST, NEXT):
        row = local_frame(spark, [staged_row(QUOTAS, one, one.cluster_id)], QUOTAS.schema)
        store.replace_census(row, made, QUOTAS, one.census_id)
        runs.note(one, "staged")
    promote(spark, made, FIRST, passing(1, tables=(QUOTAS,)), NullProgress())
    runs.note(FIRST, "published")
    return made


def lose(lake: Lake, table: str) -> None:
    log = Path(lake.path("audit", table), "_delta_log")
    log.rename(log.with_name("lost"))


def test_lost_publications_do_not_read_as_nothing_published(spark: SparkSession, lake: Lake) -> None:
    """Every reader of publications ends in one line, and nothing is published over the lost table."""
    lose(lake, "publications")
    for who, read in READERS.items():
        with pytest.raises(CorruptLake) as caught:
            read(spark, lake)
        line = str(caught.value)
        assert f"publications` is lost: it is not there, and delta.`{lake.root}/audit/census_runs` says" in line, who
        assert f"such as '{FIRST.census_id}'; restore that folder" in line
        assert "\n" not in line
    assert not Path(lake.path("audit", "publications"), "_delta_log").exists()


def test_lost_runs_do_not_read_as_a_new_lake(spark: SparkSession, lake: Lake) -> None:
    """Its censuses would be neither resumed nor maintained, and another cluster could take their name."""
    lose(lake, "census_runs")
    for read in (lambda: Runs(spark, lake, Clock()).of(["test"]), lambda: read_ledger(spark, lake)):
        with pytest.raises(CorruptLake, match=r"census_runs` is lost: it is not there, and .*/publications` is; res"):
            read()


def test_a_crash_before_the_first_publication_loses_nothing(spark: SparkSession, lake: Lake) -> None:
    """Rows are written before the table is created, so its absence is no damage."""
    other = Lake(root=f"{lake.root}-new")
    Runs(spark, other, Clock()).note(FIRST, "staged")
    rows = local_frame(spark, [staged_row(QUOTAS, FIRST, FIRST.cluster_id)], QUOTAS.schema)
    store.replace_census(rows, other, QUOTAS, FIRST.census_id)
    assert last_published(spark, other) == ()
    promote(spark, other, FIRST, passing(1, tables=(QUOTAS,)), NullProgress())
    assert [one.census_id for one in last_published(spark, other)] == [FIRST.census_id]
