"""Each expectation of config_drift lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import CONFIG_DRIFT_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "kind": "not_default",
    "resource_type": "topic",
    "name": "retention.ms",
    "value": "5",
    "expected": "9",
    "source": "topic",
    "is_sensitive": False,
    "reason": "set",
}
UNREAD = {"kind": "not_read", "name": "", "value": None, "expected": None, "source": None, "is_sensitive": None}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "kind_is_known_word": {"kind": "odd"},
    "resource_is_known_word": {"resource_type": "group"},
    "row_has_reason": {"reason": None},
    "sensitive_is_not_shown": {"is_sensitive": True},
    "unread_has_no_value": UNREAD | {"value": "5"},
    "set_has_source": {"source": "default"},
    "before_is_named": {"kind": "since_before"},
    "drift_differs": {"kind": "not_desired", "expected": "5"},
    "config_is_desired": {"kind": "not_desired"},
    "brokers_agree": {"kind": "between_brokers"},
    "resource_was_read": UNREAD,
}
TOLD_OF = {"not_desired": "config_is_desired", "between_brokers": "brokers_agree", "not_read": "resource_was_read"}
"""Kinds of drift that always warn."""


def test_right_rows_pass(spark: SparkSession) -> None:
    """One row of each kind; three kinds are reported. There may be more rows than set configs, but not fewer."""
    secret = {"value": None, "expected": None, "is_sensitive": True}
    kinds: dict[str, dict[str, Any]] = {
        "not_default": secret,
        "between_brokers": {"value": None},
        "since_before": {"previous_census_id": "then", "source": "default"},
        "not_desired": {},
        "not_read": UNREAD,
    }
    rows = [RIGHT | {"resource_name": kind, "kind": kind} | more for kind, more in kinds.items()]
    assert set(failures(spark, SUITE, rows, {"set": 1}, "now")) == set(TOLD_OF.values())
    assert failures(spark, SUITE, [], {"set": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"set": 1}, "now") == {"row_count": ()}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="resource_name", counted={"set": 99})
    assert besides == {"drift_differs": {"config_is_desired"}, "unread_has_no_value": {"resource_was_read"}}
