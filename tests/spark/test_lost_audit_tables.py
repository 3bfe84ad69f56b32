"""A lost audit table is a corrupt lake: it does not count as an audit table that was never written."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import kafka_census
from kafka_census.census.publish.promote import promote
from kafka_census.clock import Clock
from kafka_census.errors import CorruptLake
from kafka_census.lake import store
from kafka_census.lake.before import published_before
from kafka_census.lake.lake import Lake
from kafka_census.lake.publications import last_published
from kafka_census.lake.rows import local_frame
from kafka_census.lake.runs import Runs
from kafka_census.reading.report import print_report
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.terminal.progress import NullProgress
from kafka_census.upkeep.maintenance.ledger import read_ledger
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


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """One census is published, and the next is staged."""
    made = Lake(root=str(tmp_path_factory.mktemp("lost") / "lake"))
    runs = Runs(spark, made, Clock())
    for one in (FIRST, NEXT):
        row = local_frame(spark, [staged_row(QUOTAS, one, one.cluster_id)], QUOTAS.schema)
        store.replace_census(row, made, QUOTAS, one.census_id)
        runs.note(one, "staged")
    # Rows are written before the table is created, so that its absence is no damage before the first publication.
    assert last_published(spark, made) == ()
    promote(spark, made, FIRST, passing(1, tables=(QUOTAS,)), NullProgress())
    assert [one.census_id for one in last_published(spark, made)] == [FIRST.census_id]
    runs.note(FIRST, "published")
    return made


@contextmanager
def lost(lake: Lake, table: str) -> Iterator[Path]:
    log = Path(lake.path("audit", table), "_delta_log")
    log.rename(log.with_name("lost"))
    yield log
    log.with_name("lost").rename(log)


def test_lost_publications_do_not_read_as_nothing_published(spark: SparkSession, lake: Lake) -> None:
    """Every reader of publications ends in one line, and nothing is published over the lost table."""
    with lost(lake, "publications") as log:
        for who, read in READERS.items():
            with pytest.raises(CorruptLake) as caught:
                read(spark, lake)
            line = str(caught.value)
            assert f"publications` is lost: it is not there, and delta.`{lake.root}/audit/census_runs` says" in line, (
                who
            )
            assert f"such as '{FIRST.census_id}'; restore that folder" in line
            assert "\n" not in line
        assert not log.exists()


def test_lost_runs_do_not_read_as_a_new_lake(spark: SparkSession, lake: Lake) -> None:
    """Its censuses would be neither resumed nor maintained, and another cluster could take their name."""
    with lost(lake, "census_runs"):
        for read in (lambda: Runs(spark, lake, Clock()).of(["test"]), lambda: read_ledger(spark, lake)):
            with pytest.raises(
                CorruptLake, match=r"census_runs` is lost: it is not there, and .*/publications` is; res"
            ):
                read()
