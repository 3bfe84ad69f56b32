"""A census is computed in one of several ways, by its number of landed items: its rows are the same."""

import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from harness.few_tables import FEW_TABLES
from kafka_census.census.staging.inputs import Inputs
from kafka_census.census.staging.stage import compute, stage
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import read_landed_census
from kafka_census.spark import size
from kafka_census.terminal.progress import NullProgress
from spark.fake_lake import FakeLake, census, healthy

WHOLE = census()
SIZES = {"one task": {}, "in memory": {"ONE_TASK": 0}, "large": {"ONE_TASK": 0, "LARGE": 0}}


@pytest.fixture(scope="module")
def planted(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sizes") / "lake"
    FakeLake(spark, Lake(root=str(folder))).land({WHOLE: healthy()})
    return folder


def copied(planted: Path, tmp_path: Path, name: str) -> Lake:
    shutil.copytree(planted, tmp_path / name)
    return Lake(root=str(tmp_path / name))


def test_every_size_stages_the_same_rows_of_which_only_those_of_a_large_census_are_read_again(
    spark: SparkSession, planted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept in memory for later steps is what was written, and is still there when the files are gone."""
    found: dict[str, list[list[str]]] = {}
    for as_if, sizes in SIZES.items():
        lake = copied(planted, tmp_path, as_if)
        for name, items in sizes.items():
            monkeypatch.setattr(size, name, items)
        landed = read_landed_census(spark, lake, WHOLE.census_id, FEW_TABLES)
        stage(spark, lake, WHOLE, FEW_TABLES, landed, NullProgress())
        found[as_if] = [sorted(map(repr, store.read(spark, lake, table).collect())) for table in FEW_TABLES]
        again = [landed.staged(table) for table in FEW_TABLES]
        there = tmp_path / as_if / "published"
        there.rename(there.with_name("away"))
        if as_if != "large":
            assert all(each.count() for each in again)
        else:
            with pytest.raises(PySparkException, match="DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"):
                again[0].count()
        there.with_name("away").rename(there)
        kept = [landed.staged_once(table).select(*table.schema.names).collect() for table in FEW_TABLES]
        assert [sorted(map(repr, rows)) for rows in kept] == found[as_if]
    assert all(found["one task"])
    assert found["one task"] == found["in memory"] == found["large"]


def test_tables_of_a_small_census_are_computed_by_one_task(spark: SparkSession, planted: Path, tmp_path: Path) -> None:
    """Its inputs have one part each, so nothing is shuffled; the rows equal those of many tasks."""
    lake = copied(planted, tmp_path, "lake")
    landed = read_landed_census(spark, lake, WHOLE.census_id, FEW_TABLES)
    with ExitStack() as until_staged:
        inputs = Inputs(landed, until_staged)
        for table in FEW_TABLES:
            many = compute(spark, lake, table, WHOLE, landed, {})
            few = compute(spark, lake, table, WHOLE, landed, {}, inputs=inputs)
            assert sorted(map(str, few.collect())) == sorted(map(str, many.collect()))
            assert few.select(F.spark_partition_id()).distinct().count() == 1
