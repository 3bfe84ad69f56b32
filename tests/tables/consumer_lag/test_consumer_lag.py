"""Lag is what is ahead of a committed offset; an unknown value is null with its reason.

Offsets of deleted, hidden or recreated topics are distinguished from others, as far as that is known, and for every
type of group the current member of each partition, or why it is unknown.
"""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.consumer_lag.lag_in_time import with_end_history
from kafka_census.tables.consumer_lag.rules import CONSUMER_LAG_SUITE
from kafka_census.tables.shared.group_reads import GIVES_UP, UNREPORTED
from spark import group_items
from spark.cases import Case, each_case
from spark.group_items import (
    LandedItems,
    Roles,
    before,
    classic,
    committed,
    consumer,
    ends,
    group,
    joined,
    share,
    share_offset,
    silent,
    streams,
    topic,
)
from spark.landed_items import BEFORE, at, item, missing_read, naive, published


def case(columns: str, rows: dict[Any, Any], *parts: Any, **more: Any) -> Case:
    """Values of columns by group, topic and partition; the topic is t unless it is given."""
    keyed = {key if len(key) == 3 else (key[0], "t", key[1]): values for key, values in rows.items()}
    return group_items.case(columns, keyed, *parts, **more)


CUT = "OffsetFetch was not read from broker 3 (REQUEST_TIMED_OUT)"
WHY = "lag_reason lag_unread"
NO_TABLE = "the census has no table partitions, which keeps the history of end offsets"
NO_HISTORY = "no earlier end of this log is known: it is a first census, or the topic is new"
UNREAD = "its start offset is not known: it was never read, or Kafka could not read its state"
UNLED_SHARE = "DescribeShareGroupOffsets answered LEADER_NOT_AVAILABLE for this partition"
UNTOLD = "DescribeShareGroupOffsets did not tell the lag"
UNLED = missing_read("DescribeShareGroupOffsets", "groups", None, "LEADER_NOT_AVAILABLE")
RESETS = "the records at the committed offset are deleted: the consumer will reset"
LOGS = [ends("t", partition, start=0, end=100) for partition in range(4)]
SHARED = (
    *(group("s", "share"), share("s", "m-1", t=[0, 1]), topic("t", 4), *LOGS),
    {"share_offsets": [share_offset("s", "t", 1, None, None), share_offset("s", "t", 2, 30, None)]},
    {"share_offsets": [{**share_offset("s", "t", 3, None, None), "error_code": 5}]},
)
LATE = naive(5)
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
CASES = {
    # A partition with an error keeps its row; an error of the group is the reason for its members' partitions.
    "errors of OffsetFetch are rows and reasons": case(
        f"range lag {WHY}",
        {
            ("g", 0): ("unknown", None, "OffsetFetch answered UNSTABLE_OFFSET_COMMIT for this partition", True),
            ("r", 1): ("unknown", None, "OffsetFetch answered GROUP_AUTHORIZATION_FAILED for this group", True),
        },
        *(group("g"), group("r"), classic("r", "m-1", t=[1]), topic("t", 2), *LOGS[:2]),
        {"offsets": [committed("g", "t", 0, None, error_code=88), item(received=3, group_id="r", error_code=30)]},
    ),
    # If a coordinator's pages break off, the partition may be on a missing page; answered offsets are kept.
    "silence is no commit only where the group was read to the end": case(
        f"range lag {WHY}",
        {("cut", 0): ("in_range", 90, None, False)}
        | dict.fromkeys((("cut", 1), ("lost", 1)), ("unknown", None, CUT, True)),
        *(group("cut"), group("lost"), classic("cut", "m-1", t=[0, 1]), classic("lost", "m-2", t=[1]), topic("t", 2)),
        *LOGS[:2],
        {"offsets": [committed("cut", "t", 0, 10, asked=3)]},
        missing=[missing_read("OffsetFetch", "groups", 3, "REQUEST_TIMED_OUT")],
    ),
    # A missing end makes only its own partition's lag null; the range is reported as far as known.
    "ends that were not read leave the lag null with the reason": case(
        f"lag range {WHY}",
        {
            ("g", 0): (None, "unknown", "ListOffsets (latest) answered OFFSET_NOT_AVAILABLE", True),
            ("g", 1): (None, "unknown", "the partition has no leader", True),
            ("g", 2): (None, "before_start", RESETS, False),
            ("g", 3): (None, "unknown", "ListOffsets (earliest) did not tell of this partition", True),
            **dict.fromkeys((("g", 4), ("g", 5)), (95, "in_range", None, False)),
        },
        *(group("g"), topic("t", 6)),
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
    .table("raw_lag", {("g", "t", 3): 95})
    .table("lag_seconds lag_seconds_reason", {("g", "t", 2): (None, RESETS)})
    .table(
        "lag_read_committed lag_read_committed_reason",
        {
            ("g", "t", 4): (None, "ListOffsets (last_stable) did not tell of this partition"),
            ("g", "t", 5): (95, None),
        },
    ),
    # Never fetched, or the state has no leader: the answer is the same. Refused: the answer has the error.
    "share groups have Kafka's own lag, and a start that is not told was read": case(
        f"lag {WHY} range",
        {
            ("s", 0): (None, UNREAD, False, "unknown"),
            ("s", 1): (None, UNREAD, False, "unknown"),
            ("s", 2): (None, UNTOLD, False, "in_range"),
            ("s", 3): (None, UNLED_SHARE, True, "unknown"),
        },
        *SHARED,
    ),
    "unless the state may not have been": case(
        "lag lag_unread", {("s", number): (None, number != 2) for number in range(4)}, *SHARED, missing=[UNLED]
    ),
    # Growth over the seconds between; an offset that fell is a reset, not a negative rate.
    "rates and time to drain come from the census before": case(
        "consumption_rate production_rate seconds_to_drain drain_reason previous_census_id observed_at",
        {(name, 0): (*then[2:], BEFORE, LATE) for name, then in DRAINING.items()}
        | {("new", 0): (None, None, None, "no_history", None, LATE)},
        *[group(name) for name in [*DRAINING, "new"]],
        topic("t"),
        ends("t", 0, start=0, end=1000, received=5),
        {"offsets": [committed(name, "t", 0, 600) for name in [*DRAINING, "new"]]},
        previous=[
            before(name, "t", 0, committed_offset=then[0], high_watermark=then[1], observed_at=at(-95))
            for name, then in DRAINING.items()
        ],
    ),
}

# End offsets by the second at which they were read, now being 1000: an offset, and how old its record is.
ENDS = [(0, 100), (600, 700), (900, 700), (1000, 900)]
AGES: dict[str, tuple[int, Any]] = {
    # seconds, method, appended after, appended before
    "no lag": (900, (0, "exact", None, None)),
    "steady": (400, (700, "interpolated", 0, 600)),
    "after a pause": (700, (100, "interpolated", 900, 1000)),
    "the last record": (899, (0, "interpolated", 900, 1000)),
    "of the oldest end": (100, (1000, "interpolated", 0, 600)),
    "older than history": (99, (1000, "at_least", None, 0)),
    "the newest record": (850, (77, "exact", 900, 1000)),
}


def since(second: int | None) -> Any:
    return None if second is None else naive(second)


def row_of_partitions(partition: int, history: list[tuple[int, int]], **newest: Any) -> dict[str, list[Any]]:
    found = [{"at": at(second), "end_offset": offset} for second, offset in history]
    return {"ends_before": [published(0, topic="t", partition=partition, end_offset_history=found, **newest)]}


CASES["a lag has an age by the ends of earlier censuses"] = (
    case(
        "lag_seconds lag_seconds_method appended_after appended_before",
        {(name, 0): (*age[:2], *map(since, age[2:])) for name, (_, age) in AGES.items()},
        *[group(name) for name in [*AGES, "first"]],
        topic("t", 2),
        *(ends("t", 0, start=0, end=900, stable=600), ends("t", 1, start=0, end=900)),
        {"offsets": [committed(name, "t", 0, offset) for name, (offset, _) in AGES.items()]},
        {"offsets": [committed("first", "t", 1, 850)]},
        row_of_partitions(0, ENDS, newest_record_offset=850, newest_record_at=at(923)),
        row_of_partitions(1, ENDS[-1:]),
    )
    .table("lag_seconds lag_seconds_reason", {("first", "t", 1): (None, NO_HISTORY)})
    .table(
        "lag_read_committed lag_read_committed_seconds",
        {("steady", "t", 0): (200, 700), ("after a pause", "t", 0): (0, 0), ("first", "t", 1): (50, None)},
    )
)


def test_without_the_table_partitions_no_age_is_known(spark: SparkSession) -> None:
    [row] = with_end_history(spark.sql("SELECT 't' AS topic, 0 AS partition"), None).collect()
    assert (row.ends, row.why_no_history) == (None, NO_TABLE)


LANDED = (
    *[group(name, kind) for name, kind in (("c", "classic"), ("s", "share"), ("e", "consumer"))],
    *(classic("c", "m-1", t=[0, 1]), topic("t", 2), silent("e")),
    {"offsets": [committed("c", "t", 1, 5), committed("c", "t", 1, 6), committed("c", "u", 3, 5)]},
    {"share_offsets": [share_offset("s", "t", 0, 1, 1), share_offset("s", "t", 1, 1, 1)]},
)


def test_offsets_are_counted_in_what_was_landed(spark: SparkSession) -> None:
    """Also for share groups, each once; a group's error names no partition, and an assignment alone has no offset."""
    counted = CONSUMER_LAG_SUITE.counts(LandedItems(spark, CONSUMER_LAG, joined(*LANDED)))
    assert counted.collect()[0].asDict() == {"offsets": 4}


# The topic of an offset.
EARLIER, LATER = {"received": 4}, {"received": 5}
THEN = {"topic_id": "other", "committed_offset": 40, "committed_leader_epoch": 3, "high_watermark": 50}
IDLE = {"committed_offset": 0, "high_watermark": 0}
NO_LAG, ANEW = ("unknown", None, True), ("recreated", 60, "reset", None)
UNLISTED = "Metadata does not list the topic: it is deleted, or"

CASES |= {
    # An offset in two answers is taken entirely from the later one: removed metadata are not kept. While a coordinator
    # moves, two brokers list its group.
    "what was reported last counts with its note": case(
        "committed_offset metadata",
        {("g", "t", 0): (9, "later"), ("g", "t", 1): (9, ""), ("g", "t", 2): (None, None), ("g", "t", 3): (7, "only")},
        *(group("g"), topic("t", 4), {"groups": [item(2, 2, group_id="g", group_type="classic", group_state="Empty")]}),
        {"offsets": [committed("g", "t", 0, 9, metadata="later", **LATER)]},
        {"offsets": [committed("g", "t", part, 8, metadata="earlier", **EARLIER) for part in (0, 1)]},
        {"offsets": [committed("g", "t", 1, 9, metadata="", **LATER), committed("g", "t", 3, 7, metadata="only")]},
        {"offsets": [committed("g", "t", 2, 8, leader_epoch=3, **EARLIER)]},
        {"offsets": [committed("g", "t", 2, None, error_code=29, **LATER)]},
    ).table("committed_leader_epoch group_state", {("g", "t", 2): (None, "Empty")}),
    # Two members that share a partition during a rebalance are one row; their other partitions are rows, too. Brokers
    # before 3.8 do not report types.
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
        *(group("alone", None), classic("alone", "m-3", t=[0], u=[0]), silent("alone"), topic("t", 2), topic("u")),
    ).table("group_type assigned", {("alone", "t", 0): (None, True)}),
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
            ("same", "t", 0): (*ANEW, "the topic had another id in the previous census: other"),
            ("moved", "t", 0): ("exists", 60, "reset", None, None),
            ("still", "t", 0): (
                *ANEW,
                "the offset was an earlier topic's in the previous census, and is still the same",
            ),
            ("plain", "t", 0): ("exists", 60, "not_draining", 0.0, None),
            ("again", "t", 0): ("exists", 60, "reset", None, None),
        },
        *[group(name) for name in ("same", "moved", "still", "plain", "again")],
        *(topic("t"), ends("t", 0, start=0, end=100, epoch=3)),
        {"offsets": [committed(of, "t", 0, 40, leader_epoch=3) for of in ("same", "moved", "still", "plain", "again")]},
        previous=[
            before("same", "t", 0, **THEN),
            before("moved", "t", 0, **THEN | {"committed_offset": 30}),
            before("still", "t", 0, **THEN | {"topic_id": "id-t", "topic_state": "recreated"}),
            before("plain", "t", 0, **THEN | {"topic_id": None}),
            before("again", "t", 0, **THEN | {"topic_state": "recreated", "committed_leader_epoch": 2}),
        ],
    ),
    # Its commits repeat the same number for the new topic; an offset that is not at the end would have moved. Kafka
    # keeps a share group's by topic id: the same number as before the topic was made again is no sign.
    "a group at the end of an idle topic does not stay recreated, nor does a share group": case(
        "topic_state lag",
        {("idle", "t", 0): ("exists", 0), ("behind", "u", 0): ("recreated", 9), ("s", "u", 0): ("exists", 9)},
        *(group("idle"), topic("t"), ends("t", 0, start=0, end=0, epoch=0)),
        *(group("behind"), topic("u"), ends("u", 0, start=0, end=9, epoch=0)),
        {"offsets": [committed("idle", "t", 0, 0), committed("behind", "u", 0, 0)]},
        *(group("s", "share"), {"share_offsets": [share_offset("s", "u", 0, 0, 9)]}),
        previous=[
            *(before(*of, 0, **IDLE, topic_state="recreated") for of in (("idle", "t"), ("behind", "u"))),
            before("s", "u", 0, **IDLE, topic_id="other", committed_leader_epoch=None),
        ],
    ),
}

