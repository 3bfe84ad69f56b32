"""Lag is what is ahead of a committed offset; an unknown value is null with its reason."""

from datetime import datetime

from pyspark.sql import SparkSession

from kafka_census.quality.suites import CONSUMER_LAG_SUITE
from kafka_census.tables.consumer_lag import CONSUMER_LAG
from spark.cases import Stories, Story
from spark.group_items import (
    BEFORE,
    LandedItems,
    before,
    classic,
    committed,
    ends,
    group,
    joined,
    lag,
    read,
    share,
    share_offset,
    silent,
    topic,
)
from spark.landed_items import CENSUS, at, item, missing_read

NO_COMMIT = "no offset is committed: it starts by auto.offset.reset"


STORIES = Stories(CONSUMER_LAG, lambda row: (row.group_id, row.topic, row.partition))


def naive(moment: datetime) -> datetime:
    """A time as Spark returns it."""
    return moment.replace(tzinfo=None)


@STORIES.story
def a_partition_that_is_committed_and_read() -> Story:
    """Every column of the simplest row: between the log's start and an open transaction."""
    rows = yield read(
        group("g"),
        classic("g", "m-1", t=[0]),
        topic("t"),
        ends("t", 0, start=10, end=100, stable=90, received=8),
        {"offsets": [committed("g", "t", 0, 40, leader_epoch=2, metadata="noted")]},
    )
    assert tuple(rows["g", "t", 0]) == (
        *(CENSUS, "kraft-id", naive(at(8)), "g", "classic", "Stable", "t", 0, "id-t", "exists", None),
        *(True, None, ["m-1"], ["client-m-1"], 40, 2, "noted", 10, 100, 90, "in_range"),
        *(60, None, False, 50, None, 60, None, None, None, "no_history", None),
    )


@STORIES.story
def offsets_are_held_against_both_ends_of_the_log() -> Story:
    """Clamped and flagged, not hidden; one behind the end, as by a commit marker, is normal for an idle group."""
    offsets = {"start": 10, "before": 4, "after": 130, "end": 100, "marker": 99}
    rows = yield read(
        *[group(name) for name in offsets],
        topic("t"),
        ends("t", 0, start=10, end=100),
        {"offsets": [committed(name, "t", 0, offset) for name, offset in offsets.items()]},
    )
    reported = {name: (row.range, row.lag, row.raw_lag, row.lag_read_committed) for (name, _, _), row in rows.items()}
    assert reported == {
        "start": ("in_range", 90, 90, 90),
        "before": ("before_start", 90, 96, 90),
        "after": ("after_end", 0, -30, 0),
        "end": ("in_range", 0, 0, 0),
        "marker": ("in_range", 1, 1, 1),
    }
    assert rows["end", "t", 0].seconds_to_drain == 0
    assert rows["end", "t", 0].metadata is None


@STORIES.story
def partition_that_was_never_committed_is_unknown() -> Story:
    """Neither 0 nor the whole log: assigned, and left out by OffsetFetch or answered without an offset."""
    rows = yield read(
        group("g"),
        classic("g", "m-1", t=[0, 1]),
        topic("t", 2),
        ends("t", 0, start=0, end=100),
        ends("t", 1, start=0, end=100),
        {"offsets": [committed("g", "t", 1, None)]},
    )
    for partition in (0, 1):
        row = rows["g", "t", partition]
        assert (row.range, row.lag, row.raw_lag, row.committed_offset) == ("no_commit", None, None, None)
        assert row.lag_reason == row.lag_read_committed_reason == NO_COMMIT
        assert not row.lag_unread
        assert (row.high_watermark, row.assigned, row.drain_reason) == (100, True, "lag_unknown")


@STORIES.story
def errors_of_offset_fetch_are_rows_and_reasons() -> Story:
    """A partition with an error keeps its row; an error of the group is the reason for its members' partitions."""
    refused = item(received=3, group_id="refused", error_code=30)
    rows = yield read(
        group("g"),
        group("refused"),
        classic("refused", "m-1", t=[1]),
        topic("t", 2),
        ends("t", 0, start=0, end=100),
        ends("t", 1, start=0, end=100),
        {"offsets": [committed("g", "t", 0, None, error_code=88), refused]},
    )
    unstable, denied = rows["g", "t", 0], rows["refused", "t", 1]
    assert (unstable.range, unstable.lag) == (denied.range, denied.lag) == ("unknown", None)
    assert unstable.lag_unread
    assert denied.lag_unread
    assert unstable.lag_reason == "OffsetFetch answered UNSTABLE_OFFSET_COMMIT for this partition"
    assert denied.lag_reason == "OffsetFetch answered GROUP_AUTHORIZATION_FAILED for this group"


