"""A session whose catalog is a Hive metastore: this one's own, in a Derby database in memory."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from harness.local_spark import QUICK_TASKS, local_session

HIVE = {
    "spark.sql.catalogImplementation": "hive",
    "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
    "spark.hadoop.datanucleus.schema.autoCreateTables": "true",
    "spark.hadoop.hive.metastore.schema.verification": "false",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """In place of the session of all other tests, which keeps its catalog in memory."""
    session = local_session("kafka-census metastore", tmp_path_factory.mktemp("spark"), {**QUICK_TASKS, **HIVE})
    yield session
    session.stop()
