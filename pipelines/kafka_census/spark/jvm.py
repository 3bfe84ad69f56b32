"""A Spark session in a JVM of this process: under spark-submit, or started by PySpark.

Only this module, `interrupts` and `private` import what Spark Connect's client lacks (`SparkContext`, py4j), and only
where there is such a JVM.
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from pyspark import SparkConf, SparkContext, __version__
from pyspark.sql import SparkSession

from kafka_census.errors import ConfigError
from kafka_census.jars.spark_conf import ONE_MACHINE, provide_spark_conf
from kafka_census.private.janino import remember_missing_classes
from kafka_census.private.java import ignore_interrupts
from kafka_census.private.py4j import remember_classes
from kafka_census.private.pyspark import forget_yarn, started_jvm
from kafka_census.spark.interrupts import interrupt_python_alone, interrupts_deferred
from kafka_census.spark.query_settings import ONE_TASK, OURS, SHORT_QUERIES
from kafka_census.spark.release import EXTENSION, require_release
from kafka_census.spark.settings import setting
from kafka_census.spark.started_by import in_driver, under_spark_submit
from kafka_census.terminal.human import short_path

_CONF_DIR = "build/spark-conf"
_STDERR = 2
_NOTE = "^WARNING: Using incubator modules"
_filters: list["subprocess.Popen[bytes]"] = []
"""Processes that live as long as a JVM; referenced here, because nobody waits for them."""


def local_session(app_name: str) -> SparkSession:
    """The session, created if there is none. Raises ConfigError where Spark is too old or Delta is missing."""
    require_release(__version__)
    options = _prepared()
    context = SparkContext.getOrCreate(SparkConf().setAppName(app_name).setAll(list(options.items())))
    interrupt_python_alone()
    context.setLogLevel("ERROR")
    spark = SparkSession.builder.config(map=options).getOrCreate()
    if OURS in options:
        forget_yarn(spark)
    _require_extension(setting(spark, "spark.sql.extensions"))
    return spark


def _prepared() -> dict[str, Any]:
    """Check spark-submit's configuration before a context starts; return the settings to add to it.

    The check for Delta comes first, so that a job started without Delta ends at once and
    without Spark's start-up messages (for a missing class Spark only warns, in thirty lines).
    A local master runs workers with `PYSPARK_PYTHON`, or else with the `python3` on the
    PATH, which is the wrong one when the environment was not activated.
    """
    if SparkSession.getActiveSession() is not None:
        return {}
    if not under_spark_submit():
        provide_spark_conf()
    # SparkConf reads spark-submit's configuration through the JVM, which is otherwise started later.
    with interrupts_deferred(), _without_note_of_modules():
        jvm = started_jvm()
    conf = SparkConf()
    _require_extension(conf.get("spark.sql.extensions", ""))
    # Otherwise spark-submit's JVM would end at Ctrl-C, before the driver.
    ignore_interrupts(jvm)
    remember_classes(jvm)
    remember_missing_classes(jvm)
    # Delta prints there what each VACUUM has deleted: stdout is for results, of which `--json` makes lines of JSON.
    jvm.java.lang.System.setOut(jvm.java.lang.System.err)
    _require_jars(jvm)
    if not in_driver(conf.get("spark.master")):
        _require_cluster_conf(conf)
        return {}
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    short = {name: value for name, value in SHORT_QUERIES.items() if conf.get(name) is None}
    ours = [*short, *(name for name in ONE_TASK if conf.get(name) is None)]
    return {**short, OURS: ",".join(ours)}


@contextmanager
def _without_note_of_modules() -> Iterator[None]:
    """Keep the JVM's line about an incubating module off a terminal.

    Spark's launcher adds the module to every JVM, and Java has no option against the line. So grep stands between the
    terminal and the JVM that starts in this block: unlike a thread of ours, it ends with the JVM. A log keeps the line.
    """
    grep = shutil.which("grep")
    if grep is None or under_spark_submit() or not os.isatty(_STDERR):
        yield
        return
    terminal = os.dup(_STDERR)
    options = ("--text", "--line-buffered", "--invert-match")
    try:
        passing = subprocess.Popen([grep, *options, _NOTE], stdin=subprocess.PIPE, stdout=terminal)
        _filters.append(passing)
        with cast("IO[bytes]", passing.stdin) as entrance:
            sys.stderr.flush()
            os.dup2(entrance.fileno(), _STDERR)
            try:
                yield
            finally:
                os.dup2(terminal, _STDERR)
    finally:
        os.close(terminal)


def _require_cluster_conf(conf: SparkConf) -> None:
    """Raise ConfigError where a cluster job has the folder for one machine: driver on loopback, small heap."""
    if conf.get(ONE_MACHINE) is not None:
        raise ConfigError(
            f"Spark's configuration is the one for a single machine, and spark.master is {conf.get('spark.master')}: "
            "executors could not reach the driver; use the one that make dist writes: SPARK_CONF_DIR=dist/cluster/conf "
            "(docs/spark-cluster.md)"
        )


def _require_extension(extensions: str | None) -> None:
    if EXTENSION not in (extensions or ""):
        raise ConfigError(f"Spark was started without Delta Lake; {_remedy()}")


def _require_jars(jvm: Any) -> None:
    """Raise ConfigError where the JVM does not find the class of Delta's extension."""
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    if loader.getResource(f"{EXTENSION.replace('.', '/')}.class") is None:
        raise ConfigError(f"Spark is configured for Delta Lake, but its jars are missing; {_remedy()}")


def _remedy() -> str:
    """The commands that fix the start of this job, with the Python that runs it."""
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
