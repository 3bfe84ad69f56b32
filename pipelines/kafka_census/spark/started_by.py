"""Which platform started Spark for this process: Databricks, a Spark Connect server, spark-submit, or none of these."""

import os
import re
from importlib.machinery import PathFinder
from importlib.util import find_spec
from typing import Any


def on_databricks() -> bool:
    """Whether this process runs on Databricks, which brings Spark and Delta."""
    return "DATABRICKS_RUNTIME_VERSION" in os.environ


def dbutils() -> Any:
    """The `dbutils` object of Databricks' notebooks, for code in a wheel: secret scopes, task values."""
    from databricks.sdk.runtime import dbutils as given

    return given


def on_connect() -> bool:
    """Whether the session is, or can only be, a Spark Connect client: only pyspark-client is installed."""
    return "SPARK_REMOTE" in os.environ or "SPARK_CONNECT_MODE_ENABLED" in os.environ or _has_client_alone()


def under_spark_submit() -> bool:
    """Whether spark-submit runs this process, with its own JVM and configuration."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _has_client_alone() -> bool:
    """Whether PySpark lacks its core, which starts JVMs; checked without importing PySpark."""
    spec = find_spec("pyspark")
    return spec is not None and PathFinder.find_spec("pyspark.core", spec.submodule_search_locations) is None


def in_driver(master: str | None) -> bool:
    """Whether tasks run in the driver's own JVM with this `spark.master`: on one machine and without executors.

    None means Spark's default. `local-cluster` has executors.
    """
    return re.fullmatch(r"local(\[[^]]*])?", master or "local") is not None
