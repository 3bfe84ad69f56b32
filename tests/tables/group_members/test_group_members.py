"""Every member is a row with its assignment; a group whose members are not all known is a row, too."""

from kafka_census.tables.group_members.columns import GROUP_MEMBERS
from kafka_census.tables.shared.group_reads import GIVES_UP, UNREPORTED
from spark.cases import each_case
from spark.group_items import case, classic, consumer, group, streams
from spark.landed_items import item, missing_read, naive

T_OF_3 = {"topics": [item(topic="t", partition_count=3, error_code=0)]}
HELD = [{"topic": "t", "partitions": [0]}]
GAP = "DescribeGroups was not read from broker 2 (CONNECTION_FAILED)"
STICKY = {"assignor_name": "sticky", "topology_status": "NOT_STORED"}
STORED = {"topology_status": "AVAILABLE", "described_subtopologies": 2, "described_topics": ["t"], "stores": ["s"]}
DENIED = "ConsumerGroupDescribe answered GROUP_AUTHORIZATION_FAILED for this group"


CASES = {
    # The group rebalances, or its members are no consumers.
    "a member without a partition has none, and one that tells nothing has null": case(
        "partitions assignment assignment_reason",
        {("g", "idle"): (0, [], None), ("g", "waits"): (None, [], UNREPORTED)},
        *(group("g"), classic("g", "idle"), {"classic": [item(group_id="g", member_id="waits", error_code=0)]}),
    ),
    # It waits for no partition: 4.2 leaves out those that the member has still to give up.
    "a member that may have more than it tells has no number of partitions": case(
        "partitions assignment assignment_reason",
        {("g", "a"): (None, HELD, GIVES_UP), ("g", "b"): (None, [], GIVES_UP)},
        group("g", "consumer"),
        {
            "consumer": [
                consumer("g", name, parts, {})["consumer"][0]
                | {"group_state": "Reconciling", "release_at_least": "4.2"}
                for name, parts in (("a", {"t": [0]}), ("b", {}))
            ]
        },
        T_OF_3,
    ),
    # Refused, or without an answer; where pages broke off, in addition to the members that were read.
    "a group that was not described is a row that says why": case(
        "status reason partitions group_type",
        {
            ("denied", ""): ("not_read", DENIED, None, "consumer"),
            **dict.fromkeys((("lost", ""), ("cut", "")), ("not_read", GAP, None, "classic")),
            ("cut", "a"): ("described", None, 0, "classic"),
        },
        *(group("denied", "consumer"), group("lost"), group("cut"), group("empty")),
        {"consumer": [item(group_id="denied", error_code=30)]},
        {"classic": [item(2, group_id="cut", member_id="a", error_code=0, assignment=[])]},
        {"classic": [item(1, group_id="empty", error_code=0, group_state="Empty")]},
        missing=[missing_read("DescribeGroups", "groups", 2, "CONNECTION_FAILED")],
    ).table("client_id", {("denied", ""): None}),
    "the assignor is the group's, and so is the topology that a broker stores": case(
        "assignor topology_status subtopologies source_topics stores",
        {
            ("old", "a"): ("range", None, None, [], []),
            ("new", "a"): (None, None, None, [], []),
            ("app", "a"): ("sticky", "AVAILABLE", 2, ["t"], ["s"]),
            ("bare", "a"): ("sticky", "NOT_STORED", None, [], []),
        },
        *(group("old"), group("new", "consumer"), group("app", "streams"), group("bare", "streams"), T_OF_3),
        {"classic": [classic("old", "a")["classic"][0] | {"protocol": "range"}]},
        {"consumer": [consumer("new", "a", {}, {})["consumer"][0] | {"assignor_name": ""}]},
        {"streams": [streams("app", "a", [("0", [0])], None)["streams"][0] | STICKY | STORED]},
        {"streams": [streams("bare", "a", [("0", [0])], None)["streams"][0] | STICKY]},
    ),
    "a member that is reported twice is one row, with the values of the last answer": case(
        "client_id partitions observed_at",
        {("g", "a"): ("now", 0, naive(9))},
        *(group("g"), classic("g", "a", t=[0]), T_OF_3),
        {"classic": [item(received=9, group_id="g", member_id="a", error_code=0, client_id="now", assignment=[])]},
    ),
}

test_every_case = each_case(GROUP_MEMBERS, CASES, lambda row: (row.group_id, row.member_id))
