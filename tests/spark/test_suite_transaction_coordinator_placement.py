"""Each expectation of transaction_coordinator_placement lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import TRANSACTION_COORDINATOR_PLACEMENT_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "transactions_partition": 7,
    "transactions_partitions": 50,
    "expected_coordinator": 1,
    "listed_by": [1],
    "found_coordinator": 1,
    "found_host": "host-1",
    "found_port": 9092,
    "agreement": "agree",
    "producer_id": 7,
    "producer_epoch": 0,
    "described_state": "Ongoing",
    "transaction_timeout_ms": 60_000,
    "written_partitions": 1,
    "duration_ms": 10,
    "over_timeout": False,
}
NOT_DESCRIBED = {
    "producer_epoch": None,
    "described_state": None,
    "transaction_timeout_ms": None,
    "written_partitions": None,
    "description_reason": "not read",
    "duration_ms": None,
    "duration_reason": "not read",
    "over_timeout": None,
}
ELSEWHERE = {"agreement": "listed_elsewhere", "reason": "it is moving"}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"census_id": "other"},
    "agreement_is_known_word": {"agreement": "perhaps", "reason": "who knows"},
    "disagreement_has_reason": {"reason": "for no reason"},
    "agreement_is_true": {"expected_coordinator": 2},
    "partition_is_in_range": {"transactions_partition": 50},
    "unexpected_has_reason": {"expected_coordinator": None} | ELSEWHERE,
    "found_has_endpoint": {"found_host": None},
    "listed_by_is_sorted_set": {"listed_by": [2, 1]} | ELSEWHERE,
    "coordinators_agree": ELSEWHERE,
    "description_is_whole": {"producer_epoch": None},
    "duration_or_reason": {"duration_ms": None, "over_timeout": None},
    "only_open_has_duration": {"described_state": "CompleteCommit"},
    "over_timeout_has_duration": {"over_timeout": None},
    "id_was_described": NOT_DESCRIBED,
    "transaction_is_within_timeout": {"duration_ms": 60_001, "over_timeout": True},
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """An id with agreement, and an id that could not be placed or described, are both valid rows."""
    unknown = {
        "census_id": "now",
        "cluster_id": "kraft-id",
        "observed_at": NOON,
        "transactional_id": "",
        "expected_reason": "no leader",
        "listed_by": [1],
        "agreement": "unknown",
        "reason": "FindCoordinator was not asked",
        "description_reason": "not read",
        "duration_reason": "not read",
    }
    no_start = {"duration_ms": None, "over_timeout": None, "duration_reason": "the coordinator names no start"}
    rows = [RIGHT | {"transactional_id": "t"}, unknown, RIGHT | no_start | {"transactional_id": "open"}]
    found = failures(spark, SUITE, rows, {"transactional_ids": 3}, "now")
    assert found == {
        "coordinators_agree": ("transactional_id=",),
        "id_was_described": ("transactional_id=",),
        "transaction_is_within_timeout": ("transactional_id=open",),
    }


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="transactional_id", counted={"transactional_ids": 99})
    disagreeing = ("agreement_is_known_word", "unexpected_has_reason", "listed_by_is_sorted_set")
    late = {rule: {"transaction_is_within_timeout"} for rule in ("duration_or_reason", "over_timeout_has_duration")}
    assert besides == {rule: {"coordinators_agree"} for rule in disagreeing} | late


def test_empty_table_passes_only_without_transactional_ids(spark: SparkSession) -> None:
    """No rows are right where no id was listed, and nowhere else."""
    assert failures(spark, SUITE, [], {"transactional_ids": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"transactional_ids": 1}, "now") == {"row_count": ()}
