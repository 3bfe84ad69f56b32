"""Rows that are read several times, held in memory meanwhile where Spark lets one."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame
from pyspark.sql.utils import is_remote


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
