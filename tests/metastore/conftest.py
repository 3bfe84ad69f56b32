"""A session whose catalog is a Hive metastore, on Derby in memory, and whose tables are in an object store."""

import os
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from pyspark.sql import SparkSession

from harness.local_spark import JVM_OF_A_FEW_JOBS, QUICK_TASKS, local_session
from harness.s3 import BUCKET, S3Server

HIVE = {
    "spark.sql.catalogImplementation": "hive",
    "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
    "spark.hadoop.datanucleus.schema.autoCreateTables": "true",
    "spark.hadoop.hive.metastore.schema.verification": "false",
    "spark.sql.warehouse.dir": f"s3a://{BUCKET}/warehouse",
}


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with S3Server(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="session")
def spark(s3: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """In place of the session of all other tests, which keeps its catalog in memory, and its tables on a disk.

    Its JVM finds S3's credentials in the environment.
    """
    folder = tmp_path_factory.mktemp("spark")
    with patch.dict(os.environ, s3.of_environment):
        settings = {**QUICK_TASKS, **HIVE, **s3.of_spark}
        session = local_session("kafka-census metastore", folder, settings, JVM_OF_A_FEW_JOBS)
    yield session
    session.stop()
