"""Each expectation of under_min_isr_partitions lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import UNDER_MIN_ISR_PARTITIONS_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "partition": 0,
    "status": "OK",
    "leader_id": 1,
    "replicas": [1, 2, 3],
    "isr": [1, 2, 3],
    "replication_factor": 3,
    "min_isr_raw": 2,
    "min_isr_source": "static",
    "min_isr_effective": 2,
    "min_isr_effective_source": "static",
    "isr_size": 3,
    "missing_replicas": 0,
    "available": True,
    "ready_for_acks_all": True,
}
UNDER = {
    "status": "UNDER",
    "reason": "1 of 2",
    "isr": [1],
    "isr_size": 1,
    "missing_replicas": 2,
    "ready_for_acks_all": False,
}
NOT_DESCRIBED = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "topic": "gone",
    "partition": -1,
    "status": "UNKNOWN",
    "reason": "UNKNOWN_TOPIC_OR_PARTITION",
    "min_isr_source": "unknown",
    "min_isr_effective_source": "unknown",
}
OFFLINE = {
    "status": "OFFLINE",
    "reason": "no leader",
    "leader_id": None,
    "isr": [],
    "isr_size": 0,
    "missing_replicas": 3,
    "eligible_leader_replicas": [3],
    "offline_replicas": [1, 2],
    "available": False,
    "ready_for_acks_all": False,
}
DOUBTFUL = {
    "status": "UNKNOWN",
    "reason": "ListPartitionReassignments was not read (CLUSTER_AUTHORIZATION_FAILED)",
    "isr": [1, 2],
    "isr_size": 2,
    "missing_replicas": None,
}
UNCAPPED = {
    "status": "UNKNOWN",
    "reason": "whether broker 1 caps it is not known",
    "min_isr_raw": 5,
    "ready_for_acks_all": None,
}
HIDDEN = {
    "status": "UNKNOWN",
    "reason": "the leader has no listener of the name that was asked",
    "leader_id": None,
    "available": None,
    "ready_for_acks_all": None,
}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"observed_at": None},
    "status_is_known_word": {"status": "SOSO", "reason": "?"},
    "bad_status_has_reason": UNDER | {"reason": None},
    "offline_is_not_available": OFFLINE | {"status": "UNDER"},
    "available_has_leader": {"available": None},
    "under_is_below_minimum": {"status": "UNDER", "reason": "?"},
    "ready_is_above_minimum": UNDER | {"ready_for_acks_all": True},
    "effective_minimum_is_within_raw": {"min_isr_effective": 3},
    "minimum_is_known": UNCAPPED | {"min_isr_effective": None, "min_isr_effective_source": "unknown"},
    "minimum_has_source": {"min_isr_effective_source": "topic"},
    "groups_are_counted": {"groups_unable_to_commit": 0},
    "transactional_ids_are_counted": {"transactional_ids_unable_to_commit_reason": "?"},
    "counts_are_within_replicas": {"missing_replicas": -1},
    "replicas_are_a_set": {"replicas": [1, 2, 3, 3], "replication_factor": 4},
    "isr_within_replicas": {"isr": [1, 2, 9]},
    "offline_within_replicas": {"offline_replicas": [9]},
    "elr_outside_isr": {"eligible_leader_replicas": [3]},
    "leader_in_isr": {"isr": [2, 3], "isr_size": 2},
    "moves_within_replicas": {"adding_replicas": [9]},
    "topic_was_described": {"partition": -1, "status": "UNKNOWN", "reason": "?"},
    "minimum_was_read": {"min_isr_raw": None, "min_isr_effective": None, "ready_for_acks_all": None},
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """Healthy, under, offline with ELR, doubtful, capped or not, hidden, internal, and a topic not described.

    Below every possible value of the minimum, UNDER is certain.
    """
    capped = {"min_isr_raw": 5, "min_isr_effective": 3, "min_isr_effective_source": "replication_factor"}
    raw = UNDER | {"min_isr_raw": 5, "min_isr_effective": 5}
    not_known = UNDER | {"min_isr_raw": 5, "min_isr_effective": None, "min_isr_effective_source": "unknown"}
    partitions = [{}, UNDER, OFFLINE, DOUBTFUL, capped, raw, HIDDEN]
    internal = [
        UNDER | {"topic": "__consumer_offsets", "groups_unable_to_commit": 3},
        OFFLINE | {"topic": "__transaction_state", "transactional_ids_unable_to_commit_reason": "no leader"},
    ]
    rows = [
        *(RIGHT | {"topic": f"t-{number}"} | of for number, of in enumerate(partitions)),
        *(RIGHT | of for of in internal),
        NOT_DESCRIBED,
    ]
    rows.append(RIGHT | {"topic": "not-known"} | not_known)
    found = failures(spark, SUITE, rows, {"rows": 11, "topics": 11}, "now")
    assert found == {
        "topic_was_described": ("topic=gone, partition=-1",),
        "minimum_is_known": ("topic=not-known, partition=0",),
    }


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; both counts are wrong too."""
    assert broken_besides(spark, SUITE, RIGHT, WRONG, by="topic", counted={"rows": 99, "topics": 99}) == {}


def test_empty_table_passes_only_without_topics(spark: SparkSession) -> None:
    """No rows are right where no topic was listed, and nowhere else."""
    assert failures(spark, SUITE, [], {"rows": 0, "topics": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"rows": 0, "topics": 1}, "now") == {"topic_count": ()}
