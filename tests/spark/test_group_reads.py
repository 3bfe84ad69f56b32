"""For every type of group the current member of each partition is known, or the reason why it is unknown."""

from typing import Any

from kafka_census.tables.consumer_lag.columns import CONSUMER_LAG
from spark.cases import Case, each_case
from spark.group_items import Roles, classic, committed, consumer, ends, group, read, silent, streams, topic
from spark.landed_items import item, missing_read

GIVES_UP = "the group rebalances, and its coordinator does not tell which partitions a member has still to give up"
UNREAD = (
    "1 of 1 members do not tell what they have: the group rebalances, its topology is not known, or its protocol is "
    "not the consumer's"
)
T = (topic("t", 2), *(ends("t", partition, start=0, end=9) for partition in (0, 1)))
HELD, FREE = (True, None, ["m-1"]), (False, None, [])


def both(name: str) -> Roles:
    return {"offsets": [committed(name, "t", partition, 9) for partition in (0, 1)]}


def one(name: str, group_type: str | None) -> tuple[Roles, ...]:
    return group(name, group_type), {"offsets": [committed(name, "t", 0, 9)]}


def described(of: Roles, **columns: Any) -> Roles:
    """The same description of a member, with other columns."""
    return {role: [{**member, **columns} for member in members] for role, members in of.items()}


def case(rows: dict[Any, Any], *parts: Any, columns: str = "assigned assigned_reason member_ids", **more: Any) -> Case:
    return Case(read(*parts, **more), None).table(columns, rows)


CASES = {
    # Not the target, which is not reached yet.
    "consumer groups have what their members have now": case(
        {("c", "t", 0): HELD, ("c", "t", 1): FREE},
        *(group("c", "consumer", "Reconciling"), consumer("c", "m-1", {"t": [0]}, {"t": [0, 1]}), both("c"), *T),
    ),
    # Up to 4.3: tasks to be revoked are in no answer.
    "no release tells what members of a streams group are to give up": case(
        {("app", "t", 0): HELD, ("app", "t", 1): (None, GIVES_UP, [])},
        *(group("app", "streams"), both("app"), *T),
        described(streams("app", "m-1", [("0", [0])], {"0": ["t"]}), group_state="Reconciling"),
    ),
    # A task is one partition of each topic of its subtopology that has that partition; standby tasks read nothing.
    "streams groups read the topics of their tasks": case(
        {("tasks", *key): HELD for key in (("t", 0), ("t", 1), ("b", 0), ("app-repartition", 0))},
        *(group("tasks", "streams"), silent("tasks"), *T, topic("b"), topic("app-repartition")),
        streams("tasks", "m-1", [("0", [0, 1]), ("1", [0])], {"0": ["t", "b"], "1": ["app-repartition"]}),
    ),
    # Rebalancing and new groups, refused and lost descriptions: assigned is null, with the reason. The state is that
    # of the description, not that of the earlier listing.
    "nobody is said to be without a member where members were not read": case(
        {
            ("empty", "t", 0): (False, None, "Empty"),
            ("rebalancing", "t", 0): (None, UNREAD, "PreparingRebalance"),
            ("new", "t", 0): (None, UNREAD, "Stable"),
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
        columns="assigned assigned_reason group_state",
        missing=[missing_read("ConsumerGroupDescribe", "groups", 2, "CONNECTION_FAILED")],
    ),
    # While a coordinator moves, two brokers list its group.
    "a group listed twice and an offset reported twice are one row of the later answers": case(
        {("twice", "t", 0): ("Empty", 6, 3)},
        *(group("twice"), {"groups": [item(2, 2, group_id="twice", group_type="classic", group_state="Empty")]}, *T),
        {"offsets": [committed("twice", "t", 0, 5), committed("twice", "t", 0, 6, received=4)]},
        columns="group_state committed_offset lag",
    ),
    # Brokers before 3.8 do not report types.
    "groups of brokers without types are classic": case(
        {("old", "t", 0): (None, "no_commit", True)},
        *(group("old", None), silent("old"), classic("old", "m-1", t=[0]), *T),
        columns="group_type range assigned",
    ),
}
for (state, release), told in {
    # What is said of a partition that no member has now; brokers tell of those to be given up from 4.3 on.
    ("Reconciling", "4.3"): FREE,
    ("Reconciling", "4.2"): (None, GIVES_UP, []),
    ("Assigning", "3.9"): (None, GIVES_UP, []),
    ("Reconciling", None): (None, GIVES_UP, []),
    ("Stable", "3.9"): FREE,
}.items():
    CASES[f"a partition that a member is to give up may have a member: {state} in {release}"] = case(
        {("g", "t", 0): HELD, ("g", "t", 1): told},
        *(group("g", "consumer", state), both("g"), *T),
        described(consumer("g", "m-1", {"t": [0]}, {}), group_state=state, release_at_least=release),
    )

test_every_case = each_case(CONSUMER_LAG, CASES, lambda row: (row.group_id, row.topic, row.partition))
