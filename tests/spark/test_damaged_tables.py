"""A damaged or lost table read with Spark never looks like a table in which nothing is wrong: one line, exit code 1."""

import io
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import kafka_census
from harness.damage import DAMAGE, damageable, forget, remove, spoil, strip
from harness.small_lake import NOON, append, census_id
from kafka_census.alerts.notifications import open_since
from kafka_census.census.publish.promote import promote
from kafka_census.census.staging.stage import _read_of
from kafka_census.clock import Clock
from kafka_census.comparison.subjects import SUBJECTS
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, QUARANTINE, VERDICTS
from kafka_census.declarations.census import Census, started_at
from kafka_census.declarations.deletions import DELETIONS
from kafka_census.declarations.table import Table
from kafka_census.deletion.history import window
from kafka_census.deletion.plans import DeletionAudit
from kafka_census.deletion.rules import DeletionRules
from kafka_census.errors import CorruptLake
from kafka_census.errors.causes import explained
from kafka_census.errors.one_line import one_line
from kafka_census.lake import store
from kafka_census.lake.before import Before, published_before
from kafka_census.lake.lake import Lake
from kafka_census.lake.publications import last_published
from kafka_census.lake.rows import local_frame
from kafka_census.lake.runs import Runs
from kafka_census.lake.whole import require_rows
from kafka_census.reading.report.answer import Asked, answer
from kafka_census.reading.report.in_spark import InSpark
from kafka_census.tables.changes.columns import CHANGES
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.terminal.progress import NullProgress
from kafka_census.upkeep.maintenance.ledger import read_ledger
from spark.fake_lake import passing

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


def counted(spark: SparkSession, lake: Lake) -> None:
    """What every reader looks at before it reads."""
    require_rows(spark, lake, {QUOTAS: {census_id(5): 1}})


def report(spark: SparkSession, lake: Lake) -> None:
    answer(InSpark(spark, lake), Asked(), io.StringIO(), NOON)


@pytest.mark.parametrize("harm", HARM)
def test_no_reader_shows_less_than_was_published(spark: SparkSession, lake: Lake, harm: str) -> None:
    """All readers ask whether the rows are there: each is shown with one damage, rows or files that are lost."""
    read = {forget: report, remove: stages}.get(HARM[harm], counted)
    read(spark, lake)
    HARM[harm](Path(lake.path("published", QUOTAS.name)))
    with pytest.raises(Exception) as caught:  # noqa: PT011 - every error is explained below
        read(spark, lake)
    assert isinstance(explained(caught.value, str), CorruptLake), caught.value
    assert "\n" not in one_line(caught.value, str)


def test_every_table_that_changes_compare_is_looked_at() -> None:
    """Also those that not every census has: rows that are lost would appear."""
    before = {subject.table: Before(census_id(5), 1) for subject in SUBJECTS}
    assert {table.name for table in _read_of(before, (CHANGES,))} == set(before)


