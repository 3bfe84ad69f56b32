"""Each expectation of topics lets a right row pass and names a wrong one."""

from datetime import timedelta
from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import TOPICS_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

REASONS = {"leader_bytes_reason": "no", "replica_bytes_reason": "no", "growth_reason": "no"}
RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "partitions": 2,
    "replication_factor": 2,
    "leader_bytes": 60,
    "replica_bytes": 100,
    "growth_bytes": -5,
    "growth_since": NOON - timedelta(hours=1),
    "previous_census_id": "before",
    "cleanup_policy": "delete",
    "groups": 1,
    "group_ids": ["g"],
    "last_written_at": NOON,
    "last_written_at_least": NOON,
    "replicas_sharing_rack": 0,
}
UNKNOWN = REASONS | dict.fromkeys(
    ("leader_bytes", "replica_bytes", "growth_bytes", "growth_since", "previous_census_id")
)
UNDESCRIBED = UNKNOWN | {
    "reason": "no",
    "partitions": None,
    "replication_factor": None,
    "last_written_at": None,
    "last_written_reason": "no",
    "replicas_sharing_rack": None,
    "racks_reason": "no",
}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "partitions_or_reason": {"partitions": None},
    "leader_bytes_or_reason": {"leader_bytes_reason": "no"},
    "replica_bytes_or_reason": {"replica_bytes_reason": "no"},
    "growth_or_reason": {"growth_bytes": None},
    "configs_or_reason": {"cleanup_policy": None},
    "last_written_or_reason": {"last_written_at": None},
    "last_written_is_a_lower_bound_too": {"last_written_at_least": None},
    "racks_or_reason": {"replicas_sharing_rack": None},
    "counts_are_possible": {"partitions": 0},
    "leaders_are_among_replicas": {"leader_bytes": 101},
    "growth_is_since_an_earlier_census": {"previous_census_id": "now"},
    "groups_are_listed": {"groups": 2},
    "topic_was_described": UNDESCRIBED,
    "bytes_are_known": UNKNOWN,
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A known topic, and a topic that was not described, which is reported, too."""
    rows = [RIGHT | {"topic": "a"}, RIGHT | {"topic": "b"} | UNDESCRIBED]
    found = failures(spark, SUITE, rows, {"topics": 2}, "now")
    assert {rule: set(keys) for rule, keys in found.items()} == {
        "topic_was_described": {"topic=b"},
        "bytes_are_known": {"topic=b"},
    }


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice. A topic that was not described has no bytes."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="topic", counted={"topics": 99})
    assert besides == {"topic_was_described": {"bytes_are_known"}}
