"""Each expectation of consumer_lag lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import CONSUMER_LAG_SUITE as SUITE
from kafka_census.tables.consumer_lag import CONSUMER_LAG
from spark.fake_lake import NOON
from spark.group_items import (
    LandedItems,
    classic,
    committed,
    group,
    joined,
    lag,
    share_offset,
    silent,
    topic,
)
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "group_type": "classic",
    "topic": "t",
    "partition": 0,
    "topic_state": "exists",
    "assigned": True,
    "member_ids": ["m-1"],
    "client_ids": ["c-1"],
    "committed_offset": 40,
    "log_start_offset": 10,
    "high_watermark": 100,
    "last_stable_offset": 90,
    "range": "in_range",
    "lag": 60,
    "lag_unread": False,
    "lag_read_committed": 50,
    "raw_lag": 60,
    "consumption_rate": 3.0,
    "production_rate": 1.0,
    "seconds_to_drain": 30,
    "previous_census_id": "before",
}
NO_RATES = {"consumption_rate": None, "production_rate": None, "previous_census_id": None, "seconds_to_drain": None}
NO_LAG = NO_RATES | {
    "committed_offset": None,
    "range": "no_commit",
    "lag": None,
    "lag_reason": "no offset is committed",
    "lag_read_committed": None,
    "lag_read_committed_reason": "no offset is committed",
    "raw_lag": None,
    "drain_reason": "lag_unknown",
}
BEFORE_START = {"committed_offset": 5, "range": "before_start", "lag": 90, "lag_read_committed": 80, "raw_lag": 95}
AFTER_END = {"committed_offset": 105, "range": "after_end", "lag": 0, "lag_read_committed": 0, "raw_lag": -5}
SHARE = {"group_type": "share", "lag": 7, "lag_read_committed": None, "lag_read_committed_reason": "Kafka's own"}
GONE = NO_LAG | {
    "committed_offset": 5,
    "log_start_offset": None,
    "high_watermark": None,
    "last_stable_offset": None,
    "range": "unknown",
    "topic_state": "gone",
    "topic_reason": "not listed",
}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
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
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """In range, before it, after it, never committed, of a deleted topic, of a share group: all rows are valid."""
    unassigned = {"assigned": False, "member_ids": [], "client_ids": []}
    reported = {
        "a": {},
        "b": BEFORE_START,
        "c": AFTER_END | {"seconds_to_drain": 0},
        "d": NO_LAG,
        "e": GONE,
        "f": SHARE,
    }
    rows = [RIGHT | {"group_id": name} | of for name, of in (reported | {"g": unassigned}).items()]
    found = failures(spark, SUITE, rows, {"offsets": 7}, "now")
    assert {rule: [key[9] for key in keys] for rule, keys in found.items()} == {
        "lag_is_known": ["d", "e"],
        "offset_is_in_its_log": ["b", "c"],
        "topic_exists": ["e"],
    }


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="group_id", counted={"offsets": 99})
    assert besides == {
        rule: {"lag_is_known"} for rule in ("range_is_known_word", "unknown_lag_has_reason", "no_commit_is_no_lag")
    }


def test_empty_table_passes_only_where_no_offset_was_read(spark: SparkSession) -> None:
    """Members may have partitions without a commit: more rows than offsets are right, fewer are not."""
    assert failures(spark, SUITE, [], {"offsets": 0}, "now") == {}
    assert failures(spark, SUITE, [RIGHT | {"group_id": "g"}], {"offsets": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"offsets": 1}, "now") == {"row_count": ()}


def test_offsets_are_counted_in_what_was_landed(spark: SparkSession) -> None:
    """Also for share groups, each once; a group's error names no partition, and an assignment alone has no offset."""
    parts = (
        group("c", "classic"),
        group("s", "share"),
        group("e", "consumer"),
        classic("c", "m-1", t=[0, 1]),
        topic("t", 2),
        silent("e"),
        {"offsets": [committed("c", "t", 1, 5), committed("c", "t", 1, 6), committed("c", "gone", 3, 5)]},
        {"share_offsets": [share_offset("s", "t", 0, 1, 1), share_offset("s", "t", 1, 1, 1)]},
    )
    counted = SUITE.counts(LandedItems(spark, CONSUMER_LAG, joined(*parts))).collect()[0].asDict()
    assert counted == {"offsets": 4}
    assert set(lag(spark, *parts)) - {("c", "t", 0)} == {("c", "t", 1), ("c", "gone", 3), ("s", "t", 0), ("s", "t", 1)}