@STORIES.story
def silence_is_no_commit_only_where_the_group_was_read_to_the_end() -> Story:
    """If a coordinator's pages break off, the partition may be on a missing page; answered offsets are kept."""
    rows = yield read(
        group("cut"),
        group("lost"),
        classic("cut", "m-1", t=[0, 1]),
        classic("lost", "m-2", t=[1]),
        topic("t", 2),
        ends("t", 0, start=0, end=100),
        ends("t", 1, start=0, end=100),
        {"offsets": [committed("cut", "t", 0, 10, asked=3)]},
        missing=[missing_read("OffsetFetch", "groups", 3, "REQUEST_TIMED_OUT")],
    )
    why = "OffsetFetch was not read from broker 3 (REQUEST_TIMED_OUT)"
    assert (rows["cut", "t", 0].lag, rows["cut", "t", 0].lag_reason) == (90, None)
    for key in (("cut", "t", 1), ("lost", "t", 1)):
        assert (rows[key].range, rows[key].lag_reason, rows[key].lag_unread) == ("unknown", why, True)


@STORIES.story
def ends_that_were_not_read_leave_the_lag_null_with_the_reason() -> Story:
    """A missing end makes only its own partition's lag null; the range is reported as far as known."""
    rows = yield read(
        group("g"),
        topic("t", 6),
        ends("t", 0, start=0, end=100, error_code=78),
        ends("t", 1, start=0, end=None, leader=None, error_code=6),
        ends("t", 2, start=10, end=None, leader=3),
        ends("t", 3, start=None, end=100),
        ends("t", 4, start=0, end=100, stable=None),
        ends("t", 5, start=0, end=100),
        {"offsets": [committed("g", "t", partition, 5) for partition in range(6)]},
        missing=[
            missing_read("ListOffsets", "latest", 3, "BROKER_NOT_ALIVE"),
            missing_read("ListOffsets", "latest", 4, "ANY"),
        ],
    )
    reported = {partition: (row.lag, row.range, row.lag_reason) for (_, _, partition), row in rows.items()}
    assert reported == {
        0: (None, "unknown", "ListOffsets (latest) answered OFFSET_NOT_AVAILABLE"),
        1: (None, "unknown", "the partition has no leader"),
        2: (None, "before_start", "ListOffsets was not read from broker 3 (BROKER_NOT_ALIVE)"),
        3: (None, "unknown", "ListOffsets (earliest) did not tell of this partition"),
        4: (95, "in_range", None),
        5: (95, "in_range", None),
    }
    assert {partition: row.lag_unread for (_, _, partition), row in rows.items()} == {
        number: number < 4 for number in range(6)
    }
    assert rows["g", "t", 3].raw_lag == 95
    assert rows["g", "t", 4].lag_read_committed is None
    assert rows["g", "t", 4].lag_read_committed_reason == "ListOffsets (last_stable) did not tell of this partition"


@STORIES.story
def share_groups_have_kafkas_own_lag() -> Story:
    """Their start offset is no commit, records in flight may be counted or not, and members share a partition."""
    rows = yield read(
        group("s", "share"),
        share("s", "m-2", t=[0, 1, 2, 3]),
        share("s", "m-1", t=[0]),
        topic("t", 4),
        *[ends("t", partition, start=0, end=100) for partition in range(4)],
        {"share_offsets": [share_offset("s", "t", 0, 30, 55), share_offset("s", "t", 1, 30, None)]},
        {"share_offsets": [share_offset("s", "t", 2, None, None)]},
    )
    known = rows["s", "t", 0]
    assert (known.committed_offset, known.lag, known.raw_lag, known.range) == (30, 55, 70, "in_range")
    assert (known.member_ids, known.client_ids) == (["m-1", "m-2"], ["client-m-1", "client-m-2"])
    assert known.lag_read_committed is None
    assert known.lag_read_committed_reason == "Kafka tells one lag of a share group, not one for each isolation level"
    unread = "its start offset is not known: it was never read, or Kafka could not read its state"
    assert {partition: (row.lag, row.range, row.lag_reason) for (_, _, partition), row in rows.items()} == {
        0: (55, "in_range", None),
        1: (None, "in_range", "DescribeShareGroupOffsets did not tell the lag"),
        2: (None, "unknown", unread),
        3: (None, "unknown", unread),
    }
    assert not any(row.lag_unread for row in rows.values())


