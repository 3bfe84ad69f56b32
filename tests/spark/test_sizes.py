"""A census is computed in one of several ways, by its number of landed items: its rows are the same."""

import shutil
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from harness.few_tables import FEW_TABLES
from kafka_census import size
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.pages.landed_census import LandedCensus, read_landed_census
from kafka_census.progress import NullProgress
from kafka_census.staging.stage import stage
from spark.fake_lake import FakeLake, census, healthy

WHOLE = census()
SIZES = {"one task": {}, "in memory": {"ONE_TASK": 0}, "large": {"ONE_TASK": 0, "LARGE": 0}}


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    filled = Lake(root=str(tmp_path / "lake"))
    FakeLake(spark, filled).land({WHOLE: healthy()})
    return filled


def staged(spark: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch, as_if: str) -> LandedCensus:
    for name, items in SIZES[as_if].items():
        monkeypatch.setattr(size, name, items)
    landed = read_landed_census(spark, lake, WHOLE.census_id, FEW_TABLES)
    stage(spark, lake, WHOLE, FEW_TABLES, landed, NullProgress())
    return landed


def test_every_size_stages_the_same_rows(spark: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept in memory for later steps is what was written."""
    found = {}
    for as_if in SIZES:
        landed = staged(spark, lake, monkeypatch, as_if)
        for table in FEW_TABLES:
            written = sorted(map(repr, store.read(spark, lake, table).collect()))
            kept = landed.pages.staged_once(table).select(*table.schema.names)
            assert sorted(map(repr, kept.collect())) == written
            found[as_if, table.name] = written
    for table in FEW_TABLES:
        assert found["one task", table.name]
        assert found["one task", table.name] == found["in memory", table.name] == found["large", table.name]


@pytest.mark.parametrize(("as_if", "stays"), [("one task", True), ("in memory", True), ("large", False)])
def test_only_rows_of_a_large_census_are_read_again(
    spark: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch, as_if: str, stays: bool
) -> None:
    """The rows of others are still there for the next step when their files are gone."""
    landed = staged(spark, lake, monkeypatch, as_if)
    rows = [landed.pages.staged(table) for table in FEW_TABLES]
    for table in FEW_TABLES:
        shutil.rmtree(f"{lake.root}/published/{table.name}")
    if stays:
        assert all(each.count() for each in rows)
    else:
        with pytest.raises(PySparkException, match="DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"):
            rows[0].count()
