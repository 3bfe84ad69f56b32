"""The only module that creates or finds the Spark session.

Jars and Delta's extension come from Spark's own configuration folder (`SPARK_CONF_DIR`, or the packaged folder where
we start Spark ourselves: `spark_conf`), never from here, so that one code base runs under spark-submit, on Spark
Connect and on Databricks. This module checks that Spark is not too old and that Delta is present, before any request
is sent to Kafka. `spark_jvm` handles a Spark in a JVM of this process, which Spark Connect's client does not have.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kafka_census.errors import ConfigError
from kafka_census.lake.lake import Lake
from kafka_census.spark import size
from kafka_census.spark.settings import set_all, set_within, setting
from kafka_census.spark.started_by import on_connect, on_databricks

EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"

OLDEST = (4, 0)
"""The first release of Spark with all features that a census uses."""

_NO_SCHEMA = ("SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND")

SHORT_QUERIES = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": "0",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.maxConcurrentOutputFileWriters": "0",
    "spark.sql.files.maxPartitionBytes": "128m",
    "parquet.block.size": "2097152",
}
"""Settings of a job on one machine, unless its operator set them: a census is hundreds of short queries on a cold JVM,
and code generation and re-planning cost more than running them (103 s with generated code, 87 s without, two cores).
`fit` reverts them for a larger census. Not for shells: `spark.catalog` needs generated code."""

MEDIUM_QUERIES = SHORT_QUERIES | {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
"""The same settings for hundreds of thousands of rows: generated code is worth its time, planning again is not yet."""

LONG_QUERIES = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": "64m",
    "spark.sql.shuffle.partitions": "16",
    "spark.sql.maxConcurrentOutputFileWriters": "4",
    "spark.sql.files.maxPartitionBytes": "2m",
    "parquet.block.size": "134217728",
}
"""The same settings for millions of rows: Spark's defaults, and hash joins of partitions that fit into memory, without
sorting; nor are rows sorted by census before a write, since all are of one census. The pages of a broker are one file
with row groups of 2 MB, which tasks read separately: three whole files would keep two cores busy 75% of the time."""

ONE_TASK = {
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.optimizer.disableHints": "true",
}
"""Settings for tables that are each computed by one task: their frames have one partition, so that a join needs neither
a shuffle nor a broadcast, which is a separate job."""

OURS = "spark.kafka_census.short_queries"
"""The setting that names the settings above that the operator did not set."""


def session(app_name: str, config: str | None = None) -> SparkSession:
    """The session of this process, created if there is none, with the data source `kafka_admin` registered.

    config  the configuration that `kafka_admin` may read, where Spark's setting names none; None: its default

    Raises ConfigError as `job_session` does.
    """
    from kafka_census.data_source import DEFAULT_CONFIG, kafka_admin

    spark = job_session(app_name)
    spark.dataSource.register(kafka_admin(spark, DEFAULT_CONFIG if config is None else config))
    return spark


def job_session(app_name: str) -> SparkSession:
    """The session of this process, created if there is none, for jobs, which never read `kafka_admin`.

    To register a data source Spark starts a Python process that looks for others, which takes a second.

    Raises ConfigError where Spark is too old, and where Delta is missing, with the command that installs it.
    """
    if on_databricks() or on_connect():
        spark = SparkSession.builder.appName(app_name).getOrCreate()
        require_release(spark.version)
        _require_delta(spark)
        return spark
    from kafka_census.spark.jvm import local_session

    return local_session(app_name)


def fit(spark: SparkSession, items: int) -> None:
    """Adapt the settings that `session` made to the number of landed items of the census."""
    settings = SHORT_QUERIES if items < size.SMALL else MEDIUM_QUERIES if items < size.LARGE else LONG_QUERIES
    set_all(spark, {name: settings[name] for name in _ours(spark) & set(settings)})


@contextmanager
def one_task(spark: SparkSession) -> Iterator[None]:
    """Adapt the settings that the operator did not set to tables of one task each, until the end of the block."""
    with set_within(spark, {name: ONE_TASK[name] for name in _ours(spark) & set(ONE_TASK)}):
        yield


def lacks_second_compiler(spark: SparkSession, items: int) -> bool:
    """Whether so many landed items would be computed sooner by the JVM's second compiler, which this JVM does without.

    Only a JVM can tell that was started with the package's options, and where its operator has added none.
    """
    options = [setting(spark, f"spark.driver.{name}JavaOptions") or "" for name in ("default", "extra")]
    levels = re.findall(r"-XX:TieredStopAtLevel=(\d)", " ".join(options))
    return items >= size.LARGE and levels[-1:] == ["1"]


def _ours(spark: SparkSession) -> set[str]:
    """The settings that the operator did not set; none in a session that we did not create."""
    return set(filter(None, (setting(spark, OURS) or "").split(",")))


def require_release(version: str) -> None:
    """Raise ConfigError for a release of Spark that is too old."""
    if tuple(int(number) for number in version.split(".")[:2]) < OLDEST:
        raise ConfigError(
            f"Spark {version} is too old: a census needs Spark 4.0 or newer, such as Databricks Runtime 17.3 LTS"
        )


def require_schema(spark: SparkSession, lake: Lake) -> None:
    """Raise ConfigError where the schema of `lake.catalog` is missing, or would be lost when the job ends."""
    if lake.catalog is None:
        return
    own = lake.catalog.startswith("spark_catalog.") and not on_databricks()
    # Spark's default is in memory, too; a platform that does not report the setting brings its own catalog.
    if own and setting(spark, "spark.sql.catalogImplementation", unknown="hive") in ("in-memory", None):
        raise ConfigError(
            f"lake.catalog {lake.catalog}: this Spark keeps its catalog in memory, and forgets it when the job ends; "
            "give it a metastore: --spark-conf spark.sql.catalogImplementation=hive, and where that is (docs/lake.md)"
        )
    try:
        spark.sql(f"DESCRIBE SCHEMA {lake.schema}").collect()
    except AnalysisException as error:
        if error.getCondition() not in _NO_SCHEMA:
            raise
        remedy = f"CREATE SCHEMA {lake.schema}, or name another"
        raise ConfigError(f"lake.catalog {lake.catalog}: there is no such schema; {remedy}") from None


def _require_delta(spark: SparkSession) -> None:
    """Raise ConfigError where a Spark that others started lacks Delta; Databricks, and a Spark that hides it, pass."""
    if not on_databricks() and EXTENSION not in (setting(spark, "spark.sql.extensions", unknown=EXTENSION) or ""):
        raise ConfigError(
            f"Spark Connect's server was started without Delta Lake: spark.sql.extensions must name {EXTENSION}"
        )
