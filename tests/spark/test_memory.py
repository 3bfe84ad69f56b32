"""Rows that are kept in memory: from their first read until nothing needs them any more."""

import gc
import weakref

import pytest
from pyspark.sql import DataFrame, SparkSession

from kafka_census.lake.memory import computed_once, forget
from spark.test_found import jobs_of


def test_rows_of_frames_that_are_gone_are_forgotten(spark: SparkSession, request: pytest.FixtureRequest) -> None:
    """Py4J's objects refer to themselves: without a word, what holds the rows in the JVM stays as long as the job.

    Once Py4J has let go of it, Spark's cleaner drops the rows. Python's collector does not run by itself here, as in a
    job that makes few objects.
    """
    gc.collect()
    request.addfinalizer(gc.enable)
    gc.disable()
    context = spark.sparkContext

    def kept() -> set[str]:
        return set(context._jsc.sc().getPersistentRDDs().keys().toSeq().mkString(",").split(","))

    before = kept()
    frame = computed_once(spark.range(1000))
    assert frame.count() == 1000
    assert len(kept() - before) == 1
    held = weakref.ref(frame._jdf)
    del frame
    assert held() is not None
    forget()
    assert held() is None


def test_rows_are_computed_when_they_are_read(spark: SparkSession) -> None:
    """Where they are pages, that asks the brokers."""
    kept: list[DataFrame] = []
    assert jobs_of(spark, lambda: kept.append(computed_once(spark.range(1000)))) == 0
    assert jobs_of(spark, kept[0].count) > 0
    assert kept[0].count() == 1000
