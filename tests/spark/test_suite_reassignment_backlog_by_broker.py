"""Each expectation of reassignment_backlog_by_broker lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import REASSIGNMENT_BACKLOG_BY_BROKER_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "replicas_in": 2,
    "unknown_in": 0,
    "bytes_left_in": 100,
    "bytes_per_second_in": 10.0,
    "eta_seconds_in": 10,
    "stalled_in": 0,
    "log_dir_moves": 1,
    "replicas_out": 1,
    "unknown_out": 0,
    "bytes_left_out": 50,
    "bytes_per_second_out": 5.0,
    "eta_seconds_out": 10,
    "stalled_out": 0,
    "replicas_removed": 0,
    "previous_census_id": "before",
    "leader_throttle_bytes_per_second": 10,
}
NO_OUT = {
    "replicas_out": 0,
    "bytes_left_out": 0,
    "bytes_per_second_out": None,
    "eta_seconds_out": None,
    "leader_throttle_bytes_per_second": None,
}
ONLY_REMOVED = NO_OUT | {
    "replicas_in": 0,
    "bytes_left_in": 0,
    "bytes_per_second_in": None,
    "eta_seconds_in": None,
    "log_dir_moves": 0,
    "replicas_removed": 3,
}
UNKNOWN = {"unknown_out": 1, "bytes_left_out": None, "eta_seconds_out": None, "eta_out_reason": "1 of 1"}
STALLED = {"stalled_in": 1, "eta_seconds_in": None, "eta_in_reason": "1 of 2"}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"observed_at": None},
    "broker_takes_part": ONLY_REMOVED | {"replicas_removed": 0},
    "parts_are_within_replicas": {"log_dir_moves": 3},
    "bytes_left_are_known_in_part": {"bytes_left_in": None},
    "eta_or_reason": {"eta_seconds_in": None},
    "progress_has_census_before": {"previous_census_id": None},
    "throttle_has_copies": {"log_dir_moves": 0, "log_dir_throttle_bytes_per_second": 5},
    "bytes_left_are_known": UNKNOWN,
    "throttles_are_known": {"throttle_reason": "broker 4 did not answer DescribeConfigs"},
    "copies_are_not_stalled": STALLED,
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """Copies both ways, one way, only removals, unknown and stalled copies are all valid rows; three rules warn."""
    cases = ({}, NO_OUT, ONLY_REMOVED, UNKNOWN, STALLED)
    rows = [RIGHT | {"broker_id": number} | of for number, of in enumerate(cases)]
    assert failures(spark, SUITE, rows, {"brokers": 5}, "now") == {
        "bytes_left_are_known": ("broker_id=3",),
        "copies_are_not_stalled": ("broker_id=4",),
    }


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    assert broken_besides(spark, SUITE, RIGHT, WRONG, by="broker_id", counted={"brokers": 99}) == {}


def test_empty_table_passes_only_when_nothing_moves(spark: SparkSession) -> None:
    """No rows are right where no replica is moving, and nowhere else."""
    assert failures(spark, SUITE, [], {"brokers": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"brokers": 1}, "now") == {"row_count": ()}
