"""Every question is understood by both engines.

That the answers are so is shown at a large emulated cluster (emulator/test_truth_at_size.py,
emulator/test_what_people_ask.py, which asks each question of the page).
"""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from harness.both_engines import IN_DUCKDB
from harness.page_lake import CLUSTER_ID, page_lake
from harness.small_lake import append, census_id
from kafka_census.declarations import freshness
from kafka_census.declarations.audit import CENSUS_RUNS, PUBLICATIONS, QUARANTINE
from kafka_census.reading.sql.session import Session
from kafka_census.tables.coordinator_load.columns import COORDINATOR_LOAD
from kafka_census.tables.problems import PROBLEMS
from spark.landed_items import rows_of, viewed
from tools.lakeview import CLUSTER, DATASETS


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> str:
    root: Path = page_lake(tmp_path_factory.mktemp("lake"))
    ids = [{"census_id": census_id(number), "cluster_id": CLUSTER_ID} for number in (1, 2, 3)]
    append(root, CENSUS_RUNS, [one | {"event": "published"} for one in ids])
    append(root, QUARANTINE, [one | {"table_name": "brokers"} for one in ids])
    return str(root)


def test_questions_of_the_dictionary_have_the_same_columns_in_both(spark: SparkSession, lake: str) -> None:
    """Spark needs no rows to tell its columns: its views are of empty tables, as there are many logs in a lake."""
    empty = viewed(spark, {})
    results = Session(lake).results(";\n".join(IN_DUCKDB.values()))
    assert [list(result.columns) for result in results] == [empty.sql(question).columns for question in IN_DUCKDB]


def test_what_a_headline_proposes_for_each_kind_of_problem_is_answered(lake: str) -> None:
    asked = [problem.sql for problem in PROBLEMS]
    rows = [len(list(result.rows)) for result in Session(lake).results(";\n".join(asked))]
    assert len(rows) == len(asked)
    assert rows[0] == 2, "offline partitions"


def test_the_dashboard_of_databricks_shows_columns_that_its_queries_have_in_both(
    spark: SparkSession, lake: str
) -> None:
    empty = viewed(spark, {})
    rows_of(empty, PUBLICATIONS, []).createTempView(PUBLICATIONS.name)
    rows_of(empty, CENSUS_RUNS, []).createTempView(CENSUS_RUNS.name)
    fresh = freshness.query(PUBLICATIONS.name, CENSUS_RUNS.name, freshness.SPARK)
    empty.sql(fresh).createTempView(freshness.NAME)
    for dataset, result in zip(DATASETS, Session(lake).results(";\n".join(each.sql for each in DATASETS)), strict=True):
        assert list(result.columns) == empty.sql(dataset.sql).columns
        shown = {column for widget in dataset.widgets for column in widget.columns}
        assert shown | {CLUSTER} <= {*result.columns}, dataset.name


def test_a_coordinator_whose_groups_nobody_would_take_over_is_answered(spark: SparkSession) -> None:
    """No emulated cluster has it."""
    known = {"broker_id": 3, "groups": 5, "groups_stranded": 5, "transactional_ids_stranded": 0}
    fresh = spark.newSession()
    rows_of(fresh, COORDINATOR_LOAD, [known]).createTempView("current_coordinator_load")
    [answer] = fresh.sql(COORDINATOR_LOAD.questions[0].sql).collect()
    assert (answer.groups_stranded, answer.broker_id) == (5, None)
