"""Rows that are read several times, held in memory meanwhile where Spark lets one."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame
from pyspark.sql.utils import is_remote

from kafka_census.spark_settings import setting
from kafka_census.started_by import in_driver


@contextmanager
def in_memory(frame: DataFrame) -> Iterator[DataFrame]:
    """The frame, kept from its first reading to the end of the block; as it is over Connect."""
    if is_remote():  # serverless forbids caching, and is always remote
        yield frame
        return
    kept = frame.persist()
    try:
        yield kept
    finally:
        kept.unpersist()


def computed_once(frame: DataFrame) -> DataFrame:
    """The frame with its columns, its rows computed when they are first read, and kept as long as anybody holds it.

    Unlike what is persisted, the rows are cut off from the tables that they were read from: a write to such a table
    makes Spark plan each persisted frame anew, and Delta look for its files again. Only in local mode: elsewhere rows
    may be lost with their executor, and there the frame stays as it is, as it does over Connect.
    """
    if is_remote() or not in_driver(setting(frame.sparkSession, "spark.master")):
        return frame
    return frame.localCheckpoint(eager=False)
