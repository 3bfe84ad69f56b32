"""Publishing makes a census visible in one commit, all tables or none, and keeps earlier publications.

A lake without maintenance stays fast to read: publishing compacts the files of `publications`. A lake is stored exactly
where its address says.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

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
from kafka_census.lake.rows import local_frame
from kafka_census.lake.runs import Runs
from kafka_census.pages.landed_census import read_landed_census
from kafka_census.pages.missing_read import MissingRead
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG
from kafka_census.terminal.progress import NullProgress, Progress
from spark.fake_lake import NOON, FakeLake, census, healthy, passing
from spark.planted_tables import staged_row

FIRST, SECOND, THIRD = (census(number) for number in (1, 2, 3))


def judgement(*, refused: bool = False) -> Judgement:
    gone = MissingRead("DescribeLogDirs", 3, "BROKER_NOT_ALIVE", "broker 3 is not alive")
    tables = tuple(TableJudgement(table.name, False, (gone,), "proven", 1, 1, NOON, NOON) for table in FEW_TABLES)
    said = ("broker 3 did not answer", "second", "third") if refused else ()
    causes = tuple(Cause(what, (), (REASSIGNMENT_BACKLOG.name,)) for what in said)
    return Judgement("refuse" if refused else "publish", tables, causes, ())


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake(root=str(tmp_path_factory.mktemp("publish") / "lake"))
    for table in FEW_TABLES:
        store.create(spark, made, table)
        rows = [staged_row(table, one, "kraft-id") for one in (FIRST, SECOND, THIRD)]
        store.append(spark.createDataFrame(rows, table.schema), made, table, f"test/{table.name}")
    promote(spark, made, FIRST, judgement(), NullProgress())
    return made


def delta(lake: Lake, table: Table) -> DeltaTable:
    return DeltaTable(lake.path(table.layer, table.name))


def commits(lake: Lake) -> list[int]:
    """The number of commits of each table."""
    return [delta(lake, table).version() for table in (*FEW_TABLES, PUBLICATIONS)]


def test_publication_says_what_is_missing(spark: SparkSession, lake: Lake) -> None:
    rows = store.read(spark, lake, PUBLICATIONS).where(f"census_id = '{FIRST.census_id}'").collect()
    assert {row.table_name for row in rows} == {table.name for table in FEW_TABLES}
    for row in rows:
        assert (row.cluster_id, row.cluster, row.is_complete, row.visibility) == ("kraft-id", "test", False, "proven")
        assert (row.row_count, row.warnings) == (1, 1)
        missing = [tuple(one) for one in row.missing]
        assert missing == [("DescribeLogDirs", 3, "BROKER_NOT_ALIVE", "broker 3 is not alive")]


def test_refused_census_leaves_what_was_published(spark: SparkSession, lake: Lake) -> None:
    before = commits(lake)
    with pytest.raises(Refused) as refused:
        promote(spark, lake, SECOND, judgement(refused=True), NullProgress())
    assert str(refused.value) == "refused: broker 3 did not answer; lacking in reassignment_backlog (and 2 more)"
    assert refused.value.exit_code == 3
    assert commits(lake) == before


def test_publishing_again_changes_nothing(spark: SparkSession, lake: Lake) -> None:
    before = commits(lake)
    other = replace(judgement(), tables=judgement().tables[:1])
    promote(spark, lake, FIRST, other, NullProgress())
    assert commits(lake) == before


def test_backlog_compares_with_the_census_published_before(spark: SparkSession, lake: Lake) -> None:
    """The third census is compared with the last published census of its cluster; staged ones do not count."""
    FakeLake(spark, lake).land({THIRD: healthy()})
    other = replace(THIRD, cluster_id="another-cluster")
    landed = read_landed_census(spark, lake, THIRD.census_id, (REASSIGNMENT_BACKLOG,))
    [row], [first] = (
        compute(spark, lake, REASSIGNMENT_BACKLOG, made, landed, published_before(spark, lake, made)).collect()
        for made in (THIRD, other)
    )
    assert row.previous_census_id == FIRST.census_id
    assert first.previous_census_id is None


MOST, PUBLISHED = 2, 5
"""Files of `publications` before they are put together, and censuses of a cluster."""
NAME = 'a`b``c it\'s "so" 50% a%20b#c?d grüße😀 a\\b;c {a}[b]* a:b,c=d'


def staged(spark: SparkSession, lake: Lake) -> Lake:
    """The lake with a row of some censuses, none of which is published."""
    rows = [staged_row(QUOTAS, census(number), "kraft-id") for number in range(PUBLISHED)]
    store.append(local_frame(spark, rows, QUOTAS.schema), lake, QUOTAS, "test")
    return lake


def publish(spark: SparkSession, lake: Lake, number: int, progress: Progress = NullProgress()) -> None:  # noqa: B008
    promote(spark, lake, census(number), passing(1, tables=(QUOTAS,)), progress)
    Runs(spark, lake, Clock()).note(census(number), "published")


def files(spark: SparkSession, lake: Lake, table: Table) -> int:
    return len(store.read(spark, lake, table).inputFiles())


def shown(spark: SparkSession, lake: Lake, view: str = "current_quotas") -> list[str]:
    kafka_census.register(spark, str(lake.root))
    return sorted(row.census_id for row in spark.sql(f"SELECT * FROM {view}").collect())


def test_files_are_put_together_once_in_a_while(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promoting, "MOST_FILES", MOST)
    lake, opened = staged(spark, Lake(root=str(tmp_path / "lake"))), []
    for number in range(PUBLISHED):
        publish(spark, lake, number)
        opened.append(files(spark, lake, PUBLICATIONS))
    assert opened == [1, 2, 1, 2, 1]
    operations = [commit["operation"][0] for commit in reversed(delta(lake, PUBLICATIONS).history())]
    assert "".join(operations) == "WWWOWWO", "each write, and OPTIMIZE"
    assert files(spark, lake, CENSUS_RUNS) <= MOST + 1 < PUBLISHED
    last = [census(PUBLISHED - 1).census_id]
    assert (shown(spark, lake), len(shown(spark, lake, "history_quotas"))) == (last, PUBLISHED)
    (without_spark,) = kafka_census.current(str(lake.root), "quotas")
    assert without_spark.to_table()["census_id"].to_pylist() == last


def test_files_that_cannot_be_put_together_do_not_keep_a_census_from_readers(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does what stands in the address of a lake keep it from being there, and from being maintained."""
    monkeypatch.setattr(promoting, "MOST_FILES", 1)
    lake = staged(spark, Lake(root=str(tmp_path / NAME)))
    reported: list[tuple[str, Mapping[str, object]]] = []
    publish(spark, lake, 0)
    with patch.object(store, "commit", side_effect=RuntimeError("other writers came first\nagain and again")):
        publish(spark, lake, 1, lambda event, **fields: reported.append((event, fields)))
    error = {"table": "audit/publications", "error": "RuntimeError: other writers came first"}
    assert ("not_optimized", error) in reported
    assert (shown(spark, lake), files(spark, lake, PUBLICATIONS)) == ([census(1).census_id], 2)
    publish(spark, lake, 2)
    assert files(spark, lake, PUBLICATIONS) == 1
    for statement in ("DELETE FROM {} WHERE table_name = 'another'", "OPTIMIZE {}", "VACUUM {}"):
        spark.sql(statement.format(lake.name_of(PUBLICATIONS)))
    as_of = "quotas_as_of(TIMESTAMP '2099-01-01 00:00')"
    assert shown(spark, lake) == shown(spark, lake, as_of) == [census(2).census_id]
    assert [each.name for each in tmp_path.iterdir()] == [NAME]
    assert Path(tmp_path, NAME, "audit", "publications", "_delta_log").is_dir()


def test_a_backtick_in_a_catalog_stays_a_part_of_its_name() -> None:
    lake = Lake(catalog="ma`in.cen`sus")
    assert lake.name("audit", "publications") == "`ma``in`.`cen``sus`.`audit_publications`"
