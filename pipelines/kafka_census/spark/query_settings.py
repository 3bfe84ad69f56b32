"""Settings of queries by the size of a census: hundreds of short queries on a cold JVM, or millions of rows.

Only those that the operator did not set are ever changed.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from kafka_census.private.pyspark import GENERATED, INTERPRETED
from kafka_census.spark import size
from kafka_census.spark.settings import set_all, set_within, setting

SHORT_QUERIES = {
    **INTERPRETED,
    "spark.sql.codegen.wholeStage": "false",
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

MEDIUM_QUERIES = SHORT_QUERIES | GENERATED | {"spark.sql.codegen.wholeStage": "true"}
"""The same settings for hundreds of thousands of rows: generated code is worth its time, planning again is not yet."""

LONG_QUERIES = {
    **GENERATED,
    "spark.sql.codegen.wholeStage": "true",
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
    "spark.sql.shuffle.partitions": "1",
}
"""Settings for tables that are each computed by one task: their frames have one partition, so that a join needs neither
a shuffle nor a broadcast, which is a separate job. What is shuffled stays in one partition, with no other shuffle."""

OURS = "spark.kafka_census.short_queries"
"""The setting that names the settings above that the operator did not set."""


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
