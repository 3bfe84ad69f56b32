"""Coordinated ids are counted once at their broker, and the takeover without that broker follows Kafka's own rule."""

from typing import Any

from kafka_census.tables.coordinator_load.columns import COORDINATOR_LOAD
from spark.cases import Case, each_case
from spark.landed_items import Item, at, item, missing_read, naive, published

OFFSETS, STATE = "__consumer_offsets", "__transaction_state"


def partition(topic: str, number: int, leader: int, replicas: list[int], **more: Any) -> Item:
    """A partition with all of its replicas in sync by default."""
    known = {"isr": replicas, "eligible_leader_replicas": [], "error_code": 0}
    return item(1, 1, topic=topic, partition=number, leader_id=leader, replicas=replicas, **known | more)


def group(name: str, coordinator: int | None, number: int | None, partitions: int = 2) -> Item:
    placed = {"offsets_partition": number, "offsets_partitions": partitions, "found_coordinator": coordinator}
    return published(3, group_id=name, **placed)


def transactional(name: str, coordinator: int | None, number: int | None) -> Item:
    placed = {"transactions_partition": number, "transactions_partitions": 2, "found_coordinator": coordinator}
    return published(4, transactional_id=name, **placed)


def member(name: str, member_id: str | None, error_code: int = 0) -> Item:
    """A member of a group as in a describing RPC; None is a group without members."""
    return item(1, 5, group_id=name, error_code=error_code, member_id=member_id)


CLUSTER: dict[str, list[Item]] = {
    "brokers": [item(1, 0, node_id=node, is_fenced=False) for node in (1, 2, 3)],
    "partitions": [
        *(partition(OFFSETS, 0, 1, [1, 2, 3]), partition(OFFSETS, 1, 2, [2, 3, 1])),
        *(partition(STATE, 0, 1, [1, 3, 2]), partition(STATE, 1, 1, [1, 2, 3])),
    ],
}


def case(columns: str, rows: dict[int, Any], *missing: Any, **roles: Any) -> Case:
    """What is expected of a cluster of its own, with the brokers and partitions of CLUSTER unless given."""
    return Case({"alone": True, "missing": missing} | CLUSTER | roles, None).table(columns, rows)


def to(*heirs: tuple[int, int | None, int | None]) -> list[dict[str, int | None]]:
    """Who takes over how many groups and transactional ids."""
    return [dict(zip(("broker_id", "groups", "transactional_ids"), heir, strict=True)) for heir in heirs]


def undescribed(why: str, *missing: Any, **roles: Any) -> Case:
    """Without the partitions of STATE: nulls with the reason, only for that topic."""
    given = {"partitions": CLUSTER["partitions"][:2]} | roles
    return case(
        "transactions_partitions_led transactions_partitions_led_reason transactional_ids_expected "
        "offsets_partitions_led offsets_partitions_led_reason transactional_ids transactional_ids_unforeseen",
        {1: (None, why, None, 1, None, 1, 1), 2: (None, why, None, 1, None, 0, 0), 3: (None, why, None, 0, None, 0, 0)},
        *missing,
        **given,
    )


