"""Rows of log_dir_usage, right and wrong."""

from kafka_census.tables.log_dir_usage.rules import LOG_DIR_USAGE_SUITE
from spark.faults import Faults, row

SUMS = ("replicas", "replica_bytes", "leader_replicas", "leader_bytes", "future_replicas", "future_bytes")
REMOTE = dict.fromkeys(SUMS) | {"state": "remote", "reason": "object storage", "share_of_broker": None}
OFFLINE = dict.fromkeys(SUMS) | {"state": "offline", "reason": "not readable", "share_of_broker": None}
FAULTS = Faults(
    LOG_DIR_USAGE_SUITE,
    right=row(broker_id=1, state="online", total_bytes=1000, usable_bytes=500, replicas=2, replica_bytes=100)
    | row(leader_replicas=1, leader_bytes=60, future_replicas=0, future_bytes=0, share_of_broker=0.5),
    wrong={
        "state_is_known_word": OFFLINE | {"state": "gone"},
        "unknown_has_reason": {"reason": "not readable"},
        "only_online_dirs_are_summed": OFFLINE | {"replicas": 0, "replica_bytes": 0, "future_bytes": 0},
        "leaders_or_reason": {"leader_bytes": None, "leader_replicas": None},
        "leaders_are_among_replicas": {"leader_bytes": 101},
        "share_is_a_part": {"share_of_broker": 1.5},
        "room_is_within_volume": {"usable_bytes": 1001},
        "dir_is_online": OFFLINE,
    },
    besides={rule: {"dir_is_online"} for rule in ("state_is_known_word", "only_online_dirs_are_summed")}
    | {"offline": {"dir_is_online"}, "a broker that reported no dir": {"dir_is_online"}},
    valid={
        "online": {},
        "leaders are not known": row(leader_bytes=None, leader_replicas=None, leader_reason="partitions were not read"),
        "offline": OFFLINE,
        "remote": REMOTE,
        "a broker that reported no dir": OFFLINE | {"broker_id": 2, "log_dir": "", "state": "not_read"},
    },
    counts={"rows": len},
)
