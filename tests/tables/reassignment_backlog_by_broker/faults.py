"""Rows of reassignment_backlog_by_broker, right and wrong."""

from kafka_census.tables.reassignment_backlog_by_broker.rules import REASSIGNMENT_BACKLOG_BY_BROKER_SUITE
from spark.faults import Faults, row

NO_OUT = row(replicas_out=0, bytes_left_out=0, bytes_per_second_out=None, eta_seconds_out=None) | row(
    leader_throttle_bytes_per_second=None
)
ONLY_REMOVED = NO_OUT | row(
    replicas_in=0, bytes_left_in=0, bytes_per_second_in=None, eta_seconds_in=None, log_dir_moves=0, replicas_removed=3
)
UNKNOWN = row(unknown_out=1, bytes_left_out=None, eta_seconds_out=None, eta_out_reason="1 of 1")
STALLED = {"stalled_in": 1, "eta_seconds_in": None, "eta_in_reason": "1 of 2"}
NOT_COMPARED = row(stalled_in=None, bytes_per_second_in=None, eta_seconds_in=None, eta_in_reason="2 of 2")
FIRST_SIGHT = NOT_COMPARED | row(
    previous_census_id=None, stalled_out=None, bytes_per_second_out=None, eta_seconds_out=None, eta_out_reason="1 of 1"
)
FAULTS = Faults(
    REASSIGNMENT_BACKLOG_BY_BROKER_SUITE,
    right=row(replicas_in=2, unknown_in=0, bytes_left_in=100, bytes_per_second_in=10.0, eta_seconds_in=10)
    | row(stalled_in=0, log_dir_moves=1, replicas_out=1, unknown_out=0, bytes_left_out=50)
    | row(bytes_per_second_out=5.0, eta_seconds_out=10, stalled_out=0, replicas_removed=0)
    | row(previous_census_id="before", leader_throttle_bytes_per_second=10),
    wrong={
        "broker_takes_part": ONLY_REMOVED | {"replicas_removed": 0},
        "parts_are_within_replicas": {"log_dir_moves": 3},
        "bytes_left_are_known_in_part": {"bytes_left_in": None},
        "eta_or_reason": {"eta_seconds_in": None},
        "progress_has_census_before": {"previous_census_id": None},
        "throttle_has_copies": {"log_dir_moves": 0, "log_dir_throttle_bytes_per_second": 5},
        "bytes_left_are_known": UNKNOWN,
        "throttles_are_known": {"throttle_reason": "broker 4 did not answer DescribeConfigs"},
        "copies_are_not_stalled": STALLED,
    },
    besides={"unknown": {"bytes_left_are_known"}}
    | {name: {"copies_are_not_stalled"} for name in ("stalled", "progress is not known")},
    valid={
        "both ways": {},
        "one way": NO_OUT,
        "only removals": ONLY_REMOVED,
        "unknown": UNKNOWN,
        "stalled": STALLED,
        "progress is not known": NOT_COMPARED,
        "no census before": FIRST_SIGHT,
    },
    counts={"brokers": len},
)
