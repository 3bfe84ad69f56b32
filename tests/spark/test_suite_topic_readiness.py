"""Each expectation of topic_readiness lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import TOPIC_READINESS_SUITE as SUITE
from kafka_census.tables.under_min_isr_partitions import STATUSES
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

COUNTS = {f"{status.lower()}_partitions": 0 for status in STATUSES}
RIGHT = COUNTS | {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "status": "OK",
    "partitions": 3,
    "available_partitions": 3,
    "ready_partitions": 3,
    "ready_for_acks_all": True,
    "ok_partitions": 3,
}
UNDER = {
    "status": "UNDER",
    "reason": "partition 0: 1 in sync, 2 needed for an acks=all write",
    "ready_partitions": 2,
    "ready_for_acks_all": False,
    "under_partitions": 1,
    "ok_partitions": 2,
}
OFFLINE = UNDER | {"status": "OFFLINE", "under_partitions": 0, "offline_partitions": 1, "available_partitions": 2}
UNKNOWN = {
    "status": "UNKNOWN",
    "reason": "DescribeConfigs was not read",
    "ready_partitions": None,
    "ready_reason": "DescribeConfigs was not read",
    "ready_for_acks_all": None,
    "unknown_partitions": 3,
    "ok_partitions": 0,
}
NOT_DESCRIBED = UNKNOWN | dict.fromkeys((*COUNTS, "partitions", "available_partitions"))
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "statuses_are_exhaustive": {"partitions": 4, "available_partitions": 4, "ready_partitions": 4},
    "status_is_known_word": {"status": "SOSO", "reason": "?"},
    "bad_status_has_reason": {"reason": "?"},
    "offline_is_not_available": {"available_partitions": 2},
    "ready_is_not_offline_or_under": {"ready_partitions": -1, "ready_for_acks_all": False},
    "unknown_ready_has_reason": {"ready_reason": "?"},
    "ready_topic_has_ready_partitions": {"ready_partitions": 2},
    "topic_was_described": NOT_DESCRIBED,
    "topic_is_ready": UNDER,
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """Ready, under, offline, unknown and not described topics are all valid rows; two rules only warn."""
    rows = [
        RIGHT | {"topic": f"t-{number}"} | of for number, of in enumerate(({}, UNDER, OFFLINE, UNKNOWN, NOT_DESCRIBED))
    ]
    found = failures(spark, SUITE, rows, {"topics": 5}, "now")
    assert {rule: set(keys) for rule, keys in found.items()} == {
        "topic_was_described": {"topic=t-4"},
        "topic_is_ready": {"topic=t-1", "topic=t-2", "topic=t-3"},
    }


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="topic", counted={"topics": 99})
    assert besides == {"ready_is_not_offline_or_under": {"topic_is_ready"}}


def test_empty_table_passes_only_without_topics(spark: SparkSession) -> None:
    """No rows are right where no topic was listed, and nowhere else."""
    assert failures(spark, SUITE, [], {"topics": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"topics": 1}, "now") == {"row_count": ()}
