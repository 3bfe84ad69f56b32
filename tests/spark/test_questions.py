"""The questions of the data dictionary are SQL that runs over the views of the tables."""

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType

from kafka_census.lake.rows import local_frame
from kafka_census.tables import TABLES
from kafka_census.tables.coordinator_load import COORDINATOR_LOAD
from kafka_census.tables.table import Table

SCHEMA = COORDINATOR_LOAD.schema


@pytest.fixture(scope="module")
def views(spark: SparkSession) -> None:
    for table in TABLES:
        row = [[] if isinstance(field.dataType, ArrayType) else None for field in table.schema]
        frame = local_frame(spark, [row], table.schema)
        for view in ("current", "history"):
            frame.createOrReplaceTempView(f"{view}_{table.name}")


@pytest.mark.usefixtures("views")
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_question_is_answered_from_its_table(spark: SparkSession, table: Table) -> None:
    for question in table.questions:
        assert question.text.endswith("?")
        assert f"_{table.name}" in question.sql
        assert len(spark.sql(question.sql).collect()) <= 1


def test_a_coordinator_whose_groups_nobody_would_take_over_is_answered(spark: SparkSession) -> None:
    known = {"broker_id": 3, "groups": 5, "groups_stranded": 5, "transactional_ids_stranded": 0, "if_lost": []}
    row = [known.get(field.name, [] if isinstance(field.dataType, ArrayType) else None) for field in SCHEMA]
    local_frame(spark, [row], SCHEMA).createOrReplaceTempView("current_coordinator_load")
    [answer] = spark.sql(COORDINATOR_LOAD.questions[0].sql).collect()
    assert (answer.groups_stranded, answer.broker_id) == (5, None)
