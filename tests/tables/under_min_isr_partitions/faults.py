"""Rows of under_min_isr_partitions, right and wrong."""

from kafka_census.tables.under_min_isr_partitions.rules import UNDER_MIN_ISR_PARTITIONS_SUITE
from spark.faults import Faults, row

UNDER = row(status="UNDER", reason="1 of 2", isr=[1], isr_size=1, missing_replicas=2, ready_for_acks_all=False)
NOT_DESCRIBED = row(topic="gone", partition=-1, status="UNKNOWN", reason="UNKNOWN_TOPIC_OR_PARTITION") | row(
    min_isr_source="unknown", min_isr_effective_source="unknown"
)
OFFLINE = (
    row(status="OFFLINE", reason="no leader", leader_id=None, isr=[], isr_size=0, missing_replicas=3)
    | row(eligible_leader_replicas=[3], offline_replicas=[1, 2], available=False)
    | row(ready_for_acks_all=False)
)
DOUBTFUL = (
    row(status="UNKNOWN")
    | row(reason="ListPartitionReassignments was not read (CLUSTER_AUTHORIZATION_FAILED)", isr=[1, 2])
    | row(isr_size=2, missing_replicas=None)
)
UNCAPPED = row(status="UNKNOWN", reason="whether broker 1 caps it is not known", min_isr_raw=5, ready_for_acks_all=None)
HIDDEN = row(status="UNKNOWN", reason="the leader has no listener of the name that was asked") | row(
    leader_id=None, available=None, ready_for_acks_all=None
)
FAULTS = Faults(
    UNDER_MIN_ISR_PARTITIONS_SUITE,
    right=row(partition=0, status="OK", leader_id=1, replicas=[1, 2, 3], isr=[1, 2, 3], replication_factor=3)
    | row(min_isr_raw=2, min_isr_source="static", min_isr_effective=2, min_isr_effective_source="static")
    | row(isr_size=3, missing_replicas=0, available=True, ready_for_acks_all=True),
    wrong={
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
    },
    besides={
        "not described": {"topic_was_described"},
        "certainly under, below every possible minimum": {"minimum_is_known"},
    },
    valid={
        "healthy": {},
        "under": UNDER,
        "offline": OFFLINE,
        "doubtful": DOUBTFUL,
        "capped": {"min_isr_raw": 5, "min_isr_effective": 3, "min_isr_effective_source": "replication_factor"},
        "not capped": UNDER | {"min_isr_raw": 5, "min_isr_effective": 5},
        "hidden": HIDDEN,
        "offsets": UNDER | {"topic": "__consumer_offsets", "groups_unable_to_commit": 3},
        "transactions": OFFLINE
        | {"topic": "__transaction_state", "transactional_ids_unable_to_commit_reason": "no leader"},
        "certainly under, below every possible minimum": UNDER
        | {"min_isr_raw": 5, "min_isr_effective": None, "min_isr_effective_source": "unknown"},
    },
    apart={"not described": NOT_DESCRIBED},
    counts={"rows": len, "topics": lambda rows: len({row["topic"] for row in rows})},
)
