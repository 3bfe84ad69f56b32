"""Failures of Spark, of files and workers, really caused: each ends in a line with the problem and the remedy."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import LongType, StringType, StructType

from kafka_census.declarations.table import Table, column
from kafka_census.errors import CensusError, ConfigError, CorruptLake, SparkUnfit
from kafka_census.errors.causes import explained
from kafka_census.errors.one_line import one_line
from kafka_census.lake import store
from kafka_census.lake.file_system import require_file_system
from kafka_census.lake.lake import Lake
from spark.report_lake import append

TABLE = Table(
    "numbers",
    "audit",
    "Numbers.",
    StructType([column("census_id", StringType(), "The census."), column("n", LongType(), "A number.")]),
    ("n",),
)


def caused(doing: Callable[[], object]) -> tuple[type[CensusError], str]:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any error: its text is judged
        doing()
    found = explained(caught.value, str)
    assert found is not None, caught.value
    line = one_line(caught.value, str)
    assert "\n" not in line
    return type(found), line


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "lake"
    for number in range(3):
        append(Lake(root=str(folder)), TABLE, [{"census_id": "c", "n": number}])
    return folder


@pytest.fixture
def lake(whole: Path, tmp_path: Path) -> Lake:
    return Lake(root=str(shutil.copytree(whole, tmp_path / "lake")))


@pytest.mark.parametrize(
    ("pattern", "text", "said"),
    [
        ("_delta_log/*0.json", "garbage", "the log of a table of the lake is damaged: "),
        ("_delta_log/*1.json", '{"add":{"path":"x"', "the log of a table of the lake is damaged: "),
        ("*.parquet", "", "a file of a table of the lake is missing or damaged: "),
    ],
)
def test_a_damaged_table_is_a_corrupt_lake(spark: SparkSession, lake: Lake, pattern: str, text: str, said: str) -> None:
    """Damage of other kinds is in test_damaged_tables.py."""
    folder = Path(lake.path("audit", "numbers"))
    for file in folder.glob(pattern):
        file.write_text(text)
    kind, line = caused(lambda: store.read(spark, lake, TABLE).collect())
    assert kind is CorruptLake
    assert said in line
    assert str(folder) in line


@pytest.mark.parametrize("root", ["s3a://bucket/lake", "gs://bucket/lake"])
def test_an_object_store_without_its_jars_is_reported_before_anything_is_asked(spark: SparkSession, root: str) -> None:
    lake = Lake(root=root)
    for doing in (lambda: require_file_system(spark, lake, writes=False), lambda: store.find(spark, lake, TABLE)):
        kind, line = caused(doing)
        assert kind is ConfigError
        assert "Spark lacks the jars of the object store that lake.root names: " in line
        assert "--spark-conf spark.jars.packages=org.apache.hadoop:hadoop-aws" in line


def test_a_path_that_spark_takes_for_one_of_hdfs_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    """Its tables would be in HDFS, its locks on this machine; a root with a scheme is the same for both."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    before = hadoop.get("fs.defaultFS")
    hadoop.set("fs.defaultFS", "hdfs://namenode:8020")
    try:
        for writes in (True, False):
            with pytest.raises(ConfigError) as caught:
                require_file_system(spark, Lake(root="/lake"), writes=writes)
            assert str(caught.value) == (
                "lake.root /lake: Spark takes a path without a scheme for one of hdfs://namenode:8020 (fs.defaultFS); "
                "write file:///lake, or the whole URI"
            )
        for root in (f"file://{tmp_path}", "hdfs://namenode:8020/lake"):
            require_file_system(spark, Lake(root=root), writes=True)
    finally:
        hadoop.set("fs.defaultFS", before)


def test_a_folder_is_the_same_for_spark_on_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    for lake in (Lake(root=str(tmp_path)), Lake(root=f"file://{tmp_path}/lake"), Lake(catalog="main.census")):
        require_file_system(spark, lake, writes=True)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_a_table_is_reported(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "audit").write_text("")
    lake = Lake(root=str(tmp_path))
    kind, line = caused(
        lambda: store.append(spark.range(1).selectExpr("uuid() AS census_id", "id AS n"), lake, TABLE, "a")
    )
    assert kind is SparkUnfit
    assert line.startswith("the lake cannot be written, or not read: ")


def in_a_worker(spark: SparkSession, doing: Callable[[], object] = int) -> None:
    def same(batches: Any) -> Any:
        doing()
        yield from batches

    spark.range(1).mapInArrow(same, "id long").collect()


def test_workers_of_another_python_are_reported(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker compares its version with the driver's, which pretends here to be another version."""
    monkeypatch.setattr(spark.sparkContext, "pythonVer", "3.9")
    kind, line = caused(lambda: in_a_worker(spark))
    assert kind is SparkUnfit
    assert line.startswith("Spark's workers run another Python than the driver: ")
    assert "PYSPARK_PYTHON=.venv/bin/python" in line


@pytest.mark.parametrize("script", [None, "#!/bin/sh\nexit 1\n"], ids=["missing", "broken"])
def test_workers_that_cannot_start_are_reported(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None
) -> None:
    python = tmp_path / "python"
    if script is not None:
        python.write_text(script)
        python.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", os.fspath(python))
    kind, line = caused(lambda: in_a_worker(spark))
    assert kind is SparkUnfit
    assert line.startswith("Spark could not start a Python worker: ")
    assert "on a Spark cluster --archives brings one to executors (docs/spark-cluster.md)" in line


def test_a_worker_without_a_package_is_reported(spark: SparkSession) -> None:
    kind, line = caused(lambda: in_a_worker(spark, lambda: __import__("a_package_that_is_not_there")))
    assert kind is SparkUnfit
    assert "No module named 'a_package_that_is_not_there'" in line


def test_a_bug_in_a_worker_is_reported_in_its_own_words(spark: SparkSession) -> None:
    def fails() -> None:
        raise ValueError("odd\nthing")

    with pytest.raises(Exception) as caught:  # noqa: PT011 - any error: its text is judged
        in_a_worker(spark, fails)
    assert explained(caught.value, str) is None
    assert one_line(caught.value, str) == "ValueError: odd"
