"""Rows of brokers, right and wrong."""

from kafka_census.tables.brokers.rules import BROKERS_SUITE
from spark.faults import Faults, row

DOWN = {"state": "not_alive", "host": None, "port": None}
GONE = DOWN | {"state": "gone"}
FENCED = {"state": "fenced"} | dict.fromkeys(("replicas", "leaders", "preferred_leaders", "preferred_elsewhere"), 0)
FAULTS = Faults(
    BROKERS_SUITE,
    right=row(state="alive", host="h", port=9092, is_controller=False, replicas=3, leaders=1)
    | row(preferred_leaders=2, preferred_elsewhere=1, out_of_sync_replicas=0, offline_replicas=0),
    wrong={
        "state_is_known_word": {"state": "asleep"},
        "listed_has_endpoint": {"host": None, "port": None},
        "controller_or_reason": {"is_controller": None},
        "unknown_features_have_reason": {"features_reason": "down", "release_at_least": "4.3"},
        "unknown_counts_have_reason": {"leaders": None},
        "counts_are_within": {"preferred_elsewhere": 3},
        "broker_is_alive": DOWN,
        "broker_is_still_seen": GONE,
        "fenced_broker_has_replicas": FENCED,
        "counts_are_whole": {"counts_reason": "1 topics could not be described"},
    },
    besides={
        name: {"broker_is_alive"} for name in ("state_is_known_word", "fenced_broker_has_replicas", "down", "fenced")
    }
    | {"replicas are not known": {"counts_are_whole"}, "gone": {"broker_is_still_seen"}},
    valid={
        "alive": {},
        "down": DOWN,
        "replicas are not known": row(
            leaders=None, replicas=None, counts_reason="DescribeTopicPartitions was not read"
        ),
        "gone": GONE,
        "fenced": FENCED | {"replicas": 1},
    },
    counts={"brokers": len},
)
