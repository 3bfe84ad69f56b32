"""Rows of consumer_lag, right and wrong."""

from datetime import timedelta

from kafka_census.tables.consumer_lag.rules import CONSUMER_LAG_SUITE
from spark.fake_lake import NOON
from spark.faults import Faults, row

AFTERNOON = NOON + timedelta(hours=1)
AGE = row(lag_seconds=50, lag_seconds_method="interpolated", appended_after=NOON, appended_before=AFTERNOON)
NO_AGE = row(lag_seconds=None, lag_seconds_method=None, lag_seconds_reason="why not", lag_read_committed_seconds=None)
NO_RATES = row(consumption_rate=None, production_rate=None, previous_census_id=None, seconds_to_drain=None)
NO_LAG = (
    (NO_RATES | NO_AGE | row(appended_after=None, appended_before=None))
    | row(committed_offset=None, range="no_commit", lag=None, lag_reason="no offset is committed")
    | row(lag_read_committed=None, lag_read_committed_reason="no offset is committed", raw_lag=None)
    | row(drain_reason="lag_unknown")
)
BEFORE_START = NO_LAG | row(committed_offset=5, range="before_start", raw_lag=95)
AFTER_END = NO_LAG | row(committed_offset=105, range="after_end", raw_lag=-5)
SHARE = row(
    group_type="share",
    lag=7,
    lag_read_committed=None,
    lag_read_committed_seconds=None,
    lag_read_committed_reason="Kafka's own",
)
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
    | row(seconds_to_drain=30, previous_census_id="before", lag_read_committed_seconds=0)
    | AGE,
    wrong={
        "range_is_known_word": NO_LAG | {"range": "somewhere"},
        "in_range_is_within_the_log": {"committed_offset": 5},
        "topic_state_has_reason": {"topic_reason": "?"},
        "lag_is_not_negative": SHARE | {"lag": -1},
        "unknown_lag_has_reason": NO_LAG | {"lag_reason": None},
        "unread_lag_is_unknown": {"lag_unread": True},
        "outside_the_log_is_no_lag": {"range": "after_end", "committed_offset": 105},
        "lag_in_time_has_reason": {"lag_seconds_reason": "why not"},
        "lag_in_time_is_bracketed": {"appended_before": None},
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
    | {name: {"offset_is_in_its_log", "lag_is_known"} for name in ("before start", "after end")}
    | {"offset_is_in_its_log": {"lag_is_known"}, "outside_the_log_is_no_lag": {"offset_is_in_its_log"}}
    | {"topic is gone": {"lag_is_known", "topic_exists"}},
    valid={
        "in range": {},
        "before start": BEFORE_START,
        "after end": AFTER_END,
        "no commit": NO_LAG,
        "topic is gone": GONE,
        "share group": SHARE,
        "older than history": {"lag_seconds_method": "at_least", "appended_after": None},
        "first census": NO_AGE | row(appended_after=None, appended_before=None),
        "unassigned": {"assigned": False, "member_ids": [], "client_ids": []},
    },
    counts={"offsets": len},
    at_least=True,
)
