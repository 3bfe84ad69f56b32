"""The session settings that a census changes, those of configurations, and the versions of Spark that it accepts."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from pyarrow.parquet import ParquetFile
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.defaults import SPARK, SPARK_CLUSTER
from kafka_census.errors import ConfigError
from kafka_census.spark import query_settings
from kafka_census.spark.query_settings import (
    LONG_QUERIES,
    MEDIUM_QUERIES,
    ONE_TASK,
    SHORT_QUERIES,
    fit,
    lacks_second_compiler,
    one_task,
)
from kafka_census.spark.release import require_release
from kafka_census.spark.settings import set_all, set_within, setting

OURS = "spark.kafka_census.short_queries"
ADAPTIVE, WHOLE_STAGE = "spark.sql.adaptive.enabled", "spark.sql.codegen.wholeStage"


@pytest.fixture
def made(spark: SparkSession) -> Iterator[SparkSession]:
    spark.conf.set(OURS, ",".join(SHORT_QUERIES))
    yield spark
    spark.conf.unset(OURS)
    for name, value in SHORT_QUERIES.items():
        spark.conf.set(name, value)


def settings(spark: SparkSession) -> dict[str, str | None]:
    return {name: spark.conf.get(name) for name in SHORT_QUERIES}


def test_the_number_of_landed_items_decides_how_queries_are_run(made: SparkSession) -> None:
    """Code is generated for more than a few rows, plans are adapted for many; one session may run several censuses."""
    sizes = {2_000_000: LONG_QUERIES, 1_999_999: MEDIUM_QUERIES, 300_000: MEDIUM_QUERIES, 299_999: SHORT_QUERIES}
    for items, expected in sizes.items():
        for other in (0, 20_000_000):
            fit(made, other)
            fit(made, items)
            assert settings(made) == expected


def test_what_the_operator_set_stays_and_so_does_all_of_a_session_that_was_given(made: SparkSession) -> None:
    made.conf.set(OURS, WHOLE_STAGE)
    made.conf.set(ADAPTIVE, "false")
    fit(made, 20_000_000)
    assert settings(made) == {**SHORT_QUERIES, WHOLE_STAGE: "true"}
    # On Databricks, in a notebook: no setting there is ours.
    made.conf.unset(OURS)
    fit(made, 0)
    assert settings(made) == {**SHORT_QUERIES, WHOLE_STAGE: "true"}


def test_tables_of_one_task_have_settings_of_their_own(made: SparkSession) -> None:
    broadcast, *ours = ONE_TASK
    made.conf.set(OURS, ",".join(ours))
    before = {name: made.conf.get(name, None) for name in ONE_TASK}
    with one_task(made):
        assert {name: made.conf.get(name) for name in ours} == {name: ONE_TASK[name] for name in ours}
        assert made.conf.get(broadcast, None) == before[broadcast] != ONE_TASK[broadcast]
    assert {name: made.conf.get(name, None) for name in ONE_TASK} == before


@pytest.mark.parametrize(
    ("default", "extra", "items", "lacks"),
    [
        ("-XX:+UseSerialGC -XX:TieredStopAtLevel=1", None, 2_000_000, True),
        ("-XX:+UseSerialGC -XX:TieredStopAtLevel=1", "-Da=b", 20_000_000, True),
        ("-XX:+UseSerialGC -XX:TieredStopAtLevel=1", None, 1_999_999, False),
        ("-XX:+UseSerialGC -XX:TieredStopAtLevel=1", "-XX:TieredStopAtLevel=4", 20_000_000, False),
        (None, None, 20_000_000, False),
    ],
)
def test_a_large_census_knows_that_its_jvm_lacks_the_second_compiler(
    monkeypatch: pytest.MonkeyPatch, default: str | None, extra: str | None, items: int, lacks: bool
) -> None:
    """As the package starts it; a later option overrides an earlier one. On a platform nothing is known."""
    options = {"spark.driver.defaultJavaOptions": default, "spark.driver.extraJavaOptions": extra}
    monkeypatch.setattr(query_settings, "setting", lambda _spark, name: options[name])
    assert lacks_second_compiler(None, items) is lacks  # type: ignore[arg-type]


def test_what_a_platform_does_not_take_stays_as_it_is(spark: SparkSession) -> None:
    partitions, factor, static = (
        f"spark.sql.{name}" for name in ("shuffle.partitions", "limit.scaleUpFactor", "codegen.comments")
    )
    before = {name: setting(spark, name) for name in (partitions, factor, static)}
    assert before == {partitions: "2", factor: None, static: None}
    with set_within(spark, {static: "true", partitions: "7", factor: "5"}):
        assert {name: setting(spark, name) for name in before} == {partitions: "7", factor: "5", static: None}
    assert {name: setting(spark, name) for name in before} == before
    set_all(spark, {static: "true"})
    assert setting(spark, static) is None
    with pytest.raises(Exception, match="INVALID_CONF_VALUE"), set_within(spark, {partitions: "x"}):
        pytest.fail("a value that it cannot have was taken")


def test_a_spark_that_is_too_old_is_reported_and_newer_ones_are_taken() -> None:
    for version in ("3.5.2", "3.5.7-amzn-1"):
        with pytest.raises(ConfigError, match=rf"^Spark {version} is too old: .* such as Databricks Runtime 17.3 LTS$"):
            require_release(version)
    for version in ("4.0.0", "4.1.1", "5.0.0-preview1"):
        require_release(version)


def test_what_is_landed_can_be_shared_by_tasks(made: SparkSession, tmp_path: Path) -> None:
    pages = made.range(0, 1_000, 1, 1).select(F.expr("transform(sequence(1, 300), n -> uuid())").alias("items"))
    fit(made, 0)
    pages.write.parquet(str(tmp_path / "landed"))
    (file,) = (tmp_path / "landed").glob("*.parquet")
    groups = ParquetFile(file).metadata.num_row_groups
    fit(made, 20_000_000)
    parts = made.read.parquet(str(tmp_path / "landed")).rdd.mapPartitions(lambda rows: [sum(1 for _ in rows)]).collect()
    assert groups > 3
    assert sum(count > 0 for count in parts) > 3
    pages.write.parquet(str(tmp_path / "staged"))
    (file,) = (tmp_path / "staged").glob("*.parquet")
    assert ParquetFile(file).metadata.num_row_groups == 1


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


def unknown(spark: SparkSession, given: Iterable[str]) -> list[str]:
    jvm = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    for name in DECLARING:
        jvm.java.lang.Class.forName(name, True, loader)
    find = jvm.org.apache.spark.internal.config.ConfigEntry.findEntry
    stores = jvm.java.lang.Class.forName("org.apache.spark.sql.delta.storage.LogStore$", True, loader)
    composed = {stores.getField("MODULE$").get(None).logStoreSchemeConfKey("file")}
    return sorted(name for name in given if name not in VARIABLES | OTHERS | composed and find(name) is None)


@pytest.mark.parametrize("folder", [EXAMPLES, SPARK, SPARK_CLUSTER], ids=["examples", "one machine", "cluster"])
def test_every_setting_is_declared(spark: SparkSession, folder: Path) -> None:
    """In examples and packaged configurations: Spark takes a misspelled name without a word."""
    texts = [file.read_text(encoding="utf-8") for file in folder.rglob("*") if file.is_file()]
    found = {name for text in texts for name in re.findall(r"(?<![\w./])spark\.[\w.]*\w", text)}
    assert "spark.sql.extensions" in found
    assert unknown(spark, {*found, "spark.pyspark.pythn"}) == ["spark.pyspark.pythn"]
