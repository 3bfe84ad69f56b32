"""Rows that are kept in memory: until nothing needs them any more."""

import gc
import time
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from kafka_census.lake.memory import computed_once, forget

WITHIN_S = 120
"""Spark's cleaner first works off what the tests before have left, one thing after the other."""


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Python's collector does not run by itself, as in a job that makes few objects."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def kept(spark: SparkSession) -> set[str]:
    """The ids of what Spark keeps in memory, after the JVM has collected what nothing refers to.

    The answer refers to all of it until Python's collector runs.
    """
    context = spark.sparkContext
    assert context._jvm is not None
    context._jvm.java.lang.System.gc()
    return set(context._jsc.sc().getPersistentRDDs().keys().toSeq().mkString(",").split(","))  # type: ignore[attr-defined]


@pytest.mark.usefixtures("no_collector")
def test_rows_of_frames_that_are_gone_are_forgotten(spark: SparkSession) -> None:
    """PySpark's frames refer to themselves: without a word, the rows stay as long as the job."""
    before = kept(spark)
    frame = computed_once(spark.range(1000))
    assert frame.count() == 1000
    del frame
    [ours] = kept(spark) - before
    ends = time.monotonic() + WITHIN_S
    while ours in kept(spark) and time.monotonic() < ends:
        forget()
        time.sleep(0.2)
    assert ours not in kept(spark)
