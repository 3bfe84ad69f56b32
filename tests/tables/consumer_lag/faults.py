"""Rows of consumer_lag, right and wrong."""

from kafka_census.tables.consumer_lag.rules import CONSUMER_LAG_SUITE
from spark.faults import Faults, row

NO_RATES = row(consumption_rate=None, production_rate=None, previous_census_id=None, seconds_to_drain=None)
NO_LAG = NO_RATES | (
    row(committed_offset=None, range="no_commit", lag=None, lag_reason="no offset is committed")
    | row(lag_read_committed=None, lag_read_committed_reason="no offset is committed", raw_lag=None)
    | row(drain_reason="lag_unknown")
)
BEFORE_START = row(committed_offset=5, range="before_start", lag=90, lag_read_committed=80, raw_lag=95)
AFTER_END = row(committed_offset=105, range="after_end", lag=0, lag_read_committed=0, raw_lag=-5)
SHARE = row(group_type="share", lag=7, lag_read_committed=None, lag_read_committed_reason="Kafka's own")
GONE = NO_LAG | (
    row(committed_offset=5, log_start_offset=None, high_watermark=None, last_stable_offset=None)
    | row(range="unknown", topic_state="gone", topic_reason="not listed")
)
FAULTS = Faults(
    CONSUMER_LAG_SUITE,
    right=row(group_type="classic", topic="t", partition=0, topic_state="exists", assigned=True)
    | row(member_ids=["m-1"], client_ids=["c-1"], committed_offset=40, log_start_offset=10)
    | row(high_watermark=100, last_stable_offset=90, range="in_range", lag=60, lag_unread=False)
    | row(lag_read_committed=50, raw_lag=60, consumption_rate=3.0, production_rate=1.0)
    | row(seconds_to_drain=30, previous_census_id="before"),
    wrong={
        "range_is_known_word": NO_LAG | {"range": "somewhere"},
        "in_range_is_within_the_log": BEFORE_START | {"range": "in_range"},
        "topic_state_has_reason": {"topic_reason": "?"},
        "lag_is_not_negative": SHARE | {"lag": -1},
        "unknown_lag_has_reason": NO_LAG | {"lag_reason": None},
        "unread_lag_is_unknown": {"lag_unread": True},
        "assigned_has_members": {"assigned": None},
        "no_commit_is_no_lag": NO_LAG | {"raw_lag": 100},
        "rates_have_history": {"previous_census_id": None},
        "drain_has_reason": {"drain_reason": "not_draining"},
        "drain_has_rates": {"production_rate": 3.0},
        "lag_is_known": NO_LAG,
        "offset_is_in_its_log": BEFORE_START,
        "topic_exists": {"topic_state": "recreated", "topic_reason": "its id"},
    },
    besides={
        name: {"lag_is_known"}
        for name in ("range_is_known_word", "unknown_lag_has_reason", "no_commit_is_no_lag", "no commit")
    }
    | {name: {"offset_is_in_its_log"} for name in ("before start", "after end")}
    | {"topic is gone": {"lag_is_known", "topic_exists"}},
    valid={
        "in range": {},
        "before start": BEFORE_START,
        "after end": AFTER_END | {"seconds_to_drain": 0},
        "no commit": NO_LAG,
        "topic is gone": GONE,
        "share group": SHARE,
        "unassigned": {"assigned": False, "member_ids": [], "client_ids": []},
    },
    counts={"offsets": len},
    at_least=True,
)
