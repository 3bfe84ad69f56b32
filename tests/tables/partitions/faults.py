"""Rows of partitions, right and wrong."""

from kafka_census.tables.partitions.rules import PARTITIONS_SUITE
from spark.fake_lake import NOON
from spark.faults import Faults, row

UNSIZED = {"leader_bytes": None, "leader_bytes_reason": "no", "replica_bytes": None, "replica_bytes_reason": "no"}
UNREAD = row(start_offset=None, start_offset_reason="no", end_offset=None, end_offset_at=None, end_offset_reason="no")
UNRATED = row(records_per_second=None, records_per_second_reason="no", previous_census_id=None)
UNDESCRIBED = (
    UNSIZED
    | UNREAD
    | UNRATED
    | row(partition=-1, status="UNKNOWN", reason="no", leader_id=None, is_preferred_leader=None, replicas=[], racks=[])
    | row(log_dirs=[], replicas_sharing_rack=None, racks_reason="no")
)
FAULTS = Faults(
    PARTITIONS_SUITE,
    right=row(partition=0, status="OK", leader_id=1, is_preferred_leader=True, replicas=[1, 2], racks=["a", "b"])
    | row(replicas_sharing_rack=0, leader_bytes=5, replica_bytes=9, start_offset=3, end_offset=7, end_offset_at=NOON)
    | row(log_dirs=[{"broker_id": 1, "log_dir": "/a", "bytes": 5}, {"broker_id": 2, "log_dir": "/a", "bytes": 4}])
    | row(end_offset_history=[{"at": NOON, "end_offset": 7}])
    | row(records_per_second=0.5, previous_census_id="before"),
    wrong={
        "status_is_known_word": {"status": "ODD", "reason": "no"},
        "bad_status_has_reason": {"status": "AT"},
        "leader_bytes_or_reason": {"leader_bytes_reason": "no"},
        "replica_bytes_or_reason": {"replica_bytes_reason": "no"},
        "start_offset_or_reason": {"start_offset_reason": "no"},
        "end_offset_or_reason": {"end_offset_reason": "no"},
        "records_per_second_or_reason": {"records_per_second_reason": "no"},
        "racks_or_reason": {"racks_reason": "no"},
        "preferred_leader_is_first": {"leader_id": 2},
        "leader_is_among_replicas": {"leader_bytes": 10},
        "log_dirs_are_of_replicas": {"replica_bytes": 10},
        "racks_are_of_replicas": {"racks": ["a", "b", "c"]},
        "offsets_are_not_negative": {"start_offset": -1},
        "log_has_a_direction": {"start_offset": 8},
        "end_has_a_time": {"end_offset_at": None},
        "history_is_short_and_ends_now": {"end_offset_history": [{"at": NOON, "end_offset": 6}]},
        "rate_compares_with_an_earlier_census": {"previous_census_id": "now"},
        "offsets_are_known": UNREAD | UNRATED,
        "bytes_are_known": UNSIZED,
    },
    besides={"not described": {"offsets_are_known", "bytes_are_known"}},
    valid={"known": {}, "on a first census": UNRATED, "not described": UNDESCRIBED},
    counts={"partitions": len},
)
