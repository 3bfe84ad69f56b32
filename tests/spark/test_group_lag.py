"""A group's lag is a sum beside the number of partitions that it lacks."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import GROUP_LAG_SUITE
from kafka_census.tables.group_lag import GROUP_LAG
from spark.cases import Stories, Story
from spark.group_items import LandedItems, classic, committed, consumer, group, joined, read, silent
from spark.landed_items import CENSUS, CLUSTER, Item, at, item, missing_read

TABLE = GROUP_LAG
COUNTS = {
    "topics": 2,
    "partitions": 6,
    "partitions_known": 4,
    "partitions_missed": 2,
    "partitions_without_commit": 1,
    "partitions_unread": 1,
    "partitions_out_of_range": 2,
    "partitions_unassigned": 2,
    "partitions_without_rate": 4,
    "partitions_not_draining": 1,
}
"""Of the group of `totals_say_how_many_partitions_they_miss`."""


STORIES = Stories(TABLE, lambda row: row.group_id)


def part(name: str, topic: str, partition: int, lag: int | None, **columns: Any) -> dict[str, list[Item]]:
    """A row of consumer_lag; in range, assigned and read by default."""
    row = {"census_id": CENSUS, "cluster_id": CLUSTER, "observed_at": at(9), "range": "in_range", "assigned": True}
    row |= {"topic_state": "exists", "lag_unread": False}
    key = {"group_id": name, "topic": topic, "partition": partition}
    reasons = {"lag_reason": None if lag is not None else "why not"}
    return {"lag": [key | row | reasons | {"lag": lag} | columns]}


@STORIES.story
def totals_say_how_many_partitions_they_miss() -> Story:
    """Known lags are summed, unknown ones counted; topics without a member are counted separately."""
    rates = {"consumption_rate": 2.0, "production_rate": 1.5}
    row = (
        yield read(
            group("g"),
            classic("g", "m-1", t=[0, 1, 3]),
            {"offsets": [committed("g", "t", 0, 1)]},
            part("g", "t", 0, 60, **rates, seconds_to_drain=120),
            part("g", "t", 1, 5, **rates, seconds_to_drain=10),
            part("g", "t", 2, None, range="unknown", lag_unread=True),
            part("g", "t", 3, None, range="no_commit"),
            part("g", "old", 0, 60, range="before_start", assigned=False, drain_reason="not_draining"),
            part("g", "old", 1, 0, range="after_end", assigned=False, consumption_rate=7.0),
        )
    )["g"]
    assert {name: row[name] for name in COUNTS} == COUNTS
    assert (row.lag_total, row.lag_unassigned, row.lag_max, row.lag_reason) == (125, 60, 60, None)
    # Among equal lags the same partition is chosen, whatever the order of rows.
    assert (row.slowest_topic, row.slowest_partition) == ("t", 0)
    assert (row.consumption_rate, row.production_rate, row.seconds_to_drain) == (4.0, 3.0, 120)
    assert (row.group_type, row.group_state, row.protocol_type, row.members) == ("classic", "Stable", "consumer", 1)
    assert row.observed_at == at(9).replace(tzinfo=None)


@STORIES.story
def every_listed_group_is_a_row() -> Story:
    """Without offsets, without answers, with refusals: no total, but the reason."""
    rows = yield read(
        *[group(name) for name in ("", "idle", "denied", "lost", "unknown", "drained")],
        *[silent(name) for name in ("", "idle", "unknown", "drained")],
        {"offsets": [item(group_id="denied", error_code=30)]},
        {"classic": [item(group_id="idle", error_code=0, group_state="Empty")]},
        {"classic": [item(group_id="denied", error_code=30)]},
        part("unknown", "t", 0, None, lag_reason="the partition has no leader"),
        part("drained", "t", 0, 0),
        missing=[missing_read("OffsetFetch", "groups", 2, "CONNECTION_FAILED")],
    )
    nothing = "no partition is committed, or assigned to a member"
    lost = "OffsetFetch was not read from broker 2 (CONNECTION_FAILED)"
    refused = "OffsetFetch answered GROUP_AUTHORIZATION_FAILED for this group"
    assert {name: (row.lag_total, row.lag_reason, row.offsets_reason) for name, row in rows.items()} == {
        "": (None, nothing, None),
        "idle": (None, nothing, None),
        "denied": (None, refused, refused),
        "lost": (None, lost, lost),
        "unknown": (None, "no partition's lag is known, such as: the partition has no leader", None),
        "drained": (0, None, None),
    }
    assert (rows["idle"].members, rows["idle"].group_state, rows["idle"].members_reason) == (0, "Empty", None)
    assert rows["denied"].members is None
    assert rows["denied"].members_reason == "DescribeGroups answered GROUP_AUTHORIZATION_FAILED for this group"
    assert rows["lost"].members_reason == "DescribeGroups did not answer for this group"
    assert {rows["idle"][name] for name in COUNTS} == {0}


@STORIES.story
def pages_that_break_off_say_that_more_may_be_there() -> Story:
    """Members and offsets that were read are kept, with the reason why others may be missing."""
    row = (
        yield read(
            group("g", "consumer"),
            consumer("g", "m-1", {"t": [0]}, {"t": [0]}),
            {"offsets": [committed("g", "t", 0, 1, asked=3)]},
            part("g", "t", 0, 7),
            missing=[
                missing_read("ConsumerGroupDescribe", "groups", 1, "REQUEST_TIMED_OUT"),
                missing_read("OffsetFetch", "groups", 3, "CUT"),
            ],
            alone=True,
        )
    )["g"]
    assert (row.members, row.lag_total) == (1, 7)
    assert row.members_reason == "ConsumerGroupDescribe was not read from broker 1 (REQUEST_TIMED_OUT)"
    assert row.offsets_reason == "OffsetFetch was not read from broker 3 (CUT)"


@STORIES.story
def what_nobody_reads_is_unknown_where_members_are() -> Story:
    """One partition that may have an unread member makes the number unknown; the total is kept."""
    row = (yield read(group("g"), silent("g"), part("g", "t", 0, 7, assigned=None), part("g", "t", 1, 1)))["g"]
    assert (row.partitions_unassigned, row.lag_unassigned, row.lag_total) == (None, None, 8)


@STORIES.story
def what_is_ahead_of_an_earlier_topics_offset_is_in_no_total() -> Story:
    """The row of the partition has a number, which is not known to be lag: it is counted as missed, and was read."""
    earlier = {"topic_state": "recreated", "topic_reason": "another id", "seconds_to_drain": 9}
    rows = yield read(
        group("both"),
        group("only"),
        part("both", "t", 0, 60, **earlier, assigned=False),
        part("both", "t", 1, 5, seconds_to_drain=1),
        part("only", "t", 0, 60, **earlier),
    )
    both, only = rows["both"], rows["only"]
    assert (both.lag_total, both.lag_unassigned, both.lag_max, both.slowest_partition) == (5, 0, 5, 1)
    assert (both.partitions_known, both.partitions_missed, both.partitions_unread) == (1, 1, 0)
    assert both.seconds_to_drain == 1
    assert (only.lag_total, only.lag_max, only.seconds_to_drain) == (None, None, None)
    assert only.lag_reason == "no partition's lag is known, such as: another id"


def test_groups_and_partitions_are_counted_apart_in_what_was_landed(spark: SparkSession) -> None:
    """A group that two brokers list counts once; partitions are rows of consumer_lag."""
    parts = [part("g", "t", number, None) for number in range(3)]
    landed = LandedItems(spark, TABLE, joined(group("g"), group("g"), group("h"), *parts))
    assert GROUP_LAG_SUITE.counts(landed).collect()[0].asDict() == {"groups": 2, "partitions": 3}


test_every_story = STORIES.each()
