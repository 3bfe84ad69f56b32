"""The one place where a Spark session is made or found.

Jars and Delta's extension come from Spark's own configuration folder (`SPARK_CONF_DIR`, or the packaged one where
we start Spark ourselves: `spark_conf`), never from here, so that one code base runs under spark-submit, on Spark
Connect and on Databricks. What is checked here is that Spark is not too old and Delta is really there, before anything
is sent to Kafka. A Spark in a JVM of this process is `spark_jvm`'s: Spark Connect's client has none.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kafka_census.errors import ConfigError
from kafka_census.lake.lake import Lake
from kafka_census.spark_settings import set_all, set_within, setting
from kafka_census.started_by import on_connect, on_databricks

EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"

OLDEST = (4, 0)
"""Spark's first release that has all that a census uses."""

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
"""What a job on one machine sets unless its operator did: a census is hundreds of short queries on a cold JVM, and
generating, compiling and re-planning them costs more than running them (103 s with code, 87 s without, two cores).
`fit` turns them back where rows weigh more. Not for shells: `spark.catalog` needs generated code."""

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
"""The same for millions of rows: Spark's defaults, and joins by parts that fit into memory, without sorting; nor are
rows sorted by census before they are written, for they are of one. A broker's pages are one file, landed in row groups
of 2 MB: tasks read these, since three files would keep two cores busy for three quarters of the time."""

ONE_TASK = {
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.optimizer.disableHints": "true",
    "spark.databricks.delta.allFilesInCrc.enabled": "false",
}
"""For tables that are each computed by one task: their frames have one part, so that a join needs neither a shuffle nor
a broadcast, which is a job of its own. Nor does Delta list the files of a table in the checksum of a commit: it runs a
query for that."""

OURS = "spark.kafka_census.short_queries"
"""Which of the settings were not the operator's."""


def session(app_name: str, config: str | None = None) -> SparkSession:
    """The session of this process, made if there is none, with the data source `kafka_admin` registered.

    config  the configuration that `kafka_admin` may read, where Spark's setting allows no other; None: its default

    Raises ConfigError where Spark is too old, and where Delta is lacking, with the command that brings it.
    """
    if on_databricks() or on_connect():
        spark = SparkSession.builder.appName(app_name).getOrCreate()
        require_release(spark.version)
        _require_delta(spark)
    else:
        from kafka_census.spark_jvm import local_session

        spark = local_session(app_name)
    from kafka_census.data_source import DEFAULT_CONFIG, kafka_admin

    spark.dataSource.register(kafka_admin(spark, DEFAULT_CONFIG if config is None else config))
    return spark


def fit(spark: SparkSession, *, small: bool) -> None:
    """Fit the settings that `session` made to the census that is to be computed: a large one has code generated."""
    settings = SHORT_QUERIES if small else LONG_QUERIES
    set_all(spark, {name: settings[name] for name in _ours(spark) & set(settings)})


@contextmanager
def one_task(spark: SparkSession) -> Iterator[None]:
    """Fit the settings that are ours to tables of one task each, until the end of the block."""
    with set_within(spark, {name: ONE_TASK[name] for name in _ours(spark) & set(ONE_TASK)}):
        yield


def _ours(spark: SparkSession) -> set[str]:
    """The settings that the operator left to us; none in a session that we were given."""
    return set(filter(None, (setting(spark, OURS) or "").split(",")))


def require_file_system(spark: SparkSession, lake: Lake) -> None:
    """Let Hadoop look for the class behind the scheme of `lake.root`: its error tells which one is missing.

    Nothing was asked of Kafka then. Where Spark is not ours (Databricks, Spark Connect) it cannot be looked for.
    """
    if lake.root is None or "://" not in lake.root or on_databricks() or on_connect():
        return
    from kafka_census.spark_jvm import require_file_system_class

    require_file_system_class(spark, lake.root.partition("://")[0])


def require_release(version: str) -> None:
    """Raise ConfigError for a release of Spark that is too old."""
    if tuple(int(number) for number in version.split(".")[:2]) < OLDEST:
        raise ConfigError(
            f"Spark {version} is too old: a census needs Spark 4.0 or newer, such as Databricks Runtime 17.3 LTS"
        )


def require_schema(spark: SparkSession, lake: Lake) -> None:
    """Raise ConfigError where `lake.catalog` is not there, or would be forgotten when the job ends."""
    if lake.catalog is None:
        return
    own = lake.catalog.startswith("spark_catalog.") and not on_databricks()
    if own and setting(spark, "spark.sql.catalogImplementation") == "in-memory":
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
    """Of a Spark that others have started. Databricks has Delta, and a platform that does not tell is taken for one."""
    if not on_databricks() and EXTENSION not in (setting(spark, "spark.sql.extensions", unknown=EXTENSION) or ""):
        raise ConfigError(
            f"Spark Connect's server was started without Delta Lake: spark.sql.extensions must name {EXTENSION}"
        )
