"""Rows of topics, right and wrong."""

from datetime import timedelta

from kafka_census.tables.topics.rules import TOPICS_SUITE
from spark.fake_lake import NOON
from spark.faults import Faults, row

REASONS = {"leader_bytes_reason": "no", "replica_bytes_reason": "no", "growth_reason": "no"}
UNKNOWN = REASONS | dict.fromkeys(
    ("leader_bytes", "replica_bytes", "growth_bytes", "growth_since", "previous_census_id")
)
UNDESCRIBED = UNKNOWN | (
    row(reason="no", partitions=None, replication_factor=None, last_written_at=None)
    | row(last_written_reason="no", replicas_sharing_rack=None, racks_reason="no")
)
FAULTS = Faults(
    TOPICS_SUITE,
    right=row(partitions=2, replication_factor=2, leader_bytes=60, replica_bytes=100, growth_bytes=-5)
    | row(growth_since=NOON - timedelta(hours=1), previous_census_id="before", cleanup_policy="delete")
    | row(groups=1, group_ids=["g"], last_written_at=NOON, last_written_at_least=NOON)
    | row(replicas_sharing_rack=0),
    wrong={
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
    },
    besides={"topic_was_described": {"bytes_are_known"}}
    | {"not described": {"topic_was_described", "bytes_are_known"}},
    valid={"known": {}, "not described": UNDESCRIBED},
    counts={"topics": len},
)
