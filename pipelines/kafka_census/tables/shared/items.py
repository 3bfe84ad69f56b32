"""Columns of items, as transforms read them."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

_YEAR_9999 = 253_370_764_800_000


def broker(node_id: Column) -> Column:
    """A broker id, or null for null and for Kafka's "none", -1."""
    return F.when(node_id >= 0, node_id)


def is_true(condition: Column) -> Column:
    """The condition, but false where it is null."""
    return condition.isNotNull() & condition


def list_of(numbers: Column) -> Column:
    """A list of broker ids that is never null."""
    return F.coalesce(numbers, F.array().cast("array<int>"))


def is_remote(log_dir: Column) -> Column:
    """Whether a log dir stands for object storage, as Redpanda lists it: `remote://` and a bucket."""
    return log_dir.startswith("remote://")


def moment(milliseconds: Column) -> Column:
    """A time from milliseconds since 1970 that a client has set; null where it is out of the range of timestamps."""
    return F.when(milliseconds.between(0, _YEAR_9999), F.timestamp_millis(milliseconds))


def newest(frame: DataFrame, key: str, *columns: str) -> DataFrame:
    """One row per key: its columns as last received, and `received_at`; repeated keys cannot double rows."""
    last = F.max_by(F.struct(*columns, "received_at"), "received_at").alias("last")
    return frame.groupBy(key).agg(last).select(key, "last.*")
