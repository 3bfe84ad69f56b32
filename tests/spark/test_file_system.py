"""Spark and a job use the same root of a lake; otherwise the job ends in one line."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafka_census.errors import ConfigError
from kafka_census.lake.file_system import require_file_system
from kafka_census.lake.lake import Lake


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


@pytest.mark.parametrize("root", ["nowhere://bucket/lake", "nowhere:/lake"])
def test_a_scheme_without_a_class_is_refused(spark: SparkSession, root: str) -> None:
    with pytest.raises(Exception, match='No FileSystem for scheme "nowhere"'):
        require_file_system(spark, Lake(root=root), writes=False)
