"""Publishing makes a census visible in one commit, all tables or none, and keeps earlier publications."""

from contextlib import ExitStack
from dataclasses import replace

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from harness.few_tables import FEW_TABLES
from kafka_census.errors import Refused
from kafka_census.lake import store
from kafka_census.lake.before import published_before
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import read_landed_census
from kafka_census.pages.missing_read import MissingRead
from kafka_census.progress import NullProgress
from kafka_census.publish.promote import promote
from kafka_census.quality.causes import Cause
from kafka_census.quality.gate import Judgement, TableJudgement
from kafka_census.staging.inputs import Inputs
from kafka_census.staging.stage import compute
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from spark.fake_lake import NOON, FakeLake, census, healthy
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


def published(spark: SparkSession, lake: Lake) -> dict[str, list[str]]:
    return {
        table.name: sorted(row.census_id for row in store.read(spark, lake, table).collect()) for table in FEW_TABLES
    }


def commits(spark: SparkSession, lake: Lake) -> int:
    return spark.sql(f"DESCRIBE HISTORY {lake.name('audit', 'publications')}").count()


def test_publication_says_what_is_missing(spark: SparkSession, lake: Lake) -> None:
    rows = store.read(spark, lake, PUBLICATIONS).where(f"census_id = '{FIRST.census_id}'").collect()
    assert {row.table_name for row in rows} == {table.name for table in FEW_TABLES}
    for row in rows:
        assert (row.cluster_id, row.cluster, row.is_complete, row.visibility) == ("kraft-id", "test", False, "proven")
        assert (row.row_count, row.warnings) == (1, 1)
        missing = [tuple(one) for one in row.missing]
        assert missing == [("DescribeLogDirs", 3, "BROKER_NOT_ALIVE", "broker 3 is not alive")]


def test_refused_census_leaves_what_was_published(spark: SparkSession, lake: Lake) -> None:
    before = (published(spark, lake), commits(spark, lake))
    with pytest.raises(Refused) as refused:
        promote(spark, lake, SECOND, judgement(refused=True), NullProgress())
    assert str(refused.value) == "refused: broker 3 did not answer; lacking in reassignment_backlog (and 2 more)"
    assert refused.value.exit_code == 3
    assert (published(spark, lake), commits(spark, lake)) == before


def test_publishing_again_changes_nothing(spark: SparkSession, lake: Lake) -> None:
    before = (published(spark, lake), commits(spark, lake))
    other = replace(judgement(), tables=judgement().tables[:1])
    promote(spark, lake, FIRST, other, NullProgress())
    assert (published(spark, lake), commits(spark, lake)) == before


def test_backlog_compares_with_the_census_published_before(spark: SparkSession, lake: Lake) -> None:
    """The third census is compared with the last published census of its cluster; staged ones do not count."""
    FakeLake(spark, lake).land({THIRD: healthy()})
    other = replace(THIRD, cluster_id="another-cluster")
    landed = read_landed_census(spark, lake, THIRD.census_id, (REASSIGNMENT_BACKLOG,))
    [row], [first] = (
        compute(spark, lake, REASSIGNMENT_BACKLOG, made, landed, published_before(spark, lake, made)).collect()
        for made in (THIRD, other)
    )
    last = store.read(spark, lake, PUBLICATIONS).agg({"census_id": "max"}).collect()[0][0]
    assert row.previous_census_id == last < THIRD.census_id
    assert first.previous_census_id is None


def test_tables_of_a_small_census_are_computed_by_one_task(spark: SparkSession, lake: Lake) -> None:
    """Its inputs have one part each, so nothing is shuffled; the rows equal those of many tasks."""
    made = census(4)
    FakeLake(spark, lake).land({made: healthy()})
    landed = read_landed_census(spark, lake, made.census_id, FEW_TABLES)
    with ExitStack() as until_staged:
        inputs = Inputs(landed, until_staged)
        for table in FEW_TABLES:
            many = compute(spark, lake, table, made, landed, {})
            few = compute(spark, lake, table, made, landed, {}, inputs=inputs)
            assert sorted(map(str, few.collect())) == sorted(map(str, many.collect()))
            assert few.select(F.spark_partition_id()).distinct().count() == 1