@STORIES.story
def a_start_that_is_not_told_was_read_unless_the_state_may_not_have_been() -> Story:
    """Never fetched, or the state has no leader: the answer is the same. Refused: the answer has the error."""
    parts = (
        group("s", "share"),
        share("s", "m-1", t=[0, 1]),
        topic("t", 4),
        *[ends("t", partition, start=0, end=100) for partition in range(4)],
        {"share_offsets": [share_offset("s", "t", 1, None, None), share_offset("s", "t", 2, 30, None)]},
        {"share_offsets": [{**share_offset("s", "t", 3, None, None), "error_code": 5}]},
    )
    unled = missing_read("DescribeShareGroupOffsets", "groups", None, "LEADER_NOT_AVAILABLE")
    for missing, unread in (([], {3}), ([unled], {0, 1, 3})):
        rows = yield read(*parts, missing=missing, previous=[])
        assert {partition for (_, _, partition), row in rows.items() if row.lag_unread} == unread
        assert {row.lag for row in rows.values()} == {None}


DRAINING = {
    # then: committed, high watermark -> rates, seconds, reason; now: 600 of 1000, observed 100 s later
    "drains": (100, 900, 5.0, 1.0, 100, None),
    "grows": (500, 700, 1.0, 3.0, None, "not_draining"),
    "even": (500, 900, 1.0, 1.0, None, "not_draining"),
    "stuck": (600, 1000, 0.0, 0.0, None, "not_draining"),
    "rewound": (700, 900, None, 1.0, None, "reset"),
    "truncated": (500, 1200, 1.0, None, None, "reset"),
    "uncommitted": (None, 900, None, 1.0, None, "no_history"),
}


@STORIES.story
def rates_and_time_to_drain_come_from_the_census_before() -> Story:
    """Growth over the seconds between; an offset that fell is a reset, not a negative rate."""
    rows = yield read(
        *[group(name) for name in [*DRAINING, "new"]],
        topic("t"),
        ends("t", 0, start=0, end=1000, received=5),
        {"offsets": [committed(name, "t", 0, 600) for name in [*DRAINING, "new"]]},
        previous=[
            before(name, "t", 0, committed_offset=then, high_watermark=end, observed_at=at(-95))
            for name, (then, end, *_) in DRAINING.items()
        ],
    )
    for name, (_, _, consumption, production, seconds, reason) in DRAINING.items():
        row = rows[name, "t", 0]
        reported = (row.consumption_rate, row.production_rate, row.seconds_to_drain, row.drain_reason)
        assert reported == (consumption, production, seconds, reason), name
        assert row.previous_census_id == BEFORE
    assert (rows["new", "t", 0].drain_reason, rows["new", "t", 0].previous_census_id) == ("no_history", None)


def test_offsets_are_counted_in_what_was_landed(spark: SparkSession) -> None:
    """Also for share groups, each once; a group's error names no partition, and an assignment alone has no offset."""
    parts = (
        *[group(name, kind) for name, kind in (("c", "classic"), ("s", "share"), ("e", "consumer"))],
        classic("c", "m-1", t=[0, 1]),
        topic("t", 2),
        silent("e"),
        {"offsets": [committed("c", "t", 1, 5), committed("c", "t", 1, 6), committed("c", "gone", 3, 5)]},
        {"share_offsets": [share_offset("s", "t", 0, 1, 1), share_offset("s", "t", 1, 1, 1)]},
    )
    counted = CONSUMER_LAG_SUITE.counts(LandedItems(spark, CONSUMER_LAG, joined(*parts))).collect()[0].asDict()
    assert counted == {"offsets": 4}
    assert set(lag(spark, *parts)) - {("c", "t", 0)} == {("c", "t", 1), ("c", "gone", 3), ("s", "t", 0), ("s", "t", 1)}


test_every_story = STORIES.each()
