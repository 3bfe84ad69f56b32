"""Under `SPARK_REMOTE` the tests of this folder run on Spark Connect: see test_transforms_on_connect.py."""

import os
import sys
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

# pyspark.testing loads pandas-on-Spark, which warns when it has to set this itself.
os.environ["PYARROW_IGNORE_TIMEZONE"] = "1"

if "SPARK_REMOTE" in os.environ:

    @pytest.fixture(scope="session")
    def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
        """A Connect session of a server that starts in this process, for as long as it lives."""
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        # Spark's own switch for "any free port, not 15002".
        os.environ["SPARK_TESTING"] = "1"
        # Not through the builder, which would set them on the Connect session as well: that may not.
        options = {
            "spark.sql.warehouse.dir": tmp_path_factory.mktemp("warehouse"),
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "2g",
            "spark.ui.enabled": "false",
        }
        given = " ".join(f"--conf {name}={value}" for name, value in options.items())
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"{given} pyspark-shell"
        session = SparkSession.builder.getOrCreate()
        assert is_remote(), "this is a classic session: nothing would be tested on Connect"
        yield session
        session.stop()
