"""Each expectation of producer_state lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import PRODUCER_STATE_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "partition": 0,
    "producer_ids": 4,
    "idempotent_only": 1,
    "idempotent_only_share": 0.25,
    "open_transactions": 2,
    "oldest_open_offset": 70,
}
NUMBERS = ("producer_ids", "idempotent_only", "idempotent_only_share", "open_transactions", "oldest_open_offset")
UNKNOWN = dict.fromkeys(NUMBERS) | {"reason": "not read"}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"observed_at": None},
    "unknown_has_reason": {"reason": "for no reason"},
    "numbers_are_of_one_answer": {"open_transactions": None, "oldest_open_offset": None},
    "kinds_are_within_all": {"open_transactions": 4},
    "share_is_a_part": {"idempotent_only_share": 1.5},
    "open_transaction_has_offset": {"oldest_open_offset": None},
    "growth_has_census": {"producer_ids_per_hour": 2.0},
    "producers_were_read": UNKNOWN,
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A busy partition, one without producers, and one that was not read are all valid rows."""
    idle = RIGHT | dict.fromkeys(NUMBERS) | dict.fromkeys(("producer_ids", "idempotent_only", "open_transactions"), 0)
    rows = [RIGHT | {"topic": "busy"}, idle | {"topic": "idle"}, RIGHT | UNKNOWN | {"topic": "unread"}]
    found = failures(spark, SUITE, rows, {"rows": 3}, "now")
    assert found == {"producers_were_read": ("topic=unread, partition=0",)}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="topic", counted={"rows": 99})
    assert besides == {"numbers_are_of_one_answer": {"kinds_are_within_all"}}


def test_empty_table_passes_only_without_topics(spark: SparkSession) -> None:
    """No rows are right where no partition was described, and nowhere else."""
    assert failures(spark, SUITE, [], {"rows": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"rows": 1}, "now") == {"row_count": ()}
