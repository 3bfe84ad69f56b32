"""The only module that creates or finds the Spark session.

Jars and Delta's extension come from Spark's own configuration folder (`SPARK_CONF_DIR`, or the packaged folder where
we start Spark ourselves: `jars.spark_conf`), never from here, so that one code base runs under spark-submit, on Spark
Connect and on Databricks. This module checks that Spark is not too old and that Delta is present, before any request
is sent to Kafka. `jvm` handles a Spark in a JVM of this process, which Spark Connect's client does not have.
"""

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from kafka_census.errors import ConfigError
from kafka_census.lake.lake import Lake
from kafka_census.spark.release import EXTENSION, require_release
from kafka_census.spark.settings import setting
from kafka_census.spark.started_by import on_connect, on_databricks

_NO_SCHEMA = ("SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND")


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
