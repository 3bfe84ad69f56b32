"""Publishing makes a census visible in one commit, all tables or none, and keeps earlier publications.

A lake without maintenance stays fast to read: publishing compacts the files of `publications`. A lake is stored exactly
where its address says.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession

import kafka_census
from harness.few_tables import FEW_TABLES
from kafka_census.census.gate.causes import Cause
from kafka_census.census.gate.gate import Judgement, TableJudgement
from kafka_census.census.publish import promote as promoting
from kafka_census.census.publish.promote import promote
from kafka_census.census.staging.stage import compute
from kafka_census.clock import Clock
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS
from kafka_census.declarations.table import Table
from kafka_census.errors import Refused
from kafka_census.lake import store
from kafka_census.lake.before import published_before
from kafka_census.lake.lake import Lake
from kafka_census.lake.runs import Runs
from kafka_census.pages.landed_census import read_landed_census
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.terminal.progress import NullProgress
from spark.fake_lake import NOON, census, healthy, land, passing
from spark.landed_items import rows_of
from spark.planted_tables import stage, staged_row
from spark.report_lake import logged

FIRST, SECOND, THIRD = (census(number) for number in (1, 2, 3))


def judgement(*, refused: bool = False) -> Judgement:
    gone = MissingRead("DescribeLogDirs", 3, "BROKER_NOT_ALIVE", "broker 3 is not alive")
    tables = tuple(TableJudgement(table.name, False, (gone,), "proven", 1, 1, NOON, NOON) for table in FEW_TABLES)
    said = ("broker 3 did not answer", "second") if refused else ()
    causes = tuple(Cause(what, (), (REASSIGNMENT_BACKLOG.name,)) for what in said)
    return Judgement("refuse" if refused else "publish", tables, causes, ())


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake(root=str(tmp_path_factory.mktemp("publish") / "lake"))
    for table in FEW_TABLES:
        stage(made, table, FIRST, SECOND, THIRD)
    promote(spark, made, FIRST, judgement(), NullProgress())
    return made


def delta(lake: Lake, table: Table) -> DeltaTable:
    return DeltaTable(lake.path(table.layer, table.name))


def commits(lake: Lake) -> list[int]:
    """The number of commits of each table."""
    return [delta(lake, table).version() for table in (*FEW_TABLES, PUBLICATIONS)]


def test_refused_census_leaves_what_was_published(spark: SparkSession, lake: Lake) -> None:
    before = commits(lake)
    with pytest.raises(Refused) as refused:
        promote(spark, lake, SECOND, judgement(refused=True), NullProgress())
    assert str(refused.value) == "refused: broker 3 did not answer; lacking in reassignment_backlog (and 1 more)"
    assert refused.value.exit_code == 3
    assert commits(lake) == before
    rows = delta(lake, PUBLICATIONS).to_pyarrow_table().to_pylist()
    said = [
        (row["census_id"], row["is_complete"], row["visibility"], row["row_count"], row["warnings"]) for row in rows
    ]
    assert said == [(FIRST.census_id, False, "proven", 1, 1)] * len(FEW_TABLES)


def test_backlog_compares_with_the_census_published_before(spark: SparkSession, lake: Lake) -> None:
    """The third census is compared with the last published census of its cluster; staged ones do not count."""
    land(lake, {THIRD: healthy()})
    other = replace(THIRD, cluster_id="another-cluster")
    landed = read_landed_census(spark, lake, THIRD.census_id, (REASSIGNMENT_BACKLOG,))
    [row], [first] = (
        compute(spark, lake, REASSIGNMENT_BACKLOG, made, landed, published_before(spark, lake, made)).collect()
        for made in (THIRD, other)
    )
    assert row.previous_census_id == FIRST.census_id
    assert first.previous_census_id is None


MOST, PUBLISHED = 2, 4
"""Files of `publications` before they are put together, and censuses of a cluster."""
NAME = 'a`b``c it\'s "so" 50% a%20b#c?d grüße😀 a\\b;c {a}[b]* a:b,c=d'


def files(lake: Lake, table: Table) -> int:
    """The number of files of a table."""
    return sum(("add" in entry) - ("remove" in entry) for entry in logged(lake, table))


def contended(*_: object) -> None:
    raise RuntimeError("other writers came first\nagain and again")


def test_files_are_put_together_once_in_a_while_and_if_they_cannot_be_the_census_is_published(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does what stands in the address of a lake keep it from being there, and from being maintained."""
    monkeypatch.setattr(promoting, "MOST_FILES", MOST)
    lake = Lake(root=str(tmp_path / NAME))
    censuses = [census(number) for number in range(PUBLISHED)]
    # By Spark, because deltalake opens no such folder.
    store.append(rows_of(spark, QUOTAS, [staged_row(QUOTAS, one) for one in censuses]), lake, QUOTAS, "test")
    reported: list[tuple[str, Mapping[str, object]]] = []
    opened = []
    for number, one in enumerate(censuses):
        with monkeypatch.context() as patched:
            if number == MOST:
                patched.setattr(store, "commit", contended)
            promote(spark, lake, one, passing(1, tables=(QUOTAS,)), lambda event, **of: reported.append((event, of)))
        Runs(spark, lake, Clock()).note(one, "published")
        opened.append(files(lake, PUBLICATIONS))
    assert opened == [1, 2, 3, 1]
    error = {"table": "audit/publications", "error": "RuntimeError: other writers came first"}
    assert ("not_optimized", error) in reported
    operations = [entry["commitInfo"]["operation"][0] for entry in logged(lake, PUBLICATIONS) if "commitInfo" in entry]
    assert "".join(operations) == "WWWWO", "each write, and OPTIMIZE"
    assert files(lake, CENSUS_RUNS) <= MOST + 1 < PUBLISHED
    for statement in ("DELETE FROM {} WHERE table_name = 'another'", "OPTIMIZE {}", "VACUUM {}"):
        spark.sql(statement.format(lake.name_of(PUBLICATIONS)))
    kafka_census.register(spark, str(lake.root))
    shown = {
        view: [row.census_id for row in spark.sql(f"SELECT census_id FROM {view} ORDER BY 1").collect()]
        for view in ("current_quotas", "history_quotas", "quotas_as_of(TIMESTAMP '2099-01-01 00:00')")
    }
    last = [censuses[-1].census_id]
    assert list(shown.values()) == [last, [one.census_id for one in censuses], last]
    assert [each.name for each in tmp_path.iterdir()] == [NAME]
    assert Path(tmp_path, NAME, "audit", "publications", "_delta_log").is_dir()


def test_a_backtick_in_a_catalog_stays_a_part_of_its_name() -> None:
    lake = Lake(catalog="ma`in.cen`sus")
    assert lake.name("audit", "publications") == "`ma``in`.`cen``sus`.`audit_publications`"