UNREAD = "DescribeTopicPartitions was not read from broker 2 (REQUEST_TIMED_OUT)"
UNLISTED = "ListGroups was not read from broker 1 (CONNECTION_FAILED)"
UNDESCRIBED = (
    "2 of its groups not described: GROUP_AUTHORIZATION_FAILED, no answer; "
    "ConsumerGroupDescribe was not read from broker 1 (CONNECTION_FAILED)"
)
EARLY, LATE = (naive(seconds) for seconds in (3, 5))
OF_GROUPS = "groups groups_stranded groups_unforeseen if_lost"
NONE = (0, 0, 0, [])
FOUR = [group("a", 1, 0), group("b", 1, 0), group("c", 1, 0), group("d", 2, 1)]
ONE = [transactional("t", 1, 0)]
CASES = {
    # The order is that of the assignment; a fenced broker may be eligible, and cannot be elected. A replica out of sync
    # is not elected either: no unclean election and no last known leader is foreseen.
    "next is in sync, else eligible and alive, else nobody": case(
        f"{OF_GROUPS} groups_unplaced broker_state offsets_partitions_led",
        {1: (5, 3, 0, to((3, 2, 0)), 1, "alive", 4)}
        | dict.fromkeys((2, 3), (*NONE, 1, "alive", 0))
        | {4: (*NONE, 1, "fenced", 0)},
        brokers=[*CLUSTER["brokers"], item(1, 0, node_id=4, is_fenced=True)],
        partitions=[
            partition(OFFSETS, 0, 1, [1, 2, 3], isr=[1, 3]),
            partition(OFFSETS, 1, 1, [1, 2, 4, 3], isr=[1], eligible_leader_replicas=[3, 4]),
            partition(OFFSETS, 2, 1, [1, 4], isr=[1], eligible_leader_replicas=[4]),
            partition(OFFSETS, 3, 1, [1, 2], isr=[1], last_known_elr=[2]),
            partition(OFFSETS, 4, -1, [2], isr=[]),
        ],
        groups=[group(f"g{n}", 1, n, 5) for n in (0, 1, 2, 3)] + [group("g", 1, 2, 5), group("lost", None, 4, 5)],
    ),
    # A stopped broker is only in replica lists of some topic; a coordinator may be in no other answer.
    "brokers are known from every answer, a topic that is not there from none": undescribed(
        f"{STATE} is not described: it does not exist or is not visible to this principal",
        partitions=[*CLUSTER["partitions"][:2], partition("orders", 0, 2, [2, 8])],
        groups=[group("a", 9, 0)],
        transactions=ONE,
    ).table(
        "broker_state groups groups_unforeseen",
        dict.fromkeys((1, 2, 3), ("alive", 0, 0)) | {8: ("not_alive", 0, 0), 9: ("not_alive", 1, 1)},
    ),
    "nobody said which brokers are there, and too little to tell a skew": case(
        "broker_state groups_skew groups_skew_reason transactional_ids_skew transactional_ids_skew_reason",
        dict.fromkeys((1, 2, 3), ("unknown", None, "no groups", None, "1 on 2 partitions: too few to tell")),
        missing_read("DescribeCluster", "cluster", None, "DEADLINE_EXCEEDED"),
        brokers=[],
        transactions=ONE,
    ),
    # A leader that did not list its groups has an unknown number; a broker that leads nothing has 0.
    "a list that was not read is not an empty one": case(
        f"{OF_GROUPS} members groups_reason members_reason",
        {
            1: (None, None, None, to((2, None, 0), (3, None, 1)), None, UNLISTED, UNLISTED),
            2: (0, 0, 0, to((3, 0, 0)), 0, None, None),
            3: (*NONE, 0, None, None),
        },
        missing_read("ListGroups", "groups", 1, "CONNECTION_FAILED"),
        missing_read("ListGroups", "groups", 3, "BROKER_NOT_ALIVE"),
        missing_read("ListTransactions", "transactions", 3, "BROKER_NOT_ALIVE"),
        transactions=ONE,
    ).table("transactional_ids", {3: 0}),
    # A member is counted once. A sum over some groups has the number of the others beside it; one over none is null.
    "members say how many groups they lack, and a refused topic is its own reason": undescribed(
        f"{STATE} was not described: TOPIC_AUTHORIZATION_FAILED",
        missing_read("ConsumerGroupDescribe", "groups", 1, "CONNECTION_FAILED"),
        partitions=[*CLUSTER["partitions"][:2], item(topic=STATE, error_code=29)],
        groups=FOUR,
        classic_groups=[member("a", "m"), member("a", "m"), member("b", None, 30)],
        transactions=[transactional("t", 1, 0) | {"observed_at": at(3)}],
    ).table(
        "members groups_undescribed members_reason observed_at",
        {
            1: (1, 2, UNDESCRIBED, LATE),
            2: (None, 1, "1 of its groups not described: no answer", EARLY),
            3: (0, 0, None, EARLY),
        },
    ),
    UNREAD: undescribed(
        UNREAD, missing_read("DescribeTopicPartitions", "topics", 2, "REQUEST_TIMED_OUT"), transactions=ONE
    ),
}

test_every_case = each_case(COORDINATOR_LOAD, CASES, lambda row: row.broker_id)
