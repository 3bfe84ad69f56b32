"""A group's lag is a sum beside the number of partitions that it lacks."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.tables.group_lag.columns import GROUP_LAG
from kafka_census.tables.group_lag.rules import GROUP_LAG_SUITE
from spark.cases import each_case
from spark.group_items import LandedItems, case, classic, committed, consumer, group, joined, silent
from spark.landed_items import Item, item, missing_read, naive, published


def part(name: str, topic: str, partition: int, lag: int | None, **columns: Any) -> dict[str, list[Item]]:
    """A row of consumer_lag; in range, assigned and read by default."""
    key = {"group_id": name, "topic": topic, "partition": partition}
    row = {"range": "in_range", "assigned": True, "topic_state": "exists", "lag_unread": False}
    row["lag_reason"] = None if lag is not None else "why not"
    return {"lag": [published(9, **key, lag=lag, **row | columns)]}


PARTITIONS = "partitions partitions_known partitions_missed partitions_without_commit partitions_unread "
PARTITIONS += "partitions_out_of_range partitions_unassigned partitions_without_rate partitions_not_draining topics"
RATES = {"consumption_rate": 2.0, "production_rate": 1.5}
NOTHING = "no partition is committed, or assigned to a member"
LOST = "OffsetFetch was not read from broker 2 (CONNECTION_FAILED)"
REFUSED = "{} answered GROUP_AUTHORIZATION_FAILED for this group"
EARLIER: dict[str, Any] = {"topic_state": "recreated", "topic_reason": "another id", "seconds_to_drain": 9}
SUCH_AS = "no partition's lag is known, such as: {}"
CASES = {
    # Known lags are summed, unknown ones counted. Among equal lags the same partition is chosen, in any order of rows.
    "totals say how many partitions they miss": case(
        f"lag_total lag_unassigned lag_max slowest_topic slowest_partition {PARTITIONS}",
        {"g": (125, 60, 60, "t", 0, 6, 4, 2, 1, 1, 2, 2, 4, 1, 2)},
        group("g"),
        classic("g", "m-1", t=[0, 1, 3]),
        {"offsets": [committed("g", "t", 0, 1)]},
        part("g", "t", 0, 60, **RATES, seconds_to_drain=120),
        part("g", "t", 1, 5, **RATES, seconds_to_drain=10),
        part("g", "t", 2, None, range="unknown", lag_unread=True),
        part("g", "t", 3, None, range="no_commit"),
        part("g", "old", 0, 60, range="before_start", assigned=False, drain_reason="not_draining"),
        part("g", "old", 1, 0, range="after_end", assigned=False, consumption_rate=7.0),
    ).table(
        "consumption_rate production_rate seconds_to_drain observed_at",
        {"g": (4.0, 3.0, 120, naive(9))},
    ),
    # Without offsets, without answers, with refusals: no total, but the reason.
    "every listed group is a row": case(
        "lag_total lag_reason offsets_reason",
        {
            "": (None, NOTHING, None),
            "idle": (None, NOTHING, None),
            "denied": (None, REFUSED.format("OffsetFetch"), REFUSED.format("OffsetFetch")),
            "lost": (None, LOST, LOST),
            "unknown": (None, SUCH_AS.format("the partition has no leader"), None),
            "drained": (0, None, None),
        },
        *[group(name) for name in ("", "idle", "denied", "lost", "unknown", "drained")],
        *[silent(name) for name in ("", "idle", "unknown", "drained")],
        {"offsets": [item(group_id="denied", error_code=30)]},
        {"classic": [item(group_id="idle", error_code=0, group_state="Empty")]},
        {"classic": [item(group_id="denied", error_code=30)]},
        part("unknown", "t", 0, None, lag_reason="the partition has no leader"),
        part("drained", "t", 0, 0),
        missing=[missing_read("OffsetFetch", "groups", 2, "CONNECTION_FAILED")],
    )
    .table(
        "members members_reason",
        {
            "idle": (0, None),
            "denied": (None, REFUSED.format("DescribeGroups")),
            "lost": (None, "DescribeGroups did not answer for this group"),
        },
    )
    .table(f"{PARTITIONS} group_state", {"idle": (*(0,) * 10, "Empty")}),
    # Members and offsets that were read are kept, with the reason why others may be missing.
    "pages that break off say that more may be there": case(
        "members lag_total members_reason offsets_reason",
        {
            "g": (
                *(1, 7, "ConsumerGroupDescribe was not read from broker 1 (REQUEST_TIMED_OUT)"),
                "OffsetFetch was not read from broker 3 (CUT)",
            )
        },
        group("g", "consumer"),
        consumer("g", "m-1", {"t": [0]}, {"t": [0]}),
        {"offsets": [committed("g", "t", 0, 1, asked=3)]},
        part("g", "t", 0, 7),
        missing=[
            missing_read("ConsumerGroupDescribe", "groups", 1, "REQUEST_TIMED_OUT"),
            missing_read("OffsetFetch", "groups", 3, "CUT"),
        ],
        alone=True,
    ),
    # One partition that may have an unread member makes the number unknown; the total is kept.
    "what nobody reads is unknown where members are": case(
        "partitions_unassigned lag_unassigned lag_total",
        {"g": (None, None, 8)},
        *(group("g"), silent("g"), part("g", "t", 0, 7, assigned=None), part("g", "t", 1, 1)),
    ),
    # The row of the partition has a number, which is not known to be lag: it is counted as missed, and was read.
    "what is ahead of an earlier topic's offset is in no total": case(
        "lag_total lag_max seconds_to_drain lag_reason partitions_known partitions_missed partitions_unread",
        {"both": (5, 5, 1, None, 1, 1, 0), "only": (None, None, None, SUCH_AS.format("another id"), 0, 1, 0)},
        group("both"),
        group("only"),
        part("both", "t", 0, 60, **EARLIER, assigned=False),
        part("both", "t", 1, 5, seconds_to_drain=1),
        part("only", "t", 0, 60, **EARLIER),
    ).table("lag_unassigned slowest_partition", {"both": (0, 1)}),
}
CASES["a group is as old as its oldest partition, or older"] = case(
    "lag_seconds lag_seconds_method lag_seconds_reason partitions_without_age lag_read_committed_seconds",
    {
        "known": (90, "interpolated", None, 0, 30),
        "older": (90, "at_least", None, 1, None),
        "first": (None, None, "no earlier end", 1, None),
        "none": (None, None, SUCH_AS.format("why not"), 0, None),
    },
    *[group(name) for name in ("known", "older", "first", "none")],
    part("known", "t", 0, 7, lag_seconds=90, lag_seconds_method="interpolated", lag_read_committed_seconds=30),
    part("known", "t", 1, 0, lag_seconds=0, lag_seconds_method="exact", lag_read_committed_seconds=0),
    part("older", "t", 0, 7, lag_seconds=90, lag_seconds_method="interpolated"),
    part("older", "t", 1, 7, lag_seconds=80, lag_seconds_method="at_least"),
    part("older", "t", 2, 7, lag_seconds_reason="no earlier end"),
    part("first", "t", 0, 7, lag_seconds_reason="no earlier end"),
    part("none", "t", 0, None),
)


def test_groups_and_partitions_are_counted_apart_in_what_was_landed(spark: SparkSession) -> None:
    """A group that two brokers list counts once; partitions are rows of consumer_lag."""
    parts = [part("g", "t", number, None) for number in range(3)]
    landed = LandedItems(spark, GROUP_LAG, joined(group("g"), group("g"), group("h"), *parts))
    assert GROUP_LAG_SUITE.counts(landed).collect()[0].asDict() == {"groups": 2, "partitions": 3}


test_every_case = each_case(GROUP_LAG, CASES, lambda row: row.group_id)
