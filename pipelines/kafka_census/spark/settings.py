"""Settings of a Spark session: the only module that reads and sets them.

A managed platform may refuse both: Databricks' serverless compute supports few settings. A setting that cannot be read
counts as unknown, a setting that cannot be set stays as it is: ours save time or memory, and no result depends on them.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

REFUSALS = ("CONFIG_NOT_AVAILABLE", "CANNOT_MODIFY_CONFIG", "CANNOT_MODIFY_STATIC_CONFIG")
"""The conditions with which Spark and Databricks refuse a setting."""


class _Refused(Exception):
    """The platform refuses to read or to set this setting."""


def setting(spark: SparkSession, name: str, unknown: str | None = None) -> str | None:
    """The value of a setting, None where it is not set; `unknown` where the platform refuses to read it."""
    try:
        return _value(spark, name)
    except _Refused:
        return unknown


def set_all(spark: SparkSession, settings: Mapping[str, str]) -> None:
    """Set these values for the rest of the session, where the platform allows it."""
    for name, value in settings.items():
        with suppress(_Refused):
            _set(spark, name, value)


@contextmanager
def set_within(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Set these values until the end of the block, where the platform allows it."""
    before: dict[str, str | None] = {}
    try:
        for name, value in settings.items():
            with suppress(_Refused):
                given = _value(spark, name)
                _set(spark, name, value)
                before[name] = given
        yield
    finally:
        for name, given in before.items():
            _set(spark, name, given)


def _value(spark: SparkSession, name: str) -> str | None:
    with _refusals():
        return spark.conf.get(name, None)


def _set(spark: SparkSession, name: str, value: str | None) -> None:
    """Set a value; None unsets the setting."""
    with _refusals():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except PySparkException as error:
        if error.getCondition() not in REFUSALS:
            raise
        raise _Refused from error
