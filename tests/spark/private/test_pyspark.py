"""PySpark's private names lead to the JVM and to Hadoop in it; Spark still has its switch for generated code."""

import pytest
from pyspark import SparkContext
from pyspark.errors import IllegalArgumentException
from pyspark.sql import SparkSession

from kafka_census.errors import ConfigError
from kafka_census.private import pyspark as private


def test_the_jvm_and_the_context_are_those_of_the_session(spark: SparkSession) -> None:
    assert private.active_context() is spark.sparkContext
    assert private.started_jvm().org.apache.spark.package.SPARK_VERSION() == spark.version


def test_a_jvm_without_a_context_is_killed(monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> None:
    """That of the session is the process that would be killed, which is the one that PySpark started."""
    killed: list[int] = []
    process = spark.sparkContext._gateway.proc  # type: ignore[union-attr]
    monkeypatch.setattr(process, "kill", lambda: killed.append(process.pid))
    private.kill_jvm()
    assert killed == [process.pid]


def test_hadoop_says_where_paths_are_and_loads_the_class_of_a_scheme(spark: SparkSession) -> None:
    assert private.default_file_system(spark) == "file:///"
    private.require_file_system_class(spark, "hdfs")
    with pytest.raises(Exception, match='No FileSystem for scheme "nowhere"'):
        private.require_file_system_class(spark, "nowhere")


def test_hadoop_forgets_what_yarn_would_read_and_nothing_else(spark: SparkSession) -> None:
    settings = spark.sparkContext._jsc.hadoopConfiguration()
    settings.set("yarn.acl.enable", "true")
    before = int(settings.size())
    private.forget_yarn(spark)
    assert (settings.get("yarn.acl.enable"), settings.size(), settings.get("fs.defaultFS")) == (
        None,
        before - 1,
        "file:///",
    )


def test_spark_has_the_switch_for_generated_code(spark: SparkSession) -> None:
    """It has a default, which only a setting that Spark knows has, and refuses what is none of its values."""
    (switch,) = private.GENERATED
    session = spark.newSession()
    session.conf.unset(switch)
    assert {switch: session.conf.get(switch)} == private.GENERATED
    session.conf.set(switch, private.INTERPRETED[switch])
    with pytest.raises(IllegalArgumentException):
        session.conf.set(switch, "NEVER")


def test_a_release_without_a_name_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> None:
    monkeypatch.delattr(SparkContext, "_ensure_initialized")
    with pytest.raises(ConfigError, match=rf"^PySpark {spark.version} is installed, [^\n]*'pyspark~=4\.2\.0' [^\n]*$"):
        private.started_jvm()
