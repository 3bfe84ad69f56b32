"""Rows of reassignment_backlog, right and wrong."""

from kafka_census.tables.reassignment_backlog.rules import REASSIGNMENT_BACKLOG_SUITE
from spark.faults import Faults, row

NO_THROTTLE = row(throttle_bytes_per_second=None, source_throttle_bytes_per_second=None) | row(
    target_throttle_bytes_per_second=None
)
REMOVE = NO_THROTTLE | row(
    kind="remove", replica_id=1, bytes_total=0, bytes_left=0, bytes_done=0, eta_seconds=None, eta_reason=None
)
NO_CONFIGS = NO_THROTTLE | {"source_throttle_reason": "broker 1 did not answer"}
NO_ETA = {"eta_seconds": None, "eta_reason": "not known"}
UNKNOWN = NO_ETA | {"bytes_left": None, "bytes_left_reason": "broker 4 did not answer"}
FAULTS = Faults(
    REASSIGNMENT_BACKLOG_SUITE,
    right=row(partition=0, kind="move", replica_id=4, adding_replicas=[4], removing_replicas=[1])
    | row(in_isr=False, adding_in_isr=0, adding_total=1, bytes_total=100, bytes_done=40, bytes_left=60)
    | row(bytes_per_second=6.0, eta_seconds=10, stalled=False, previous_census_id="before")
    | row(throttle_bytes_per_second=5, source_throttle_bytes_per_second=9)
    | row(target_throttle_bytes_per_second=5),
    wrong={
        "kind_is_known_word": {"kind": "walk", "future_log_dir": "/d"},
        "replica_is_on_the_move": {"adding_replicas": [5]},
        "bytes_are_not_negative": {"bytes_left": -1},
        "left_is_within_total": {"bytes_left": 101},
        "unknown_bytes_have_reason": UNKNOWN | {"bytes_left_reason": None},
        "in_sync_has_nothing_left": {"in_isr": True},
        "adding_in_isr_are_within_adding": {"adding_in_isr": 2},
        "eta_has_rate": {"bytes_per_second": None},
        "eta_or_reason": {"eta_reason": "?"},
        "bytes_left_is_known": UNKNOWN,
        "progress_has_census_before": {"previous_census_id": None},
        "unknown_throttle_has_no_rate": {"source_throttle_reason": "?", "throttle_bytes_per_second": None},
        "throttle_is_known": NO_CONFIGS,
        "copy_is_not_stalled": {"stalled": True},
    },
    besides={name: {"bytes_left_is_known"} for name in ("unknown_bytes_have_reason", "bytes are not known")}
    | {name: {"throttle_is_known"} for name in ("unknown_throttle_has_no_rate", "configs are not known")}
    | {"progress is not known": {"copy_is_not_stalled"}},
    valid={
        "copied": {},
        "removed": REMOVE,
        "between log dirs": row(kind="log_dir_move", future_log_dir="/e", adding_replicas=[], adding_total=0),
        "bytes are not known": UNKNOWN,
        "configs are not known": NO_CONFIGS,
        "progress is not known": {"stalled": None},
    },
    counts={"rows": len},
)
