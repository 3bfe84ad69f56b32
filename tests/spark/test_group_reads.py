"""For every type of group the current member of each partition is known, or the reason why it is unknown."""

from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from spark.group_items import Roles, classic, committed, consumer, ends, group, lag, silent, streams, topic
from spark.landed_items import item, missing_read

GIVES_UP = "the group rebalances, and its coordinator does not tell which partitions a member has still to give up"
UNREAD = (
    "1 of 1 members do not tell what they have: the group rebalances, its topology is not known, or its protocol is "
    "not the consumer's"
)
NOT_HELD = {
    ("Reconciling", "4.3"): (False, None),
    ("Reconciling", "4.2"): (None, GIVES_UP),
    ("Assigning", "3.9"): (None, GIVES_UP),
    ("Reconciling", None): (None, GIVES_UP),
    ("Stable", "3.9"): (False, None),
}
"""What is said of a partition that no member has now, by the state of its consumer group and the broker's release."""

OTHERS = {"empty": "classic", "rebalancing": "classic", "new": "streams", "refused": "consumer", "lost": "consumer"}
TOLD = {
    "empty": (False, None),
    "rebalancing": (None, UNREAD),
    "new": (None, UNREAD),
    "refused": (None, "ConsumerGroupDescribe answered TOPIC_AUTHORIZATION_FAILED for this group"),
    "lost": (None, "ConsumerGroupDescribe was not read from broker 2 (CONNECTION_FAILED)"),
}


def both(name: str, topic: str) -> Roles:
    return {"offsets": [committed(name, topic, partition, 9) for partition in (0, 1)]}


def described(of: Roles, **columns: Any) -> Roles:
    """The same description of a member, with other columns."""
    return {role: [{**member, **columns} for member in members] for role, members in of.items()}


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[tuple[str, str, int], Row]:
    rebalancing = [
        part
        for state, release in NOT_HELD
        for name in [f"{state} {release}"]
        for part in (
            group(name, "consumer", state),
            described(consumer(name, "m-1", {"t": [0]}, {}), group_state=state, release_at_least=release),
            both(name, "t"),
        )
    ]
    return lag(
        spark,
        *(part for name in ("t", "a") for part in (topic(name, 2), *(ends(name, n, start=0, end=9) for n in (0, 1)))),
        *(topic(name) for name in ("b", "app-repartition")),
        # The target assignment is not reached yet.
        *(group("c", "consumer", "Reconciling"), consumer("c", "m-1", {"t": [0]}, {"t": [0, 1]}), both("c", "t")),
        *rebalancing,
        *(group("app", "streams"), both("app", "a")),
        described(streams("app", "m-1", [("0", [0])], {"0": ["a"]}), group_state="Reconciling"),
        *(group("tasks", "streams"), silent("tasks")),
        streams("tasks", "m-1", [("0", [0, 1]), ("1", [0])], {"0": ["a", "b"], "1": ["app-repartition"]}),
        *(group(name, group_type) for name, group_type in OTHERS.items()),
        streams("new", "m-1", [("0", [0])], None),
        {"classic": [item(group_id="empty", error_code=0, group_state="Empty")]},
        {"classic": [item(group_id="rebalancing", error_code=0, group_state="PreparingRebalance", member_id="m-1")]},
        {"consumer": [item(group_id="refused", error_code=29)]},
        {"offsets": [committed(name, "t", 0, 9) for name in OTHERS]},
        # While a coordinator moves, two brokers list its group.
        *(group("twice"), {"groups": [item(2, 2, group_id="twice", group_type="classic", group_state="Empty")]}),
        {"offsets": [committed("twice", "t", 0, 5), committed("twice", "t", 0, 6, received=4)]},
        *(part for name in ("classic", None) for part in (group(f"of {name}", name), silent(f"of {name}"))),
        *(classic(f"of {name}", "m-1", t=[0]) for name in ("classic", None)),
        missing=[missing_read("ConsumerGroupDescribe", "groups", 2, "CONNECTION_FAILED")],
    )


Rows = dict[tuple[str, str, int], Row]


def told(rows: Rows, name: str) -> list[tuple[bool | None, str | None]]:
    return [(row.assigned, row.assigned_reason) for key, row in sorted(rows.items()) if key[0] == name]


def test_consumer_groups_have_what_their_members_have_now(rows: Rows) -> None:
    assert [rows["c", "t", partition].member_ids for partition in (0, 1)] == [["m-1"], []]
    assert told(rows, "c") == [(True, None), (False, None)]


@pytest.mark.parametrize(("state", "release"), NOT_HELD)
def test_a_partition_that_a_member_is_to_give_up_may_have_a_member(rows: Rows, state: str, release: str | None) -> None:
    """Brokers tell of these from 4.3 on; what a member is known to have is assigned in any case."""
    assert told(rows, f"{state} {release}") == [(True, None), NOT_HELD[state, release]]


def test_no_release_tells_what_members_of_a_streams_group_are_to_give_up(rows: Rows) -> None:
    """Up to 4.3: tasks to be revoked are in no answer."""
    assert told(rows, "app") == [(True, None), (None, GIVES_UP)]


def test_streams_groups_read_the_topics_of_their_tasks(rows: Rows) -> None:
    """A task is one partition of each topic of its subtopology that has that partition; standby tasks read nothing."""
    read = {key[1:]: row for key, row in rows.items() if key[0] == "tasks"}
    assert set(read) == {("a", 0), ("a", 1), ("b", 0), ("app-repartition", 0)}
    assert all(row.assigned and row.member_ids == ["m-1"] for row in read.values())


def test_nobody_is_said_to_be_without_a_member_where_members_were_not_read(rows: Rows) -> None:
    """Rebalancing and new groups, refused and lost descriptions: assigned is null, with the reason."""
    assert {name: told(rows, name) for name in OTHERS} == {name: [said] for name, said in TOLD.items()}
    # The state of the description, not that of the earlier listing.
    assert rows["empty", "t", 0].group_state == "Empty"


def test_a_group_listed_twice_and_an_offset_reported_twice_are_one_row_of_the_later_answers(rows: Rows) -> None:
    row = rows["twice", "t", 0]
    assert (row.group_state, row.committed_offset, row.lag) == ("Empty", 6, 3)


def test_groups_of_brokers_without_types_are_classic(rows: Rows) -> None:
    """Brokers before 3.8 do not report types."""
    for name in ("classic", None):
        row = rows[f"of {name}", "t", 0]
        assert (row.group_type, row.range, row.assigned) == (name, "no_commit", True)
