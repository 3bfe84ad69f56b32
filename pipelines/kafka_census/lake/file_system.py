"""Whether Spark reaches the root of a lake, and the same root as this process: checked before a job's first page.

A folder is used by both: Spark keeps the tables there, the job its locks. Hadoop may take a path for one of HDFS, and a
server of Spark Connect may run on another machine.
"""

import re
from pathlib import Path

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kafka_census.errors import ConfigError
from kafka_census.lake.folder import trial_folder
from kafka_census.lake.lake import Lake
from kafka_census.private.pyspark import default_file_system, require_file_system_class
from kafka_census.spark.started_by import on_connect, on_databricks

# The characters of a path that Hadoop takes for a pattern.
_GLOB = re.compile(r"[{}\[\]*?\\]")


def require_file_system(spark: SparkSession, lake: Lake, *, writes: bool) -> None:
    """Raise ConfigError where Spark takes `lake.root` for another folder than this process.

    On Spark Connect this is checked by creating a folder, and so only for a job that writes. For a URI Hadoop loads the
    class of its scheme, except on Connect: Hadoop's error names a missing class. On Databricks nothing is checked.
    """
    if lake.root is None or on_databricks():
        return
    if lake.folder is None:
        if not on_connect():
            require_file_system_class(spark, lake.root.partition(":")[0])
    elif not on_connect():
        _require_local(spark, lake.root)
    elif writes:
        _require_shared(spark, lake.root, lake.folder)


def _require_local(spark: SparkSession, root: str) -> None:
    usual = default_file_system(spark)
    if not usual.startswith("file:") and not root.startswith("file:"):
        raise ConfigError(
            f"lake.root {root}: Spark takes a path without a scheme for one of {usual} (fs.defaultFS); "
            f"write file://{root}, or the whole URI"
        )


def _require_shared(spark: SparkSession, root: str, folder: Path) -> None:
    with trial_folder(folder) as trial:
        path = _GLOB.sub(r"\\\g<0>", str(trial))
        try:
            _ = spark.read.text(f"file:{path}" if root.startswith("file:") else path).schema
        except AnalysisException as error:
            if error.getCondition() != "PATH_NOT_FOUND":
                raise
            raise ConfigError(
                f"lake.root {root}: the server of Spark Connect does not see this client's folder; mount it on both "
                "under this path, or name a lake.root that both reach, such as a bucket"
            ) from None
