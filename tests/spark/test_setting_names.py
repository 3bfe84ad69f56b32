"""Settings of Spark in examples and in packaged configurations have names that Spark or Delta declares.

Spark takes a misspelled name without a word.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from kafka_census.defaults import SPARK, SPARK_CLUSTER

EXAMPLES = Path(__file__).parents[2] / "examples"

DECLARING = (
    *(f"org.apache.spark.internal.config.{name}$" for name in ("package", "Network", "Python", "UI")),
    *(f"org.apache.spark.sql.internal.{name}$" for name in ("SQLConf", "StaticSQLConf")),
    *("org.apache.spark.deploy.yarn.config.package$", "org.apache.spark.deploy.k8s.Config$"),
    "org.apache.spark.sql.delta.sources.DeltaSQLConf$",
)
"""Objects of Spark's and Delta's that declare settings when they are loaded."""

VARIABLES = {f"spark.{family}.PYSPARK_PYTHON" for family in ("executorEnv", "yarn.appMasterEnv")}
"""Families that are open by design: variables of executors, and of a driver on YARN."""

OTHERS = {"spark.master", "spark.driver.defaultJavaOptions", "spark.kafka_census.one_machine"}
"""What Spark reads without declaring it, and what is ours."""


def names(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w./])spark\.[\w.]*\w", text))


def unknown(spark: SparkSession, given: Iterable[str]) -> list[str]:
    jvm = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    for name in DECLARING:
        jvm.java.lang.Class.forName(name, True, loader)
    find = jvm.org.apache.spark.internal.config.ConfigEntry.findEntry
    return sorted(name for name in given if name not in VARIABLES | OTHERS and find(name) is None)


@pytest.mark.parametrize("folder", [EXAMPLES, SPARK, SPARK_CLUSTER], ids=["examples", "one machine", "cluster"])
def test_every_setting_is_declared(spark: SparkSession, folder: Path) -> None:
    found = {name for file in folder.rglob("*") if file.is_file() for name in names(file.read_text(encoding="utf-8"))}
    assert "spark.sql.extensions" in found
    assert unknown(spark, {*found, "spark.pyspark.pythn"}) == ["spark.pyspark.pythn"]
