"""What a large census changes of the session that its job has made."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow.parquet import ParquetFile
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from kafka_census.spark import LONG_QUERIES, ONE_TASK, SHORT_QUERIES, fit, one_task

OURS = "spark.kafka_census.short_queries"
ADAPTIVE, WHOLE_STAGE = "spark.sql.adaptive.enabled", "spark.sql.codegen.wholeStage"


@pytest.fixture
def made(spark: SparkSession) -> Iterator[SparkSession]:
    """A session as a job makes it where its operator has set nothing."""
    spark.conf.set(OURS, ",".join(SHORT_QUERIES))
    yield spark
    spark.conf.unset(OURS)
    for name, value in SHORT_QUERIES.items():
        spark.conf.set(name, value)


def settings(spark: SparkSession) -> dict[str, str | None]:
    """What the session has now."""
    return {name: spark.conf.get(name) for name in SHORT_QUERIES}


def test_a_large_census_has_code_generated_and_a_small_one_has_not(made: SparkSession) -> None:
    """There and back: one session may see to several censuses."""
    fit(made, small=False)
    assert settings(made) == LONG_QUERIES
    fit(made, small=True)
    assert settings(made) == SHORT_QUERIES


def test_what_the_operator_set_stays(made: SparkSession) -> None:
    """Whatever the size."""
    made.conf.set(OURS, WHOLE_STAGE)
    made.conf.set(ADAPTIVE, "false")
    fit(made, small=False)
    assert settings(made) == {**SHORT_QUERIES, WHOLE_STAGE: "true"}


def test_tables_of_one_task_have_settings_of_their_own(made: SparkSession) -> None:
    """Within the block; what the operator set stays."""
    broadcast, *ours = ONE_TASK
    made.conf.set(OURS, ",".join(ours))
    before = {name: made.conf.get(name, None) for name in ONE_TASK}
    with one_task(made):
        assert {name: made.conf.get(name) for name in ours} == {name: ONE_TASK[name] for name in ours}
        assert made.conf.get(broadcast, None) == before[broadcast] != ONE_TASK[broadcast]
    assert {name: made.conf.get(name, None) for name in ONE_TASK} == before


def test_a_session_that_was_given_is_left_alone(made: SparkSession) -> None:
    """On Databricks, in a notebook: nothing there is ours."""
    made.conf.unset(OURS)
    fit(made, small=False)
    assert settings(made) == SHORT_QUERIES


def test_what_is_landed_can_be_shared_by_tasks(made: SparkSession, tmp_path: Path) -> None:
    """A file of some megabytes is read by several tasks: it has row groups, and a task is given one."""
    pages = made.range(0, 1_000, 1, 1).select(F.expr("transform(sequence(1, 300), n -> uuid())").alias("items"))
    fit(made, small=True)
    pages.write.parquet(str(tmp_path / "landed"))
    (file,) = (tmp_path / "landed").glob("*.parquet")
    groups = ParquetFile(file).metadata.num_row_groups
    fit(made, small=False)
    parts = made.read.parquet(str(tmp_path / "landed")).rdd.mapPartitions(lambda rows: [sum(1 for _ in rows)]).collect()
    assert groups > 3
    assert sum(count > 0 for count in parts) > 3
    pages.write.parquet(str(tmp_path / "staged"))
    (file,) = (tmp_path / "staged").glob("*.parquet")
    assert ParquetFile(file).metadata.num_row_groups == 1
