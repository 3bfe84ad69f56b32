"""Rows that are read several times, kept in memory where Spark allows it."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.utils import is_remote

from kafka_census.spark.settings import setting
from kafka_census.spark.started_by import in_driver


@contextmanager
def in_memory(frame: DataFrame) -> Iterator[DataFrame]:
    """The frame, kept from its first read to the end of the block; unchanged over Connect."""
    if is_remote():  # serverless forbids caching, and is always remote
        yield frame
        return
    kept = frame.persist()
    try:
        yield kept
    finally:
        kept.unpersist()


def computed_once(frame: DataFrame) -> DataFrame:
    """The frame with its columns; its rows are computed on the first read, and kept while the returned frame is in use.

    Unlike those of a persisted frame, the rows no longer depend on their source tables: a write to such a table
    makes Spark plan each persisted frame again, and Delta list its files again. Only in local mode: elsewhere rows
    may be lost with their executor. There, and over Connect, the frame is returned unchanged.
    """
    return frame.localCheckpoint(eager=False) if keeps_rows(frame.sparkSession) else frame


def keeps_rows(spark: SparkSession) -> bool:
    """Whether `computed_once` keeps rows in this session."""
    return not is_remote() and in_driver(setting(spark, "spark.master"))


def forget() -> None:
    """Let Spark drop the rows of `computed_once` that no frame in use needs any more.

    PySpark's objects refer to themselves, so that they last until Python's collector runs, which may be never.
    """
    gc.collect()