# The members of a partition.

UNDESCRIBED = f"1 of 1 members do not tell what they have: {UNREPORTED}"
T = (topic("t", 2), *(ends("t", partition, start=0, end=9) for partition in (0, 1)))
READERS = "assigned assigned_reason member_ids"
HELD, FREE = (True, None, ["m-1"]), (False, None, [])


def both(name: str) -> Roles:
    return {"offsets": [committed(name, "t", partition, 9) for partition in (0, 1)]}


def one(name: str, group_type: str | None) -> tuple[Roles, ...]:
    return group(name, group_type), {"offsets": [committed(name, "t", 0, 9)]}


def described(of: Roles, **columns: Any) -> Roles:
    """The same description of a member, with other columns."""
    return {role: [{**member, **columns} for member in members] for role, members in of.items()}


CASES |= {
    # Up to 4.3: tasks to be revoked are in no answer.
    "no release tells what members of a streams group are to give up": case(
        READERS,
        {("app", "t", 0): HELD, ("app", "t", 1): (None, GIVES_UP, [])},
        *(group("app", "streams"), both("app"), *T),
        described(streams("app", "m-1", [("0", [0])], {"0": ["t"]}), group_state="Reconciling"),
    ),
    # A task is one partition of each topic of its subtopology that has that partition; standby tasks read nothing.
    "streams groups read the topics of their tasks": case(
        READERS,
        {("tasks", *key): HELD for key in (("t", 0), ("t", 1), ("b", 0), ("app-repartition", 0))},
        *(group("tasks", "streams"), silent("tasks"), *T, topic("b"), topic("app-repartition")),
        streams("tasks", "m-1", [("0", [0, 1]), ("1", [0])], {"0": ["t", "b"], "1": ["app-repartition"]}),
    ),
    # Rebalancing and new groups, refused and lost descriptions: assigned is null, with the reason. The state is that
    # of the description, not that of the earlier listing.
    "nobody is said to be without a member where members were not read": case(
        "assigned assigned_reason group_state",
        {
            ("empty", "t", 0): (False, None, "Empty"),
            ("rebalancing", "t", 0): (None, UNDESCRIBED, "PreparingRebalance"),
            ("new", "t", 0): (None, UNDESCRIBED, "Stable"),
            ("refused", "t", 0): (
                *(None, "ConsumerGroupDescribe answered TOPIC_AUTHORIZATION_FAILED for this group", "Stable"),
            ),
            ("lost", "t", 0): (
                *(None, "ConsumerGroupDescribe was not read from broker 2 (CONNECTION_FAILED)", "Stable"),
            ),
        },
        *(*one("empty", "classic"), *one("rebalancing", "classic"), *one("new", "streams"), *T),
        *(*one("refused", "consumer"), *one("lost", "consumer")),
        streams("new", "m-1", [("0", [0])], None),
        {"classic": [item(group_id="empty", error_code=0, group_state="Empty")]},
        {"classic": [item(group_id="rebalancing", error_code=0, group_state="PreparingRebalance", member_id="m-1")]},
        {"consumer": [item(group_id="refused", error_code=29)]},
        missing=[missing_read("ConsumerGroupDescribe", "groups", 2, "CONNECTION_FAILED")],
    ),
}
for (state, release), told in {
    # What is said of a partition that no member has now, though it is the target; brokers tell of those to be given up
    # from 4.3 on.
    ("Reconciling", "4.3"): FREE,
    ("Reconciling", "4.2"): (None, GIVES_UP, []),
    ("Assigning", "3.9"): (None, GIVES_UP, []),
    ("Reconciling", None): (None, GIVES_UP, []),
    ("Stable", "3.9"): FREE,
}.items():
    CASES[f"a partition that a member is to give up may have a member: {state} in {release}"] = case(
        READERS,
        {("g", "t", 0): HELD, ("g", "t", 1): told},
        *(group("g", "consumer", state), both("g"), *T),
        described(consumer("g", "m-1", {"t": [0]}, {"t": [0, 1]}), group_state=state, release_at_least=release),
    )


test_every_case = each_case(CONSUMER_LAG, CASES, lambda row: (row.group_id, row.topic, row.partition))