def test_the_views_of_a_damaged_table_raise_its_line(
    spark: SparkSession, lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where only rows are counted; those of other tables are read."""
    forget(Path(lake.path("published", QUOTAS.name)))
    strip(Path(lake.path("audit", "verdicts")))
    kafka_census.register(spark, str(lake.root))
    reported = capsys.readouterr().err.splitlines()
    assert len(reported) == 2
    lost = f"is damaged: of census {census_id(5)} it does not hold as many rows as"
    for shown, view, line in (
        ("count(*)", "current_quotas", lost),
        ("*", "current_quotas WHERE user = 'nobody'", "is damaged"),
        *(("count(*)", view, "is damaged") for view in ("history_quotas", "quotas_as_of(now())")),
        ("count(*)", "verdicts", "has files and no log"),
    ):
        with pytest.raises(PySparkException, match=line):
            spark.sql(f"SELECT {shown} FROM {view}").collect()
    assert spark.sql("SELECT * FROM calls").count() == 5


def test_damage_of_an_older_census_is_that_of_its_history(spark: SparkSession, lake: Lake) -> None:
    """Other censuses are shown, and no file of the lost one is looked for."""
    DeltaTable(lake.path("published", QUOTAS.name)).delete(f"census_id = '{census_id(2)}'")
    kafka_census.register(spark, str(lake.root))
    lost = f"TIMESTAMP '{NOON + timedelta(hours=2):%Y-%m-%d %H:%M}'"
    line = (
        f"delta.`{lake.root}/published/quotas` is damaged: of census {census_id(2)} it does not hold as many rows as "
        "audit/publications says, 1, but 0; restore its folder from a copy of the lake, or retire what is lost: "
        f"kafka-census maintain --cluster NAME --retire {census_id(2)} --apply"
    )
    for shown, statement in (
        ("count(*)", "history_quotas WHERE user = 'nobody'"),
        ("*", f"history_quotas WHERE census_id = '{census_id(2)}'"),
        ("count(*)", f"quotas_as_of({lost}) WHERE user IS NULL"),
    ):
        with pytest.raises(PySparkException) as caught:
            spark.sql(f"SELECT {shown} FROM {statement}").collect()
        assert line in str(caught.value), statement
    whole = {
        "current_quotas": 2,
        f"history_quotas WHERE census_id > '{census_id(2)}'": 3,
        f"quotas_as_of({lost} + INTERVAL 2 HOURS)": 2,
    }
    for statement, rows in whole.items():
        assert len(spark.sql(f"SELECT * FROM {statement}").collect()) == rows, statement


def test_publications_that_lost_a_commit_are_not_the_last_census_before(spark: SparkSession, lake: Lake) -> None:
    forget(Path(lake.path("audit", PUBLICATIONS.name)))
    for read in (
        last_published,
        lambda spark, lake: kafka_census.register(spark, str(lake.root)),
        lambda spark, lake: window(spark, lake, ("c",), RULES),
    ):
        with pytest.raises(CorruptLake, match=f"does not have census {census_id(5)} .of 1 such., which audit/census_r"):
            read(spark, lake)


def test_an_audit_table_without_its_log_is_not_a_new_one(spark: SparkSession, lake: Lake) -> None:
    """A limit of deletions would count from zero again, and a message would be sent twice."""
    for table in ("deletion_plans", "deletions", "alerts"):
        strip(Path(lake.path("audit", table)))
    audit = DeletionAudit(spark, lake, "x")
    for read in (lambda: audit.plan(("c",)), audit.spent, lambda: open_since(spark, lake, ("c",))):
        with pytest.raises(CorruptLake, match="has files and no log: its folder _delta_log is lost"):
            read()
    assert not Path(lake.path("audit", DELETIONS.name), "_delta_log").exists()


def lose_first_entry(table: Path) -> None:
    """Remove the entry of the log that has the columns."""
    (table / "_delta_log" / f"{0:020}.json").unlink()


@pytest.mark.parametrize("harm", [strip, lose_first_entry])
def test_nothing_is_written_over_a_table_that_lost_its_log(
    spark: SparkSession, lake: Lake, harm: Callable[[Path], None]
) -> None:
    """Neither appended to, nor replaced, nor created: each is one line, and the folder is left as it is."""
    writes: dict[Table, Callable[[DataFrame, Table], None]] = {
        QUARANTINE: lambda rows, table: store.append(rows, lake, table, "x"),
        VERDICTS: lambda rows, table: store.append(rows, lake, table, "x", may_repeat=False),
        DELETIONS: lambda _, table: store.create(spark, lake, table),
        QUOTAS: lambda rows, table: store.replace_census(rows, lake, table, census_id(5)),
    }
    for table, write in writes.items():
        if table is not QUOTAS:  # which has several entries
            append(Path(str(lake.root)), table, [])
        harm(folder := Path(lake.path(table.layer, table.name)))
        before = sorted(folder.rglob("*"))
        with pytest.raises(CorruptLake) as caught:
            write(local_frame(spark, [], table.schema), table)
        assert "\n" not in str(caught.value)
        assert table.name in str(caught.value)
        assert sorted(folder.rglob("*")) == before


READERS: dict[str, Callable[[SparkSession, Lake], object]] = {
    "publishing": lambda spark, lake: promote(spark, lake, ONE, passing(1, tables=(QUOTAS,)), NullProgress()),
    "the clock's check": last_published,
    "the previous census": lambda spark, lake: published_before(spark, lake, ONE),
    "the report": report,
    "the views": lambda spark, lake: kafka_census.register(spark, str(lake.root)),
    "maintenance": read_ledger,
}


def test_lost_publications_do_not_read_as_nothing_published(spark: SparkSession, lake: Lake, tmp_path: Path) -> None:
    """Every reader of publications ends in one line, and nothing is published over the lost table."""
    # Rows are written before the table is created, so that its absence is no damage before the first publication.
    staged = {"census_id": ONE.census_id, "cluster_id": ONE.cluster_id, "cluster": "c", "event": "staged", "at": NOON}
    append(tmp_path / "new", CENSUS_RUNS, [staged])
    assert last_published(spark, Lake(root=str(tmp_path / "new"))) == ()
    strip(publications := Path(lake.path("audit", "publications")))
    for who, read in READERS.items():
        with pytest.raises(CorruptLake) as caught:
            read(spark, lake)
        line = str(caught.value)
        assert f"publications` is lost: it is not there, and delta.`{lake.root}/audit/census_runs` says" in line, who
        assert any(f"such as '{census_id(number)}'; restore that folder" in line for number in range(1, 6))
        assert "\n" not in line
    assert not (publications / "_delta_log").exists()


def test_lost_runs_do_not_read_as_a_new_lake(spark: SparkSession, lake: Lake) -> None:
    """Its censuses would be neither resumed nor maintained, and another cluster could take their name."""
    strip(Path(lake.path("audit", "census_runs")))
    for read in (lambda: Runs(spark, lake, Clock()).of(["c"]), lambda: read_ledger(spark, lake)):
        with pytest.raises(CorruptLake, match=r"census_runs` is lost: it is not there, and .*/audit/routes` is; res"):
            read()
