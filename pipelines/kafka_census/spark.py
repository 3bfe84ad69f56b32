"""The one place where a Spark session is made.

Jars and Delta's extension come from Spark's own configuration folder (`SPARK_CONF_DIR`, or the packaged one where
we start Spark ourselves: `spark_conf`), never from here, so that one code base runs under spark-submit, on Spark
Connect and on Databricks. What is checked here is that Delta is really there, before anything is sent to Kafka.
"""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from kafka_census.errors import ConfigError
from kafka_census.lake.lake import Lake
from kafka_census.spark_conf import provide_spark_conf
from kafka_census.spark_interrupts import interrupt_python_alone, interrupts_deferred, leave_interrupts_to_python
from kafka_census.started_by import on_connect, on_databricks, under_spark_submit
from kafka_census.wording import short_path

_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
_CONF_DIR = "build/spark-conf"

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

_OURS = "spark.kafka_census.short_queries"
"""Which of the settings were not the operator's."""


def session(app_name: str, config: str | None = None) -> SparkSession:
    """The session of this process, made if there is none, with the data source `kafka_admin` registered.

    config  the configuration that `kafka_admin` may read, where Spark's setting allows no other; None: its default

    Raises ConfigError where Delta is lacking, with the command that brings it.
    """
    if on_databricks() or on_connect():
        spark = SparkSession.builder.appName(app_name).getOrCreate()
    else:
        options = _prepare_local()
        context = SparkContext.getOrCreate(SparkConf().setAppName(app_name).setAll(list(options.items())))
        interrupt_python_alone()
        context.setLogLevel("ERROR")
        spark = SparkSession.builder.config(map=options).getOrCreate()
    if not on_databricks():
        _require_extension(spark.conf.get("spark.sql.extensions", ""))
    from kafka_census.data_source import DEFAULT_CONFIG, kafka_admin

    spark.dataSource.register(kafka_admin(spark, DEFAULT_CONFIG if config is None else config))
    return spark


def fit(spark: SparkSession, *, small: bool) -> None:
    """Fit the settings that `session` made to the census that is to be computed: a large one has code generated."""
    settings = SHORT_QUERIES if small else LONG_QUERIES
    for name in _ours(spark) & set(settings):
        spark.conf.set(name, settings[name])


@contextmanager
def one_task(spark: SparkSession) -> Iterator[None]:
    """Fit the settings that are ours to tables of one task each, until the end of the block."""
    ours = _ours(spark) & set(ONE_TASK)
    before = {name: spark.conf.get(name, None) for name in ours}
    try:
        for name in ours:
            spark.conf.set(name, ONE_TASK[name])
        yield
    finally:
        for name, value in before.items():
            if value is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, value)


def _ours(spark: SparkSession) -> set[str]:
    """The settings that the operator left to us; none in a session that we were given."""
    return set(filter(None, (spark.conf.get(_OURS, None) or "").split(",")))


def _prepare_local() -> dict[str, Any]:
    """Look at spark-submit's configuration before a context starts; what is to be added to it.

    The check for Delta comes first here, so that a job started without it ends at once and
    without Spark's start-up noise (of a missing class it only warns, in thirty lines). And
    a local master runs workers with `PYSPARK_PYTHON`, or else whatever `python3` is on the
    PATH: the wrong one when the environment was not activated.
    """
    if SparkSession.getActiveSession() is not None:
        return {}
    if not under_spark_submit():
        provide_spark_conf()
    # SparkConf reads spark-submit's configuration through the JVM, which is otherwise started later.
    with interrupts_deferred():
        SparkContext._ensure_initialized()  # noqa: SLF001 - no public call does only this
    conf = SparkConf()
    _require_extension(conf.get("spark.sql.extensions", ""))
    jvm: Any = SparkContext._jvm  # noqa: SLF001 - the JVM that was just started
    leave_interrupts_to_python(jvm)
    _require_jars(jvm)
    if not (conf.get("spark.master") or "local").startswith("local"):
        return {}
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    short = {name: value for name, value in SHORT_QUERIES.items() if conf.get(name) is None}
    ours = [*short, *(name for name in ONE_TASK if conf.get(name) is None)]
    return {**short, _OURS: ",".join(ours)}


def require_file_system(spark: SparkSession, lake: Lake) -> None:
    """Let Hadoop look for the class behind the scheme of `lake.root`: its error tells which one is missing.

    Nothing was asked of Kafka then. Where Spark is not ours (Databricks, Spark Connect) it cannot be looked for.
    """
    if lake.root is None or "://" not in lake.root or on_databricks() or on_connect():
        return
    scheme = lake.root.partition("://")[0]
    context: Any = spark.sparkContext
    context._jvm.org.apache.hadoop.fs.FileSystem.getFileSystemClass(scheme, context._jsc.hadoopConfiguration())  # noqa: SLF001


def _require_extension(extensions: str | None) -> None:
    if _EXTENSION not in (extensions or ""):
        raise ConfigError(f"Spark was started without Delta Lake; {_remedy()}")


def _require_jars(jvm: Any) -> None:
    """The extension's class must be where the JVM will look for it."""
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    if loader.getResource(f"{_EXTENSION.replace('.', '/')}.class") is None:
        raise ConfigError(f"Spark is configured for Delta Lake, but its jars are missing; {_remedy()}")


def _remedy() -> str:
    """The commands that would have worked, as this job was started, with the Python that runs it."""
    python = Path(sys.executable)
    short = shlex.quote(short_path(str(python)))
    if not under_spark_submit():
        return f"unset SPARK_CONF_DIR, or fill that folder: {short} -m kafka_census.jars --spark-conf $SPARK_CONF_DIR"
    submit = python.with_name("spark-submit")
    command = [short_path(str(submit)) if submit.exists() else "spark-submit", os.path.relpath(sys.argv[0])]
    environment = f"SPARK_CONF_DIR={_CONF_DIR} PYSPARK_PYTHON={short}"
    return (
        f"run {short} -m kafka_census.jars --spark-conf {_CONF_DIR}, then: {environment} "
        f"{shlex.join([*command, *sys.argv[1:]])}"
    )
