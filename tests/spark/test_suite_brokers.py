"""Each expectation of brokers lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import BROKERS_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "state": "alive",
    "host": "h",
    "port": 9092,
    "is_controller": False,
    "replicas": 3,
    "leaders": 1,
    "preferred_leaders": 2,
    "preferred_elsewhere": 1,
    "out_of_sync_replicas": 0,
    "offline_replicas": 0,
}
DOWN = {"state": "not_alive", "host": None, "port": None}
GONE = DOWN | {"state": "gone"}
FENCED = {"state": "fenced"} | dict.fromkeys(("replicas", "leaders", "preferred_leaders", "preferred_elsewhere"), 0)
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "state_is_known_word": {"state": "asleep"},
    "listed_has_endpoint": {"host": None, "port": None},
    "controller_or_reason": {"is_controller": None},
    "unknown_features_have_reason": {"features_reason": "down", "release_at_least": "4.3"},
    "unknown_counts_have_reason": {"leaders": None},
    "counts_are_within": {"preferred_elsewhere": 3},
    "broker_is_alive": DOWN,
    "broker_is_still_seen": GONE,
    "fenced_broker_has_replicas": FENCED,
    "counts_are_whole": {"counts_reason": "1 topics could not be described"},
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """An alive broker, one that is down, one that is gone, and one with unknown replicas; each is reported once."""
    unknown = {"leaders": None, "replicas": None, "counts_reason": "DescribeTopicPartitions was not read"}
    odd = enumerate(({}, DOWN, unknown, GONE, FENCED | {"replicas": 1}), 1)
    found = failures(spark, SUITE, [RIGHT | {"broker_id": node} | more for node, more in odd], {"brokers": 5}, "now")
    assert found == {
        "broker_is_alive": ("broker_id=2", "broker_id=5"),
        "counts_are_whole": ("broker_id=3",),
        "broker_is_still_seen": ("broker_id=4",),
    }


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="broker_id", counted={"brokers": 99})
    assert besides == {rule: {"broker_is_alive"} for rule in ("state_is_known_word", "fenced_broker_has_replicas")}


def test_table_is_never_empty(spark: SparkSession) -> None:
    """Every cluster has brokers."""
    assert failures(spark, SUITE, [], {"brokers": 1}, "now") == {"row_count": ()}
