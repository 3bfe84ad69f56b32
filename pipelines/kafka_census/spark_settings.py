"""Settings of a Spark session: the only place that reads and sets them.

A managed platform may refuse both: Databricks' serverless compute knows a short list. A setting that it does not tell
is not known, one that it does not take stays as it is: what we set saves time or memory, and a census is right without.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

REFUSALS = ("CONFIG_NOT_AVAILABLE", "CANNOT_MODIFY_CONFIG", "CANNOT_MODIFY_STATIC_CONFIG")
"""The conditions with which Spark and Databricks refuse a setting."""


class _Refused(Exception):
    """The platform neither tells nor takes this setting."""


def setting(spark: SparkSession, name: str, unknown: str | None = None) -> str | None:
    """The value that a setting was given, None where it was given none; `unknown` where the platform does not tell."""
    try:
        return _value(spark, name)
    except _Refused:
        return unknown


def set_all(spark: SparkSession, settings: Mapping[str, str]) -> None:
    """Give settings these values, for the rest of the session, where the platform takes them."""
    for name, value in settings.items():
        with suppress(_Refused):
            _set(spark, name, value)


@contextmanager
def set_within(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Give settings these values until the end of the block, where the platform takes them."""
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
    """None takes back what was set."""
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
