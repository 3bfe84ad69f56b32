"""Every member is a row with its assignment; a group whose members are not all known is a row, too."""

from pyspark.sql import Row

from kafka_census.tables.group_members import GROUP_MEMBERS
from spark.cases import Stories, Story
from spark.group_items import Roles, classic, consumer, group, read, share, streams
from spark.landed_items import at, item, missing_read

UNTOLD = "the group rebalances, its topology is not known, or its protocol is not the consumer's"

GIVES_UP = "the group rebalances, and its coordinator does not tell which partitions a member has still to give up"


STORIES = Stories(GROUP_MEMBERS, lambda row: (row.group_id, row.member_id))


def sized(**topics: int) -> Roles:
    """The numbers of partitions of topics."""
    return {"topics": [item(topic=name, partition_count=count, error_code=0) for name, count in topics.items()]}


def held(row: Row) -> list[tuple[str, list[int]]]:
    """An assignment as plain tuples."""
    return [(one["topic"], one["partitions"]) for one in row.assignment]


@STORIES.story
def a_member_of_each_type_has_what_it_has_now() -> Story:
    """The current assignment, not the target; of tasks, the existing partitions of each topic of their subtopology."""
    rows = yield read(
        *[group(name, name) for name in ("classic", "consumer", "share", "streams")],
        classic("classic", "a", t=[2, 0], s=[1]),
        consumer("consumer", "b", {"t": [0]}, {"t": [0, 1]}),
        share("share", "c", t=[0]),
        share("share", "d", t=[0]),
        streams("streams", "e", [("0", [0, 1])], {"0": ["t", "small"]}),
        sized(t=3, s=2, small=1),
    )
    assert {key: (row.partitions, held(row)) for key, row in rows.items()} == {
        ("classic", "a"): (3, [("s", [1]), ("t", [0, 2])]),
        ("consumer", "b"): (1, [("t", [0])]),
        ("share", "c"): (1, [("t", [0])]),
        ("share", "d"): (1, [("t", [0])]),
        ("streams", "e"): (3, [("small", [0]), ("t", [0, 1])]),
    }
    for (name, member), row in rows.items():
        assert (row.group_type, row.group_state, row.protocol_type) == (name, "Stable", "consumer")
        assert (row.status, row.reason, row.assignment_reason) == ("described", None, None)
        assert (row.client_id, row.observed_at) == (f"client-{member}", at(2).replace(tzinfo=None))


@STORIES.story
def who_a_member_is_comes_under_one_name() -> Story:
    """DescribeGroups has another name for the instance id, and reports no rack."""
    reported = {"error_code": 0, "assignment": [], "client_host": "/10.0.0.1"}
    rows = yield read(
        group("old"),
        group("new", "consumer"),
        {"classic": [item(group_id="old", member_id="a", group_instance_id="i-1", **reported)]},
        {"consumer": [item(group_id="new", member_id="b", instance_id="i-2", rack_id="r", **reported)]},
    )
    assert {key: (row.client_host, row.instance_id, row.rack_id) for key, row in rows.items()} == {
        ("old", "a"): ("/10.0.0.1", "i-1", None),
        ("new", "b"): ("/10.0.0.1", "i-2", "r"),
    }


@STORIES.story
def a_member_without_a_partition_has_none_and_one_that_tells_nothing_has_null() -> Story:
    """The group rebalances, or its members are no consumers."""
    rows = yield read(
        group("g"),
        classic("g", "idle"),
        {"classic": [item(group_id="g", member_id="waits", error_code=0)]},
    )
    assert (rows["g", "idle"].partitions, rows["g", "idle"].assignment_reason) == (0, None)
    assert (rows["g", "waits"].partitions, rows["g", "waits"].assignment_reason) == (None, UNTOLD)
    assert held(rows["g", "waits"]) == []


@STORIES.story
def a_member_that_may_have_more_than_it_tells_has_no_number_of_partitions() -> Story:
    """It waits for no partition: 4.2 leaves out those that the member has still to give up."""
    known, idle = (consumer("g", name, parts, {})["consumer"][0] for name, parts in (("a", {"t": [0]}), ("b", {})))
    rebalances = {"group_state": "Reconciling", "release_at_least": "4.2"}
    rows = yield read(group("g", "consumer"), {"consumer": [known | rebalances, idle | rebalances]}, sized(t=3))
    assert {key: (row.partitions, held(row), row.assignment_reason) for key, row in rows.items()} == {
        ("g", "a"): (None, [("t", [0])], GIVES_UP),
        ("g", "b"): (None, [], GIVES_UP),
    }


@STORIES.story
def a_group_that_was_not_described_is_a_row_that_says_why() -> Story:
    """Refused, or without an answer; where pages broke off, in addition to the members that were read."""
    rows = yield read(
        group("denied", "consumer"),
        group("lost"),
        group("cut"),
        group("empty"),
        {"consumer": [item(group_id="denied", error_code=30)]},
        {"classic": [item(2, group_id="cut", member_id="a", error_code=0, assignment=[])]},
        {"classic": [item(1, group_id="empty", error_code=0, group_state="Empty")]},
        missing=[missing_read("DescribeGroups", "groups", 2, "CONNECTION_FAILED")],
    )
    gap = "DescribeGroups was not read from broker 2 (CONNECTION_FAILED)"
    assert {key: (row.status, row.reason) for key, row in rows.items()} == {
        ("denied", ""): ("not_read", "ConsumerGroupDescribe answered GROUP_AUTHORIZATION_FAILED for this group"),
        ("lost", ""): ("not_read", gap),
        ("cut", ""): ("not_read", gap),
        ("cut", "a"): ("described", None),
    }
    assert {(row.partitions, row.client_id, row.group_type) for key, row in rows.items() if key[0] == "denied"} == {
        (None, None, "consumer")
    }


@STORIES.story
def a_member_that_is_reported_twice_is_one_row() -> Story:
    """With the values of the last answer."""
    moved = item(received=9, group_id="g", member_id="a", error_code=0, client_id="now", assignment=[])
    row = (yield read(group("g"), classic("g", "a", t=[0]), {"classic": [moved]}, sized(t=1)))["g", "a"]
    assert (row.client_id, row.partitions) == ("now", 0)


test_every_story = STORIES.each()
