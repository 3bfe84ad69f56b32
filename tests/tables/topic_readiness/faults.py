"""Rows of topic_readiness, right and wrong."""

from kafka_census.tables.topic_readiness.rules import TOPIC_READINESS_SUITE
from kafka_census.tables.under_min_isr_partitions.columns import STATUSES
from spark.faults import Faults, row

COUNTS = {f"{status.lower()}_partitions": 0 for status in STATUSES}
UNDER = row(status="UNDER", reason="partition 0: 1 in sync, 2 needed for an acks=all write") | row(
    ready_partitions=2, ready_for_acks_all=False, under_partitions=1, ok_partitions=2
)
OFFLINE = UNDER | row(status="OFFLINE", under_partitions=0, offline_partitions=1, available_partitions=2)
UNKNOWN = (
    row(status="UNKNOWN", reason="DescribeConfigs was not read", ready_partitions=None)
    | row(ready_reason="DescribeConfigs was not read", ready_for_acks_all=None, unknown_partitions=3)
    | row(ok_partitions=0)
)
NOT_DESCRIBED = UNKNOWN | dict.fromkeys((*COUNTS, "partitions", "available_partitions"))
FAULTS = Faults(
    TOPIC_READINESS_SUITE,
    right=COUNTS
    | row(
        status="OK", partitions=3, available_partitions=3, ready_partitions=3, ready_for_acks_all=True, ok_partitions=3
    ),
    wrong={
        "statuses_are_exhaustive": {"partitions": 4, "available_partitions": 4, "ready_partitions": 4},
        "status_is_known_word": {"status": "SOSO", "reason": "?"},
        "bad_status_has_reason": {"reason": "?"},
        "offline_is_not_available": {"available_partitions": 2},
        "ready_is_not_offline_or_under": {"ready_partitions": -1, "ready_for_acks_all": False},
        "unknown_ready_has_reason": {"ready_reason": "?"},
        "ready_topic_has_ready_partitions": {"ready_partitions": 2},
        "topic_was_described": NOT_DESCRIBED,
        "topic_is_ready": UNDER,
    },
    besides={"ready_is_not_offline_or_under": {"topic_is_ready"}}
    | {name: {"topic_is_ready"} for name in ("under", "offline", "unknown")}
    | {"not described": {"topic_was_described"}},
    valid={"ready": {}, "under": UNDER, "offline": OFFLINE, "unknown": UNKNOWN, "not described": NOT_DESCRIBED},
    counts={"topics": len},
)
