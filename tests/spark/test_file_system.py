"""Spark and a job use the same root of a lake; otherwise the job ends in one line."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafka_census.errors import ConfigError
from kafka_census.lake.file_system import require_file_system
from kafka_census.lake.lake import Lake


@pytest.fixture
def hdfs(spark: SparkSession) -> Iterator[SparkSession]:
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    before = hadoop.get("fs.defaultFS")
    hadoop.set("fs.defaultFS", "hdfs://namenode:8020")
    yield spark
    hadoop.set("fs.defaultFS", before)


@pytest.mark.parametrize("writes", [True, False])
def test_a_path_that_spark_takes_for_one_of_hdfs_is_refused(hdfs: SparkSession, *, writes: bool) -> None:
    """Its tables would be in HDFS, its locks on this machine."""
    with pytest.raises(ConfigError) as caught:
        require_file_system(hdfs, Lake(root="/lake"), writes=writes)
    assert str(caught.value) == (
        "lake.root /lake: Spark takes a path without a scheme for one of hdfs://namenode:8020 (fs.defaultFS); "
        "write file:///lake, or the whole URI"
    )


def test_a_root_with_a_scheme_is_the_same_for_spark(hdfs: SparkSession, tmp_path: Path) -> None:
    require_file_system(hdfs, Lake(root=f"file://{tmp_path}"), writes=True)
    require_file_system(hdfs, Lake(root="hdfs://namenode:8020/lake"), writes=True)


def test_a_folder_is_the_same_for_spark_on_one_machine(spark: SparkSession, tmp_path: Path) -> None:
    for lake in (Lake(root=str(tmp_path)), Lake(root=f"file://{tmp_path}/lake"), Lake(catalog="main.census")):
        require_file_system(spark, lake, writes=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("root", ["nowhere://bucket/lake", "nowhere:/lake"])
def test_a_scheme_without_a_class_is_refused(spark: SparkSession, root: str) -> None:
    with pytest.raises(Exception, match='No FileSystem for scheme "nowhere"'):
        require_file_system(spark, Lake(root=root), writes=False)
