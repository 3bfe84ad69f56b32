"""Whether this process runs on Databricks, where Spark and Delta are given."""

import os


def on_databricks() -> bool:
    """Whether it does, by the variable that every runtime sets."""
    return "DATABRICKS_RUNTIME_VERSION" in os.environ
