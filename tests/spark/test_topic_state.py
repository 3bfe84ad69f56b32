"""Which partitions of groups are rows of consumer_lag, and the state of their topics.

Offsets of deleted, hidden or recreated topics are distinguished from others, as far as that is known.
"""

from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from spark.cases import Stories, Story
from spark.group_items import before, classic, committed, ends, group, read, share_offset, silent, topic
from spark.landed_items import missing_read

STORIES = Stories(CONSUMER_LAG, lambda row: (row.group_id, row.topic, row.partition))


@STORIES.story
def what_was_reported_last_counts_with_its_note() -> Story:
    """An offset in two answers is taken entirely from the later one: removed metadata are not kept."""
    earlier, later = {"received": 4}, {"received": 5}
    offsets = [
        committed("g", "t", 0, 9, metadata="later", **later),
        committed("g", "t", 0, 8, metadata="earlier", **earlier),
        committed("g", "t", 1, 8, metadata="earlier", **earlier),
        committed("g", "t", 1, 9, metadata="", **later),
        committed("g", "t", 2, 8, leader_epoch=3, **earlier),
        committed("g", "t", 2, None, error_code=29, **later),
        committed("g", "t", 3, 7, metadata="only"),
    ]
    rows = yield read(group("g"), topic("t", 4), {"offsets": offsets})
    reported = {partition: (row.committed_offset, row.metadata) for (_, _, partition), row in rows.items()}
    assert reported == {0: (9, "later"), 1: (9, ""), 2: (None, None), 3: (7, "only")}
    assert rows["g", "t", 2].committed_leader_epoch is None


@STORIES.story
def members_of_one_partition_are_gathered_and_those_of_others_stay_apart() -> Story:
    """Two members that share a partition during a rebalance are one row; their other partitions are rows, too."""
    of_one = [group("g"), classic("g", "m-2", t=[0, 1]), classic("g", "m-1", t=[1], u=[0]), silent("g")]
    of_another = [group("alone"), classic("alone", "m-3", t=[0], u=[0]), silent("alone")]
    rows = yield read(*of_one, *of_another, topic("t", 2), topic("u"))
    assert {key: (row.member_ids, row.client_ids) for key, row in rows.items()} == {
        ("g", "t", 0): (["m-2"], ["client-m-2"]),
        ("g", "t", 1): (["m-1", "m-2"], ["client-m-1", "client-m-2"]),
        ("g", "u", 0): (["m-1"], ["client-m-1"]),
        ("alone", "t", 0): (["m-3"], ["client-m-3"]),
        ("alone", "u", 0): (["m-3"], ["client-m-3"]),
    }


@STORIES.story
def topics_that_are_gone_hidden_or_cut_short_have_no_lag() -> Story:
    """OffsetFetch shows offsets of deleted topics, and leaves out hidden ones: a missing offset is no deletion."""
    rows = yield read(
        group("g"),
        classic("g", "m-1", secret=[0], gone=[0]),
        topic("small", 2),
        topic("denied", error_code=29),
        topic("late"),
        ends("late", 0, error_code=3, described=False),
        {"offsets": [committed("g", name, part, 7) for name, part in (("gone", 0), ("late", 0), ("small", 5))]},
        {"offsets": [committed("g", "denied", 0, 7)]},
    )
    assert {name: (row.topic_state, row.lag, row.lag_reason) for (_, name, _), row in rows.items()} == {
        "gone": ("gone", None, "Metadata does not list the topic: it is deleted, or was created since"),
        "late": ("gone", None, "the topic was deleted during the census"),
        "small": (
            "unknown",
            None,
            "the topic had 2 partitions when listed: it is re-created with fewer, or grew since",
        ),
        "denied": ("unknown", None, "DescribeTopicPartitions answered TOPIC_AUTHORIZATION_FAILED for this topic"),
        "secret": (
            "unknown",
            None,
            (
                "OffsetFetch did not tell of it: Metadata does not list the topic: it is deleted, or hidden from "
                "this principal"
            ),
        ),
    }
    assert rows["g", "secret", 0].range == "unknown"
    # The offset of a topic that is gone was read; whether the others have a lag is not known.
    assert {name for (_, name, _), row in rows.items() if row.lag_unread} == {"small", "denied", "secret"}


