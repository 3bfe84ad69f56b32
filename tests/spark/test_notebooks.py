"""The notebooks run as they stand, on what Databricks would hand them: `spark`, `dbutils`, `display`."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from kafka_census.lake.lake import Lake
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS
from spark.report_lake import NOON, append, census, partition

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.py"))


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A published census of three partitions, one of them under its minimum ISR and one offline."""
    made = Lake(root=str(tmp_path_factory.mktemp("notebooks") / "lake"))
    one = census(1, "local")
    ids = {"census_id": one.census_id, "cluster_id": one.cluster_id}
    rows = [partition("a", 0, "OK"), partition("b", 0, "UNDER"), partition("c", 0, "OFFLINE", leader_id=None)]
    append(spark, made, UNDER_MIN_ISR_PARTITIONS, [ids | {"observed_at": NOON} | row for row in rows])
    publication = {"cluster": "local", "table_name": UNDER_MIN_ISR_PARTITIONS.name, "is_complete": True}
    append(spark, made, PUBLICATIONS, [ids | publication | {"visibility": "proven", "published_at": NOON}])
    return str(made.root)


def run(path: Path, spark: SparkSession, lake: str) -> list[list[Row]]:
    """Execute a notebook; the rows of each frame that it displayed."""
    shown: list[list[Row]] = []

    def display(frame: DataFrame) -> None:
        shown.append(frame.collect())

    widgets = SimpleNamespace(text=lambda *_args: None, get=lambda name: {"lake": lake}[name])
    given = {"spark": spark, "dbutils": SimpleNamespace(widgets=widgets), "display": display}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), given)  # noqa: S102 - this is how a notebook runs
    return shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_in_databricks_source_format(path: Path) -> None:
    """The first line says what it is, cells are separated, and every cell starts after a separator."""
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Databricks notebook source\n")
    assert text.count("\n# COMMAND ----------\n") >= 1


def test_the_first_notebook_shows_what_cannot_be_written(spark: SparkSession, lake: str) -> None:
    """It displays the counts by status, worst first, and the partitions that are not ready."""
    by_status, worst = run(NOTEBOOKS[0], spark, lake)
    assert [(row.status, row.partitions) for row in by_status] == [("OFFLINE", 1), ("UNDER", 1), ("OK", 1)]
    assert [row.topic for row in worst] == ["c", "b"]


def test_every_notebook_runs_and_only_reads(spark: SparkSession, lake: str) -> None:
    """Each displays something, and the lake's files are the same afterwards."""
    before = sorted(str(path) for path in Path(lake).rglob("*"))
    assert all(run(path, spark, lake) for path in NOTEBOOKS)
    assert sorted(str(path) for path in Path(lake).rglob("*")) == before
