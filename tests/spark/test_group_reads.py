"""For every type of group the current member of each partition is known, or the reason why it is unknown."""

import pytest
from pyspark.sql import SparkSession

from spark.group_items import classic, committed, consumer, ends, group, lag, silent, streams, topic
from spark.landed_items import item, missing_read

GIVES_UP = "the group rebalances, and its coordinator does not tell which partitions a member has still to give up"
UNREAD = (
    "1 of 1 members do not tell what they have: the group rebalances, its topology is not known, or its protocol is "
    "not the consumer's"
)


def test_consumer_groups_have_what_their_members_have_now(spark: SparkSession) -> None:
    """The target assignment is not reached yet; a committed partition without a member is unassigned."""
    rows = lag(
        spark,
        group("c", "consumer", "Reconciling"),
        consumer("c", "m-1", {"t": [0]}, {"t": [0, 1]}),
        topic("t", 2),
        ends("t", 0, start=0, end=9),
        ends("t", 1, start=0, end=9),
        {"offsets": [committed("c", "t", 0, 9), committed("c", "t", 1, 9)]},
    )
    assert [(row.assigned, row.member_ids) for _, row in sorted(rows.items())] == [(True, ["m-1"]), (False, [])]


@pytest.mark.parametrize(
    ("state", "release", "unheld"),
    [
        ("Reconciling", "4.3", (False, None)),
        ("Reconciling", "4.2", (None, GIVES_UP)),
        ("Assigning", "3.9", (None, GIVES_UP)),
        ("Reconciling", None, (None, GIVES_UP)),
        ("Stable", "3.9", (False, None)),
    ],
)
def test_a_partition_that_a_member_is_to_give_up_may_have_a_member(
    spark: SparkSession, state: str, release: str | None, unheld: tuple[bool | None, str | None]
) -> None:
    """Brokers tell of these from 4.3 on; what a member is known to have is assigned in any case."""
    (member,) = consumer("c", "m-1", {"t": [0]}, {"t": [0]})["consumer"]
    rows = lag(
        spark,
        group("c", "consumer", state),
        {"consumer": [{**member, "group_state": state, "release_at_least": release}]},
        topic("t", 2),
        ends("t", 0, start=0, end=9),
        ends("t", 1, start=0, end=9),
        {"offsets": [committed("c", "t", 0, 9), committed("c", "t", 1, 9)]},
    )
    assert [(row.assigned, row.assigned_reason) for _, row in sorted(rows.items())] == [(True, None), unheld]


def test_no_release_tells_what_members_of_a_streams_group_are_to_give_up(spark: SparkSession) -> None:
    """Up to 4.3: tasks to be revoked are in no answer."""
    (member,) = streams("app", "m-1", [("0", [0])], {"0": ["a"]})["streams"]
    rows = lag(
        spark,
        group("app", "streams"),
        {"streams": [{**member, "group_state": "Reconciling"}]},
        topic("a", 2),
        ends("a", 0, start=0, end=9),
        ends("a", 1, start=0, end=9),
        {"offsets": [committed("app", "a", 0, 9), committed("app", "a", 1, 9)]},
    )
    told = {partition: (row.assigned, row.assigned_reason) for (_, _, partition), row in rows.items()}
    assert told == {0: (True, None), 1: (None, GIVES_UP)}


def test_streams_groups_read_the_topics_of_their_tasks(spark: SparkSession) -> None:
    """A task is one partition of each topic of its subtopology that has that partition; standby tasks read nothing."""
    rows = lag(
        spark,
        group("app", "streams"),
        streams("app", "m-1", [("0", [0, 1]), ("1", [0])], {"0": ["a", "b"], "1": ["app-repartition"]}),
        topic("a", 2),
        topic("b", 1),
        topic("app-repartition", 1),
        silent("app"),
    )
    assert {(name, partition) for _, name, partition in rows} == {("a", 0), ("a", 1), ("b", 0), ("app-repartition", 0)}
    assert all(row.assigned and row.member_ids == ["m-1"] for row in rows.values())


def test_nobody_is_said_to_be_without_a_member_where_members_were_not_read(spark: SparkSession) -> None:
    """Rebalancing and new groups, refused and lost descriptions: assigned is null, with the reason."""
    types = {"empty": "classic", "rebalancing": "classic", "new": "streams", "refused": "consumer", "lost": "consumer"}
    rows = lag(
        spark,
        *[group(name, group_type) for name, group_type in types.items()],
        streams("new", "m-1", [("0", [0])], None),
        topic("t"),
        ends("t", 0, start=0, end=9),
        {"classic": [item(group_id="empty", error_code=0, group_state="Empty")]},
        {"classic": [item(group_id="rebalancing", error_code=0, group_state="PreparingRebalance", member_id="m-1")]},
        {"consumer": [item(group_id="refused", error_code=29)]},
        {"offsets": [committed(name, "t", 0, 9) for name in types]},
        missing=[missing_read("ConsumerGroupDescribe", "groups", 2, "CONNECTION_FAILED")],
    )
    assert {name: (row.assigned, row.assigned_reason) for (name, _, _), row in rows.items()} == {
        "empty": (False, None),
        "rebalancing": (None, UNREAD),
        "new": (None, UNREAD),
        "refused": (None, "ConsumerGroupDescribe answered TOPIC_AUTHORIZATION_FAILED for this group"),
        "lost": (None, "ConsumerGroupDescribe was not read from broker 2 (CONNECTION_FAILED)"),
    }
    # The state of the description, not that of the earlier listing.
    assert rows["empty", "t", 0].group_state == "Empty"


def test_a_group_listed_twice_and_an_offset_reported_twice_are_one_row(spark: SparkSession) -> None:
    """While a coordinator moves, two brokers list its group; the later answers count."""
    moved = item(2, 2, group_id="g", group_type="classic", group_state="Empty")
    row = lag(
        spark,
        group("g"),
        {"groups": [moved], "offsets": [committed("g", "t", 0, 5), committed("g", "t", 0, 6, received=4)]},
        topic("t"),
        ends("t", 0, start=0, end=9),
    )["g", "t", 0]
    assert (row.group_state, row.committed_offset, row.lag) == ("Empty", 6, 3)


@pytest.mark.parametrize("group_type", [None, "classic"])
def test_groups_of_brokers_without_types_are_classic(spark: SparkSession, group_type: str | None) -> None:
    """Brokers before 3.8 do not report types: their groups are read as classic groups."""
    parts = (group("g", group_type), classic("g", "m-1", t=[0]), topic("t"), ends("t", 0, start=0, end=9))
    row = lag(spark, *parts, silent("g"))["g", "t", 0]
    assert (row.group_type, row.range, row.assigned) == (group_type, "no_commit", True)
