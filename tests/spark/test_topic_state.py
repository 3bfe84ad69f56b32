"""Which partitions of groups are rows of consumer_lag, and the state of their topics.

Offsets of deleted, hidden or recreated topics are distinguished from others, as far as that is known.
"""

from typing import Any

from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from spark.cases import Case, each_case
from spark.group_items import before, classic, committed, ends, group, read, share_offset, silent, topic
from spark.landed_items import missing_read

EARLIER, LATER = {"received": 4}, {"received": 5}
THEN = {"topic_id": "other", "committed_offset": 40, "committed_leader_epoch": 3, "high_watermark": 50}
IDLE = {"committed_offset": 0, "high_watermark": 0}
NO_LAG, ANEW = ("unknown", None, True), ("recreated", 60, "reset", None)
UNLISTED = "Metadata does not list the topic: it is deleted, or"


def case(columns: str, rows: dict[tuple[str, str, int], Any], *parts: Any, **more: Any) -> Case:
    return Case(read(*parts, **more), None).table(columns, rows)


CASES = {
    # An offset in two answers is taken entirely from the later one: removed metadata are not kept.
    "what was reported last counts with its note": case(
        "committed_offset metadata",
        {("g", "t", 0): (9, "later"), ("g", "t", 1): (9, ""), ("g", "t", 2): (None, None), ("g", "t", 3): (7, "only")},
        *(group("g"), topic("t", 4)),
        {"offsets": [committed("g", "t", 0, 9, metadata="later", **LATER)]},
        {"offsets": [committed("g", "t", part, 8, metadata="earlier", **EARLIER) for part in (0, 1)]},
        {"offsets": [committed("g", "t", 1, 9, metadata="", **LATER), committed("g", "t", 3, 7, metadata="only")]},
        {"offsets": [committed("g", "t", 2, 8, leader_epoch=3, **EARLIER)]},
        {"offsets": [committed("g", "t", 2, None, error_code=29, **LATER)]},
    ).table("committed_leader_epoch", {("g", "t", 2): (None,)}),
    # Two members that share a partition during a rebalance are one row; their other partitions are rows, too.
    "members of one partition are gathered and those of others stay apart": case(
        "member_ids client_ids",
        {
            ("g", "t", 0): (["m-2"], ["client-m-2"]),
            ("g", "t", 1): (["m-1", "m-2"], ["client-m-1", "client-m-2"]),
            ("g", "u", 0): (["m-1"], ["client-m-1"]),
            ("alone", "t", 0): (["m-3"], ["client-m-3"]),
            ("alone", "u", 0): (["m-3"], ["client-m-3"]),
        },
        *(group("g"), classic("g", "m-2", t=[0, 1]), classic("g", "m-1", t=[1], u=[0]), silent("g")),
        *(group("alone"), classic("alone", "m-3", t=[0], u=[0]), silent("alone"), topic("t", 2), topic("u")),
    ),
    # OffsetFetch shows offsets of deleted topics, and leaves out hidden ones: a missing offset is no deletion. The
    # offset of a topic that is gone was read; whether the others have a lag is not known.
    "topics that are gone hidden or cut short have no lag": case(
        "topic_state lag lag_unread lag_reason",
        {
            ("g", "gone", 0): ("gone", None, False, f"{UNLISTED} was created since"),
            ("g", "late", 0): ("gone", None, False, "the topic was deleted during the census"),
            ("g", "small", 5): (
                *NO_LAG,
                "the topic had 2 partitions when listed: it is re-created with fewer, or grew since",
            ),
            ("g", "denied", 0): (*NO_LAG, "DescribeTopicPartitions answered TOPIC_AUTHORIZATION_FAILED for this topic"),
            ("g", "secret", 0): (*NO_LAG, f"OffsetFetch did not tell of it: {UNLISTED} hidden from this principal"),
        },
        *(group("g"), classic("g", "m-1", secret=[0], gone=[0])),
        *(topic("small", 2), topic("denied", error_code=29), topic("late")),
        ends("late", 0, error_code=3, described=False),
        {"offsets": [committed("g", name, 0, 7) for name in ("gone", "late", "denied")]},
        {"offsets": [committed("g", "small", 5, 7)]},
    ).table("range", {("g", "secret", 0): "unknown"}),
    # An answer that was not read is named, and nothing is concluded from its absence.
    "metadata that was not read deletes no topic": case(
        "topic_state lag_reason",
        {("g", "t", 0): ("unknown", "Metadata was not read (DEADLINE_EXCEEDED)")},
        *(group("g"), {"offsets": [committed("g", "t", 0, 7)]}),
        missing=[missing_read("Metadata", "names", None, "DEADLINE_EXCEEDED")],
    ),
    # A fetch of all topics shows the old offset under the new topic; the lag is computed, and flagged.
    "an offset of an earlier topic is told by its epoch or by the topic's id": case(
        "topic_state lag drain_reason consumption_rate topic_reason",
        {
            ("epoch", "t", 0): (
                "recreated",
                60,
                "no_history",
                None,
                "committed at leader epoch 9, the partition is at 3",
            ),
            ("same", "t", 0): (*ANEW, "the topic had another id in the previous census: other"),
            ("moved", "t", 0): ("exists", 60, "reset", None, None),
            ("still", "t", 0): (
                *ANEW,
                "the offset was an earlier topic's in the previous census, and is still the same",
            ),
            ("plain", "t", 0): ("exists", 60, "not_draining", 0.0, None),
            ("again", "t", 0): ("exists", 60, "reset", None, None),
        },
        *[group(name) for name in ("epoch", "same", "moved", "still", "plain", "again")],
        *(topic("t"), ends("t", 0, start=0, end=100, epoch=3)),
        {"offsets": [committed("epoch", "t", 0, 40, leader_epoch=9)]},
        {"offsets": [committed(of, "t", 0, 40, leader_epoch=3) for of in ("same", "moved", "still", "plain", "again")]},
        previous=[
            before("same", "t", 0, **THEN),
            before("moved", "t", 0, **THEN | {"committed_offset": 30}),
            before("still", "t", 0, **THEN | {"topic_id": "id-t", "topic_state": "recreated"}),
            before("plain", "t", 0, **THEN | {"topic_id": None}),
            before("again", "t", 0, **THEN | {"topic_state": "recreated", "committed_leader_epoch": 2}),
        ],
    ),
    # Its commits repeat the same number for the new topic; an offset that is not at the end would have moved.
    "a group at the end of an idle topic does not stay recreated": case(
        "topic_state lag",
        {("idle", "t", 0): ("exists", 0), ("behind", "u", 0): ("recreated", 9)},
        *(group("idle"), topic("t"), ends("t", 0, start=0, end=0, epoch=0)),
        *(group("behind"), topic("u"), ends("u", 0, start=0, end=9, epoch=0)),
        {"offsets": [committed("idle", "t", 0, 0), committed("behind", "u", 0, 0)]},
        previous=[before(*of, 0, **IDLE, topic_state="recreated") for of in (("idle", "t"), ("behind", "u"))],
    ),
    # Kafka keeps it by topic id: the same number as before the topic was made again is no sign.
    "a share group's start offset is of the topic that is there": case(
        "topic_state lag",
        {("s", "t", 0): ("exists", 9)},
        *(group("s", "share"), topic("t"), ends("t", 0, start=0, end=9, epoch=0)),
        {"share_offsets": [share_offset("s", "t", 0, 0, 9)]},
        previous=[before("s", "t", 0, **IDLE, topic_id="other", committed_leader_epoch=None)],
    ),
}

test_every_case = each_case(CONSUMER_LAG, CASES, lambda row: (row.group_id, row.topic, row.partition))
