"""Each expectation of changes lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import CHANGES_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "subject": "partition",
    "table_name": "under_min_isr_partitions",
    "column_name": "status",
    "before": "OK",
    "after": "UNDER",
    "change": "worse",
    "before_census_id": "before",
}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "change_is_known_word": {"change": "otherwise"},
    "subject_is_known_word": {"subject": "thing"},
    "compares_with_a_census_before": {"before_census_id": "now"},
    "whole_things_come_and_go": {"column_name": ""},
    "what_is_there_has_a_value": {"before": None},
    "unread_is_known_once": {"change": "unread", "after": None},
    "values_differ": {"after": "OK"},
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """Rows of every kind pass; no rows are right where nothing changed."""
    whole = {"subject": "group", "column_name": ""}
    rows = [
        RIGHT | {"key": "a-1"},
        RIGHT | {"key": "a-2", "change": "unread", "after": None, "reason": "why"},
        RIGHT | whole | {"key": "new", "change": "appeared", "before": None, "after": ""},
        RIGHT | whole | {"key": "old", "change": "gone", "after": None},
        RIGHT | whole | {"key": "lost", "change": "unread", "before": None, "after": None, "reason": "why"},
    ]
    assert failures(spark, SUITE, rows, {"brokers": 3}, "now") == {}
    assert failures(spark, SUITE, [], {"brokers": 3}, "now") == {}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice."""
    counted = {"brokers": 3}
    assert broken_besides(spark, SUITE, RIGHT, WRONG, by="key", counted=counted) == {}
