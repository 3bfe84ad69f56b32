"""Which platform started Spark for this process: Databricks, a Spark Connect server, spark-submit, or none of these."""

import os


def on_databricks() -> bool:
    """Whether this process runs on Databricks, which brings Spark and Delta."""
    return "DATABRICKS_RUNTIME_VERSION" in os.environ


def on_connect() -> bool:
    """Whether the session is a Spark Connect client."""
    return "SPARK_REMOTE" in os.environ or "SPARK_CONNECT_MODE_ENABLED" in os.environ


def under_spark_submit() -> bool:
    """Whether spark-submit runs this process, with its own JVM and configuration."""
    return "PYSPARK_GATEWAY_PORT" in os.environ
