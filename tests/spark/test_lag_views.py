"""Lag on a terminal: worst first, and unknown differs from none."""

from pyspark.sql import SparkSession

from kafka_census.report.views.consumer_lag import CONSUMER_LAG_VIEW
from kafka_census.report.views.group_lag import GROUP_LAG_VIEW
from kafka_census.report.views.group_members import GROUP_MEMBERS_VIEW
from spark.viewed import reported


def test_offsets_that_need_a_look(spark: SparkSession) -> None:
    base = {"topic": "a-topic-with-a-rather-long-name", "partition": 0, "topic_state": "exists", "range": "in_range"}
    known = base | {"committed_offset": 10**11, "high_watermark": 10**11 + 5, "lag": 5}
    rows = [
        known | {"group_id": "well", "seconds_to_drain": 3},
        known | {"group_id": "behind", "drain_reason": "not_draining"},
        known | {"group_id": "after", "range": "after_end", "lag": 0, "seconds_to_drain": 0},
        known | {"group_id": "another", "topic_state": "recreated"},
        base | {"group_id": "lost", "range": "unknown", "lag_reason": "no leader"},
        base | {"group_id": "gone", "range": "unknown", "topic_state": "gone", "lag_reason": "gone"},
        base | {"group_id": "new", "range": "no_commit", "lag_reason": "never"},
    ]
    shown, totals = reported(spark, CONSUMER_LAG_VIEW, rows)
    assert [row.group_id for row in shown] == ["after", "gone", "lost", "new", "another", "behind"]
    assert [CONSUMER_LAG_VIEW.note(row) for row in shown] == [None, "gone", "no leader", "never", None, None]
    assert CONSUMER_LAG_VIEW.cells(shown[1])[CONSUMER_LAG_VIEW.noted] == "-"
    assert totals == [
        "7 partitions of groups: 1 after_end, 2 unknown, 1 no_commit, 3 in_range",
        "1 partition of topics that are deleted",
        "1 partition with an offset of an earlier topic of that name",
        "1 partition not consumed faster than written to",
    ]


def test_groups_that_are_behind(spark: SparkSession) -> None:
    base = {"group_state": "PreparingRebalance", "members": 3, "partitions": 4, "partitions_missed": 0, "lag_total": 0}
    behind = {"lag_total": 70, "lag_max": 60, "slowest_topic": "a-topic-with-a-rather-long-name"}
    rows = [
        base | {"group_id": "", "lag_max": 0, "slowest_topic": "t", "slowest_partition": 0},
        base | behind | {"group_id": "b", "partitions_missed": 2, "slowest_partition": 31, "seconds_to_drain": 90},
        base | {"group_id": "c", "lag_total": None, "offsets_reason": "refused", "lag_reason": "refused"},
    ]
    shown, totals = reported(spark, GROUP_LAG_VIEW, rows)
    assert [row.group_id for row in shown] == ["c", "b"]
    assert GROUP_LAG_VIEW.note(shown[0]) == "refused"
    assert GROUP_LAG_VIEW.cells(shown[1])[6:] == ("a-topic-with-a-rather-long-name-31", "1m 30s")
    assert totals == [
        "3 groups: at least 70 offsets behind",
        "2 partitions with unknown lag, in no total",
        "1 group whose offsets were not all read",
    ]


def test_no_groups_are_reported_in_one_line(spark: SparkSession) -> None:
    assert reported(spark, GROUP_LAG_VIEW, [])[1] == ["no groups"]
    assert reported(spark, CONSUMER_LAG_VIEW, [])[1] == ["no partition is committed, or assigned to a member"]


def test_members_that_need_a_look(spark: SparkSession) -> None:
    base = {"group_id": "g", "status": "described", "client_id": "c", "client_host": "/10.0.0.1", "partitions": 3}
    rows = [
        base | {"member_id": "well"},
        base | {"member_id": "waits", "partitions": 0},
        base | {"member_id": "silent", "partitions": None, "assignment_reason": "it rebalances"},
        {"group_id": "", "member_id": "", "status": "not_read", "reason": "refused"},
    ]
    shown, totals = reported(spark, GROUP_MEMBERS_VIEW, rows)
    assert [row.member_id for row in shown] == ["", "silent", "waits"]
    assert [GROUP_MEMBERS_VIEW.note(row) for row in shown] == ["refused", "it rebalances", None]
    assert GROUP_MEMBERS_VIEW.cells(shown[0]) == ('""', "-", "-", "-", "-", "-")
    assert totals == ["3 members", "1 member without a partition", "1 group whose members were not all read"]
