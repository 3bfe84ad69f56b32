"""A damaged table read with Spark never looks like a table in which nothing is wrong: one line, exit code 1."""

import io
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import kafka_census
from harness.damage import DAMAGE, damageable, forget, spoil, strip
from harness.small_lake import census_id
from kafka_census.alerts.notifications import open_since
from kafka_census.causes import explained
from kafka_census.census import Census, started_at
from kafka_census.deletion.history import window
from kafka_census.deletion.plans import DeletionAudit
from kafka_census.deletion.rules import DeletionRules
from kafka_census.errors import CorruptLake
from kafka_census.lake.before import published_before
from kafka_census.lake.lake import Lake
from kafka_census.lake.publications import last_published
from kafka_census.lake.whole import damaged, require_rows
from kafka_census.one_line import one_line
from kafka_census.report import print_report
from kafka_census.staging.stage import _read_of
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.changes import CHANGES
from kafka_census.tables.deletions import DELETIONS
from kafka_census.tables.quotas import QUOTAS

HARM = {harm: damage for harm, damage in DAMAGE.items() if damage is not spoil}
"""Without a damaged checkpoint: Spark reads such a table whole from the entries of its log, which are still there."""

RULES = DeletionRules(timedelta(days=2), 3, (), timedelta(hours=6), 10)
ONE = Census(census_id(6), "one", "c", started_at(census_id(6)), (QUOTAS.name,))
"""A census that follows those of the small lake."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return damageable(tmp_path_factory.mktemp("whole") / "lake")


@pytest.fixture
def lake(whole: Path, tmp_path: Path) -> Lake:
    return Lake(root=str(shutil.copytree(whole, tmp_path / "lake")))


def stages(spark: SparkSession, lake: Lake) -> None:
    """What staging looks at before `changes` are computed."""
    require_rows(spark, lake, _read_of(published_before(spark, lake, ONE), (CHANGES,)))


READERS: dict[str, Callable[[SparkSession, Lake], object]] = {
    "the report": lambda spark, lake: print_report(spark, lake, out=io.StringIO()),
    "the census before": stages,
}


@pytest.mark.parametrize("harm", HARM)
def test_no_reader_shows_less_than_was_published(spark: SparkSession, lake: Lake, harm: str) -> None:
    for read in READERS.values():
        read(spark, lake)
    HARM[harm](Path(lake.path("published", QUOTAS.name)))
    spark.catalog.clearCache()
    forget_logs(spark)
    for who, read in READERS.items():
        with pytest.raises(Exception) as caught:  # noqa: PT011 - every error is explained below
            read(spark, lake)
        known = explained(caught.value, str)
        assert isinstance(known, CorruptLake), (who, caught.value)
        assert "\n" not in one_line(caught.value, str)


def forget_logs(spark: SparkSession) -> None:
    spark.sparkContext._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # type: ignore[union-attr]


def test_the_views_of_a_damaged_table_raise_its_line(
    spark: SparkSession, lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where only rows are counted; those of other tables are read."""
    forget(Path(lake.path("published", QUOTAS.name)))
    strip(Path(lake.path("audit", "verdicts")))
    forget_logs(spark)
    kafka_census.register(spark, str(lake.root))
    reported = capsys.readouterr().err.splitlines()
    assert len(reported) == 2
    for view, line in (
        ("current_quotas", f"is damaged: of census {census_id(5)} it does not hold as many rows as"),
        ("history_quotas", "is damaged"),
        ("quotas_as_of(now())", "is damaged"),
        ("verdicts", "has files and no log"),
    ):
        for shown in ("*", "count(*)"):
            with pytest.raises(PySparkException) as caught:
                spark.sql(f"SELECT {shown} FROM {view}").collect()
            assert line in str(caught.value)
    assert spark.sql("SELECT * FROM calls").count() == 5


def test_publications_that_lost_a_commit_are_not_the_last_census_before(spark: SparkSession, lake: Lake) -> None:
    forget(Path(lake.path("audit", PUBLICATIONS.name)))
    forget_logs(spark)
    for read in (
        last_published,
        READERS["the report"],
        lambda spark, lake: kafka_census.register(spark, str(lake.root)),
        lambda spark, lake: window(spark, lake, ("c",), RULES),
    ):
        with pytest.raises(CorruptLake, match=f"does not have census {census_id(5)} .of 1 such., which audit/census_r"):
            read(spark, lake)


def test_an_audit_table_without_its_log_is_not_a_new_one(spark: SparkSession, lake: Lake) -> None:
    """A limit of deletions would count from zero again, and a message would be sent twice."""
    for table in ("deletion_plans", "deletions", "alerts"):
        strip(Path(lake.path("audit", table)))
    forget_logs(spark)
    audit = DeletionAudit(spark, lake, "x")
    for read in (lambda: audit.plan(("c",)), audit.spent, lambda: open_since(spark, lake, ("c",))):
        with pytest.raises(CorruptLake, match="has files and no log: its folder _delta_log is lost"):
            read()
    assert not Path(lake.path("audit", DELETIONS.name), "_delta_log").exists()


def test_lost_tables_are_told_from_damaged_ones_in_one_query(spark: SparkSession, lake: Lake) -> None:
    shutil.rmtree(lake.path("published", QUOTAS.name))
    forget_logs(spark)
    [line] = damaged(spark, lake, {QUOTAS: {census_id(5): 1}, CHANGES: {}}).values()
    assert line == (
        f"delta.`{lake.root}/published/quotas` is lost: it is not there, and audit/publications says that census "
        f"{census_id(5)} is in it; restore its folder from a copy of the lake"
    )
