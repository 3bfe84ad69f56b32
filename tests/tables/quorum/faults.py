"""Rows of quorum, right and wrong."""

from kafka_census.tables.quorum.rules import QUORUM_SUITE
from spark.faults import Faults, row

BEHIND = {"caught_up": False, "reason": "62 offsets behind the leader"}
UNREAD = row(replica_id=-1, role="unknown", is_leader=None, leader_id=None, caught_up=None, reason="no")
FAULTS = Faults(
    QUORUM_SUITE,
    right=row(replica_id=1, role="voter", is_leader=True, leader_id=1, lag_offsets=0, lag_ms=0, caught_up=True),
    wrong={
        "role_is_known_word": {"role": "king"},
        "unread_is_unknown": {"role": "unknown"},
        "laggard_has_reason": {"reason": "late"},
        "lags_are_not_negative": {"lag_ms": -1},
        "replica_is_caught_up": BEHIND,
    },
    besides={"behind": {"replica_is_caught_up"}, "not read": {"replica_is_caught_up"}},
    valid={"leader": {}, "behind": BEHIND, "not read": UNREAD | {"directory_id": ""}},
    counts={"rows": len},
)
