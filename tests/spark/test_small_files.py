"""A lake without maintenance stays fast to read: publishing compacts the files of `publications`."""

from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

import pytest
from pyspark.sql import SparkSession

import kafka_census
from kafka_census.clock import Clock
from kafka_census.lake import store
from kafka_census.lake.lake import Lake
from kafka_census.lake.rows import local_frame
from kafka_census.lake.runs import Runs
from kafka_census.progress import NullProgress, Progress
from kafka_census.publish import promote as promoting
from kafka_census.publish.promote import promote
from kafka_census.tables.audit import CENSUS_RUNS, PUBLICATIONS
from kafka_census.tables.quotas import QUOTAS
from kafka_census.tables.table import Table
from spark.fake_lake import census, passing
from spark.planted_tables import staged_row

MOST, PUBLISHED = 3, 8


@pytest.fixture
def lake(spark: SparkSession, tmp_path: Path) -> Lake:
    made = Lake(root=str(tmp_path / "lake"))
    rows = [staged_row(QUOTAS, census(number), "kraft-id") for number in range(PUBLISHED)]
    store.append(local_frame(spark, rows, QUOTAS.schema), made, QUOTAS, "test")
    return made


def publish(spark: SparkSession, lake: Lake, number: int, progress: Progress) -> None:
    promote(spark, lake, census(number), passing(1, tables=(QUOTAS,)), progress)
    Runs(spark, lake, Clock()).note(census(number), "published")


def files(spark: SparkSession, lake: Lake, table: Table) -> int:
    return len(store.read(spark, lake, table).inputFiles())


def test_files_are_put_together_once_in_a_while(
    spark: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promoting, "MOST_FILES", MOST)
    opened = []
    for number in range(PUBLISHED):
        publish(spark, lake, number, NullProgress())
        opened.append(files(spark, lake, PUBLICATIONS))
    assert opened == [1, 2, 3, 1, 2, 3, 1, 2]
    history = spark.sql(f"DESCRIBE HISTORY {lake.name_of(PUBLICATIONS)}").collect()
    commits = "".join(row.operation[0] for row in reversed(history))
    assert commits == "WWWWOWWWOW", "each write, and OPTIMIZE"
    assert files(spark, lake, CENSUS_RUNS) <= MOST
    kafka_census.register(spark, str(lake.root))
    assert [row.census_id for row in spark.table("current_quotas").collect()] == [census(PUBLISHED - 1).census_id]
    assert spark.table("history_quotas").count() == PUBLISHED
    (without_spark,) = kafka_census.current(str(lake.root), "quotas")
    assert without_spark.to_table()["census_id"].to_pylist() == [census(PUBLISHED - 1).census_id]


def test_files_that_cannot_be_put_together_do_not_keep_a_census_from_readers(
    spark: SparkSession, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promoting, "MOST_FILES", 1)
    reported: list[tuple[str, Mapping[str, object]]] = []
    publish(spark, lake, 0, NullProgress())
    with patch.object(store, "commit", side_effect=RuntimeError("other writers came first\nagain and again")):
        publish(spark, lake, 1, lambda event, **fields: reported.append((event, fields)))
    assert (
        "not_optimized",
        {"table": "audit/publications", "error": "RuntimeError: other writers came first"},
    ) in reported
    kafka_census.register(spark, str(lake.root))
    assert [row.census_id for row in spark.table("current_quotas").collect()] == [census(1).census_id]
    assert files(spark, lake, PUBLICATIONS) == 2
    publish(spark, lake, 2, NullProgress())
    assert files(spark, lake, PUBLICATIONS) == 1
