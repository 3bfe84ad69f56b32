"""Each expectation of group_coordinator_placement lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import GROUP_COORDINATOR_PLACEMENT_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "offsets_partition": 7,
    "offsets_partitions": 50,
    "expected_coordinator": 1,
    "listed_by": [1],
    "found_coordinator": 1,
    "found_host": "host-1",
    "found_port": 9092,
    "agreement": "agree",
}
ELSEWHERE = {"agreement": "listed_elsewhere", "reason": "it is moving"}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"census_id": "other"},
    "agreement_is_known_word": {"agreement": "perhaps", "reason": "who knows"},
    "disagreement_has_reason": {"reason": "for no reason"},
    "agreement_is_true": {"expected_coordinator": 2},
    "partition_is_in_range": {"offsets_partition": 50},
    "unexpected_has_reason": {"expected_coordinator": None} | ELSEWHERE,
    "found_has_endpoint": {"found_host": None},
    "listed_by_is_sorted_set": {"listed_by": [2, 1]} | ELSEWHERE,
    "coordinators_agree": ELSEWHERE,
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A group with agreement and a group that could not be placed are both valid rows."""
    unknown = {
        "census_id": "now",
        "cluster_id": "kraft-id",
        "observed_at": NOON,
        "group_id": "",
        "expected_reason": "no leader",
        "listed_by": [1],
        "agreement": "unknown",
        "reason": "FindCoordinator was not asked",
    }
    found = failures(spark, SUITE, [RIGHT | {"group_id": "g"}, unknown], {"groups": 2}, "now")
    assert found == {"coordinators_agree": ("group_id=",)}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="group_id", counted={"groups": 99})
    disagreeing = ("agreement_is_known_word", "unexpected_has_reason", "listed_by_is_sorted_set")
    assert besides == {rule: {"coordinators_agree"} for rule in disagreeing}


def test_empty_table_passes_only_without_groups(spark: SparkSession) -> None:
    """No rows are right where no group was listed, and nowhere else."""
    assert failures(spark, SUITE, [], {"groups": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"groups": 1}, "now") == {"row_count": ()}
