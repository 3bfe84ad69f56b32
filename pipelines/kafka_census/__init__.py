"""kafka-census: a census of Apache Kafka's control plane, with Spark.

Collecting (`landing` > `kafka`) asks the brokers page by page and lands every page in Delta. Computing (`reading` >
`census` > `tables` > `pages`) turns landed pages into tables, judges them and publishes them. The two halves meet only
in `declarations`. See ARCHITECTURE.md for the reading order.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

    from pyarrow.dataset import Dataset
    from pyspark.sql import SparkSession

    from kafka_census.reading.datasets import Current

__version__ = "0.2.0"


def register(spark: "SparkSession", lake: str) -> None:
    """Make the views `current_`, `history_` and `candidate_<table>`, and functions `<table>_as_of(time)`, of a lake.

    `lake` is the root path, which may be relative, (temporary ones) or `catalog.schema` (permanent ones).
    """
    from kafka_census.census.publish.views import register as register_views

    register_views(spark, lake)


def current(
    lake: str,
    *tables: str,
    storage_options: "Mapping[str, str] | None" = None,
    max_age: "timedelta | None" = None,
) -> "Current":
    """The last published census of each cluster: a pyarrow dataset for each table, read without Spark.

    The result is a tuple with an attribute `freshness`: how old the census of each cluster is, and what became of a
    newer one. Raises `kafka_census.errors.Stale` where one is older than `max_age`.
    """
    from kafka_census.reading.datasets import current as read_current

    return read_current(lake, *tables, storage_options=storage_options, max_age=max_age)


def history(lake: str, *tables: str, storage_options: "Mapping[str, str] | None" = None) -> "tuple[Dataset, ...]":
    """Every published census: a pyarrow dataset for each table, read without Spark."""
    from kafka_census.reading.datasets import history as read_history

    return read_history(lake, *tables, storage_options=storage_options)


def as_of(
    lake: str, at: "datetime", *tables: str, storage_options: "Mapping[str, str] | None" = None
) -> "tuple[Dataset, ...]":
    """The census of each cluster that was the last published one at a time: a pyarrow dataset for each table."""
    from kafka_census.reading.datasets import as_of as read_as_of

    return read_as_of(lake, at, *tables, storage_options=storage_options)
