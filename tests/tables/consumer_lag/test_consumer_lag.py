"""Lag is what is ahead of a committed offset; an unknown value is null with its reason."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from kafka_census.tables.consumer_lag.lag_in_time import with_end_history
from kafka_census.tables.consumer_lag.rules import CONSUMER_LAG_SUITE
from spark.cases import Case, each_case
from spark.group_items import (
    BEFORE,
    LandedItems,
    before,
    classic,
    committed,
    ends,
    group,
    joined,
    read,
    share,
    share_offset,
    silent,
    topic,
)
from spark.landed_items import CENSUS, CLUSTER, at, item, missing_read


def case(columns: str, rows: dict[tuple[str, int], Any], *parts: Any, **more: Any) -> Case:
    keyed = {(name, "t", partition): values for (name, partition), values in rows.items()}
    return Case(read(*parts, **more), None).table(columns, keyed)


CUT = "OffsetFetch was not read from broker 3 (REQUEST_TIMED_OUT)"
WHY = "lag_reason lag_unread"
NO_TABLE = "the census has no table partitions, which keeps the history of end offsets"
NO_HISTORY = "no earlier end of this log is known: it is a first census, or the topic is new"
UNREAD = "its start offset is not known: it was never read, or Kafka could not read its state"
UNTOLD = "DescribeShareGroupOffsets did not tell the lag"
UNLED = missing_read("DescribeShareGroupOffsets", "groups", None, "LEADER_NOT_AVAILABLE")
RESETS = "the records at the committed offset are deleted: the consumer will reset"
LOGS = [ends("t", partition, start=0, end=100) for partition in range(4)]
SHARED = (
    *(group("s", "share"), share("s", "m-1", t=[0, 1]), topic("t", 4), *LOGS),
    {"share_offsets": [share_offset("s", "t", 1, None, None), share_offset("s", "t", 2, 30, None)]},
    {"share_offsets": [{**share_offset("s", "t", 3, None, None), "error_code": 5}]},
)
LATE = at(5).replace(tzinfo=None)
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
    .table(
        "lag_read_committed lag_read_committed_reason",
        {("g", "t", 4): (None, "ListOffsets (last_stable) did not tell of this partition")},
    ),
    # Their start offset is no commit, records in flight may be counted or not, and members share a partition.
    "share groups have Kafka's own lag": case(
        f"lag range {WHY}",
        {
            ("s", 0): (55, "in_range", None, False),
            ("s", 1): (None, "in_range", UNTOLD, False),
            **dict.fromkeys((("s", 2), ("s", 3)), (None, "unknown", UNREAD, False)),
        },
        *(group("s", "share"), share("s", "m-2", t=[0, 1, 2, 3]), share("s", "m-1", t=[0]), topic("t", 4), *LOGS),
        {"share_offsets": [share_offset("s", "t", 0, 30, 55), share_offset("s", "t", 1, 30, None)]},
        {"share_offsets": [share_offset("s", "t", 2, None, None)]},
    ).table(
        "committed_offset raw_lag member_ids client_ids",
        {("s", "t", 0): (30, 70, ["m-1", "m-2"], ["client-m-1", "client-m-2"])},
    ),
    # Never fetched, or the state has no leader: the answer is the same. Refused: the answer has the error.
    "a start that is not told was read": case(
        "lag lag_unread", {("s", number): (None, number == 3) for number in range(4)}, *SHARED
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
OLDEST, LAST = ENDS[0][0], ENDS[-1][0]
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
    return None if second is None else at(second).replace(tzinfo=None)


def row_of_partitions(partition: int, history: list[tuple[int, int]], **newest: Any) -> dict[str, list[Any]]:
    found = [{"at": at(second), "end_offset": offset} for second, offset in history]
    row = {"census_id": CENSUS, "cluster_id": CLUSTER, "topic": "t", "partition": partition}
    return {"ends_before": [row | {"end_offset_history": found} | newest]}


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
CASES["an offset outside its log has no age"] = case(
    "lag lag_seconds lag_seconds_reason",
    {("g", 0): (None, None, RESETS)},
    *(group("g"), topic("t"), ends("t", 0, start=10, end=100)),
    {"offsets": [committed("g", "t", 0, 5)]},
    row_of_partitions(0, ENDS),
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
CASES["an assignment alone is a row"] = Case(read(*LANDED), None).table(
    "", dict.fromkeys([("c", "t", 0), ("c", "t", 1), ("c", "u", 3), ("s", "t", 0), ("s", "t", 1)], ())
)


def test_offsets_are_counted_in_what_was_landed(spark: SparkSession) -> None:
    """Also for share groups, each once; a group's error names no partition, and an assignment alone has no offset."""
    counted = CONSUMER_LAG_SUITE.counts(LandedItems(spark, CONSUMER_LAG, joined(*LANDED)))
    assert counted.collect()[0].asDict() == {"offsets": 4}


test_every_case = each_case(CONSUMER_LAG, CASES, lambda row: (row.group_id, row.topic, row.partition))
