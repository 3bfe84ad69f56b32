"""Java still has `sun.misc.Signal`, by which a JVM ignores Ctrl-C."""

from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

from pyspark.sql import SparkSession

from kafka_census.private.java import ignore_interrupts


def test_the_jvm_ignores_interrupts(spark: SparkSession) -> None:
    jvm: Any = spark.sparkContext._jvm
    ignore_interrupts(jvm)
    signals = jvm.sun.misc
    ignored = signals.SignalHandler.SIG_IGN
    assert signals.Signal.handle(signals.Signal("INT"), ignored).equals(ignored)


def test_a_java_without_it_is_left_alone() -> None:
    """For py4j a class that does not exist is a package."""
    package = Mock(side_effect=TypeError("'JavaPackage' object is not callable"))
    ignore_interrupts(SimpleNamespace(sun=SimpleNamespace(misc=SimpleNamespace(Signal=package, SignalHandler=package))))
    package.assert_called_once_with("INT")
