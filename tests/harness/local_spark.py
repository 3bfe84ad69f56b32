"""A local Spark session with Delta and the settings of jobs on one machine: for tests and benchmarks."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from kafka_census.jars.class_archive import archive_for
from kafka_census.jars.delta import delta_jars
from kafka_census.private.py4j import remember_classes
from kafka_census.private.pyspark import forget_yarn
from kafka_census.spark.query_settings import SHORT_QUERIES

_TESTS = Path(__file__).parents[1]

_ROOM = "-XX:+UseSerialGC -Xms4g -Xmn2g -XX:MetaspaceSize=512m -XX:ReservedCodeCacheSize=400m -XX:-UseCodeCacheFlushing"
_LITTLE_INLINED = "-XX:MaxInlineLevel=6 -XX:InlineSmallCode=1200 -XX:FreqInlineSize=150 -XX:-DoEscapeAnalysis"
_COMMON = f"{_ROOM} -Djdk.lang.Process.launchMechanism=VFORK"
JVM = f"{_COMMON} {_LITTLE_INLINED}"
"""Unlike conf/spark/spark-defaults.conf: two test processes keep both cores busy, so compilers have no free core.

More memory: in a session of half an hour garbage collection, and growing the space of classes and code, took a
twentieth. Less inlining: the second compiler took 90 of the first 320 s; less inlining saves a twelfth of the time of
33 tests in five minutes, and is no slower later. Without that compiler each query takes half as long again.
vfork: Hadoop runs chmod a dozen times per commit: 1.4 ms each by vfork, 2.1 by Java's own helper.
"""

JVM_OF_A_FEW_JOBS = f"{_COMMON} -XX:TieredStopAtLevel=1"
"""For a session of a few minutes, whose second compiler would take a third of the CPU time and never earn it back."""

MANY_LAKES = {
    "spark.driver.memory": "6g",
    "spark.buffer.pageSize": "1m",
    "spark.databricks.delta.delta.log.cacheSize": "120",
    "spark.sql.ui.retainedExecutions": "10",
    "spark.ui.retainedJobs": "100",
    "spark.ui.retainedStages": "100",
}
"""Settings that a session of half an hour needs in addition to a job's.

Delta caches the log of every table of every test, with its plans, and Spark every query for a UI that is off: in 2 GB
the last tests mostly collected garbage. And a broadcast of one row holds a page of Spark's memory until it is
collected: 64 MB in a heap of this size.
"""


QUICK_TASKS = {
    "spark.sql.files.minPartitionNum": "1",
    "spark.sql.files.openCostInBytes": "4096",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
    "spark.python.daemon.module": "kafka_census.landing.fetch.worker_daemon",
    "spark.executorEnv.PYTHONPATH": f"{_TESTS}{os.pathsep}{_TESTS.parent / 'pipelines'}",
    "spark.python.unix.domain.socket.enabled": "true",
}
"""Settings for tests only, whose tasks are nearly empty.

One task reads all files of a table, instead of three, and two list the folders of a VACUUM, instead of 10,000. Python
workers start with their imports done. They are connected by unix sockets: over TCP each side waits for the other's
delayed acknowledgement, 0.04 s per task.
"""


def local_session(app_name: str, folder: Path, more: Mapping[str, str] | None = None, jvm: str = JVM) -> SparkSession:
    """Two cores, few partitions, no UI; the warehouse is in the folder.

    more  further settings of Spark
    jvm   the options of its JVM
    """
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    delta = delta_jars()
    archive = archive_for(delta)
    options = {
        "spark.jars": ",".join(map(str, delta)),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.databricks.delta.allFilesInCrc.enabled": "false",
        "spark.delta.logStore.file.impl": "io.delta.storage.LocalLogStore",
        **SHORT_QUERIES,
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder} {jvm} {archive.options}",
        "spark.driver.extraClassPath": archive.class_path,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        **MANY_LAKES,
        **(more or {}),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    session = SparkSession.builder.master("local[2]").appName(app_name).config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    forget_yarn(session)
    remember_classes(session.sparkContext._jvm)
    return session
