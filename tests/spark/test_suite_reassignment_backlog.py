"""Each expectation of reassignment_backlog lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import REASSIGNMENT_BACKLOG_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "partition": 0,
    "kind": "move",
    "replica_id": 4,
    "adding_replicas": [4],
    "removing_replicas": [1],
    "in_isr": False,
    "adding_in_isr": 0,
    "adding_total": 1,
    "bytes_total": 100,
    "bytes_done": 40,
    "bytes_left": 60,
    "bytes_per_second": 6.0,
    "eta_seconds": 10,
    "stalled": False,
    "previous_census_id": "before",
    "throttle_bytes_per_second": 5,
    "source_throttle_bytes_per_second": 9,
    "target_throttle_bytes_per_second": 5,
}
NO_THROTTLE = {
    "throttle_bytes_per_second": None,
    "source_throttle_bytes_per_second": None,
    "target_throttle_bytes_per_second": None,
}
REMOVE = NO_THROTTLE | {
    "kind": "remove",
    "replica_id": 1,
    "bytes_total": 0,
    "bytes_left": 0,
    "bytes_done": 0,
    "eta_seconds": None,
    "eta_reason": None,
}
NO_CONFIGS = NO_THROTTLE | {"source_throttle_reason": "broker 1 did not answer"}
NO_ETA = {"eta_seconds": None, "eta_reason": "not known"}
UNKNOWN = NO_ETA | {"bytes_left": None, "bytes_left_reason": "broker 4 did not answer"}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "kind_is_known_word": {"kind": "walk", "future_log_dir": "/d"},
    "replica_is_on_the_move": {"adding_replicas": [5]},
    "bytes_are_not_negative": {"bytes_left": -1},
    "left_is_within_total": {"bytes_left": 101},
    "unknown_bytes_have_reason": UNKNOWN | {"bytes_left_reason": None},
    "in_sync_has_nothing_left": {"in_isr": True},
    "adding_in_isr_are_within_adding": {"adding_in_isr": 2},
    "eta_has_rate": {"bytes_per_second": None},
    "eta_or_reason": {"eta_reason": "?"},
    "bytes_left_is_known": UNKNOWN,
    "progress_has_census_before": {"previous_census_id": None},
    "unknown_throttle_has_no_rate": {"source_throttle_reason": "?", "throttle_bytes_per_second": None},
    "throttle_is_known": NO_CONFIGS,
    "copy_is_not_stalled": {"stalled": True},
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A replica being copied, one being removed, one between log dirs, and an unknown one are all valid rows."""
    between = RIGHT | {
        "topic": "c",
        "kind": "log_dir_move",
        "future_log_dir": "/e",
        "adding_replicas": [],
        "adding_total": 0,
    }
    rows = [
        RIGHT | {"topic": "a"},
        RIGHT | {"topic": "b"} | REMOVE,
        RIGHT | between,
        RIGHT | {"topic": "d"} | UNKNOWN,
        RIGHT | {"topic": "e"} | NO_CONFIGS,
        RIGHT | {"topic": "f", "stalled": None},
    ]
    found = failures(spark, SUITE, rows, {"rows": 6}, "now")
    assert found == {
        "bytes_left_is_known": ("topic=d, partition=0, replica_id=4, kind=move",),
        "throttle_is_known": ("topic=e, partition=0, replica_id=4, kind=move",),
        "copy_is_not_stalled": ("topic=f, partition=0, replica_id=4, kind=move",),
    }


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="topic", counted={"rows": 99})
    assert besides == {
        "unknown_bytes_have_reason": {"bytes_left_is_known"},
        "unknown_throttle_has_no_rate": {"throttle_is_known"},
    }


def test_empty_table_passes_only_when_nothing_moves(spark: SparkSession) -> None:
    """No rows are right where no replica is moving, and nowhere else."""
    assert failures(spark, SUITE, [], {"rows": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"rows": 1}, "now") == {"row_count": ()}