@STORIES.story
def metadata_that_was_not_read_deletes_no_topic() -> Story:
    """An answer that was not read is named, and nothing is concluded from its absence."""
    missing = [missing_read("Metadata", "names", None, "DEADLINE_EXCEEDED")]
    row = (yield read(group("g"), {"offsets": [committed("g", "t", 0, 7)]}, missing=missing))["g", "t", 0]
    assert (row.topic_state, row.lag_reason) == ("unknown", "Metadata was not read (DEADLINE_EXCEEDED)")


@STORIES.story
def offset_of_an_earlier_topic_is_reported_by_its_epoch_or_the_topics_id() -> Story:
    """A fetch of all topics shows the old offset under the new topic; the lag is computed, and flagged."""
    then = {"topic_id": "other", "committed_offset": 40, "committed_leader_epoch": 3, "high_watermark": 50}
    rows = yield read(
        *[group(name) for name in ("epoch", "same", "moved", "still", "plain", "again")],
        topic("t"),
        ends("t", 0, start=0, end=100, epoch=3),
        {"offsets": [committed("epoch", "t", 0, 40, leader_epoch=9)]},
        {"offsets": [committed(name, "t", 0, 40, leader_epoch=3) for name in ("same", "moved", "still", "plain")]},
        {"offsets": [committed("again", "t", 0, 40, leader_epoch=3)]},
        previous=[
            before("same", "t", 0, **then),
            before("moved", "t", 0, **then | {"committed_offset": 30}),
            before("still", "t", 0, **then | {"topic_id": "id-t", "topic_state": "recreated"}),
            before("plain", "t", 0, **then | {"topic_id": None}),
            before("again", "t", 0, **then | {"topic_state": "recreated", "committed_leader_epoch": 2}),
        ],
    )
    states = {name: (row.topic_state, row.topic_reason) for (name, _, _), row in rows.items()}
    assert states == {
        "epoch": ("recreated", "committed at leader epoch 9, the partition is at 3"),
        "same": ("recreated", "the topic had another id in the previous census: other"),
        "moved": ("exists", None),
        "still": ("recreated", "the offset was an earlier topic's in the previous census, and is still the same"),
        "plain": ("exists", None),
        "again": ("exists", None),
    }
    assert {row.lag for row in rows.values()} == {60}
    assert {name for (name, _, _), row in rows.items() if row.drain_reason == "reset"} == {
        "same",
        "moved",
        "still",
        "again",
    }
    assert [row.consumption_rate for row in rows.values() if row.drain_reason == "reset"] == [None] * 4


@STORIES.story
def a_group_at_the_end_of_an_idle_topic_does_not_stay_recreated() -> Story:
    """Its commits repeat the same number for the new topic; an offset that is not at the end would have moved."""
    then = {"committed_offset": 0, "high_watermark": 0, "topic_state": "recreated"}
    rows = yield read(
        group("idle"),
        group("behind"),
        topic("t"),
        ends("t", 0, start=0, end=0, epoch=0),
        topic("u"),
        ends("u", 0, start=0, end=9, epoch=0),
        {"offsets": [committed("idle", "t", 0, 0), committed("behind", "u", 0, 0)]},
        previous=[before("idle", "t", 0, **then), before("behind", "u", 0, **then)],
    )
    assert {name: (row.topic_state, row.lag) for (name, _, _), row in rows.items()} == {
        "idle": ("exists", 0),
        "behind": ("recreated", 9),
    }


@STORIES.story
def a_share_groups_start_offset_is_of_the_topic_that_is_there() -> Story:
    """Kafka keeps it by topic id: the same number as before the topic was made again is no sign."""
    then = {"topic_id": "other", "committed_offset": 0, "committed_leader_epoch": None, "high_watermark": 0}
    row = (
        yield read(
            group("s", "share"),
            topic("t"),
            ends("t", 0, start=0, end=9, epoch=0),
            {"share_offsets": [share_offset("s", "t", 0, 0, 9)]},
            previous=[before("s", "t", 0, **then)],
        )
    )["s", "t", 0]
    assert (row.topic_state, row.lag) == ("exists", 9)


test_every_story = STORIES.each()
