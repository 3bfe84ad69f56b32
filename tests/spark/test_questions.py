"""Questions of the data dictionary about rows that no emulated cluster has; all are asked of one in tests/emulator."""

from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType

from kafka_census.lake.rows import local_frame
from kafka_census.tables.coordinator_load.columns import COORDINATOR_LOAD

SCHEMA = COORDINATOR_LOAD.schema


def test_a_coordinator_whose_groups_nobody_would_take_over_is_answered(spark: SparkSession) -> None:
    known = {"broker_id": 3, "groups": 5, "groups_stranded": 5, "transactional_ids_stranded": 0, "if_lost": []}
    row = [known.get(field.name, [] if isinstance(field.dataType, ArrayType) else None) for field in SCHEMA]
    local_frame(spark, [row], SCHEMA).createOrReplaceTempView("current_coordinator_load")
    [answer] = spark.sql(COORDINATOR_LOAD.questions[0].sql).collect()
    assert (answer.groups_stranded, answer.broker_id) == (5, None)
