"""Formula, listing and FindCoordinator are compared for every group, and every disagreement has a name."""

from typing import Any

from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from spark.cases import Case, each_case
from spark.landed_items import REDPANDA, Item, item, missing_read, naive
from spark.placed_ids import found, internal, refused

OFFSETS = "__consumer_offsets"
TWENTY = "c"  # hash 99: partition 1 of 2, led by broker 20
TEN = "b"  # hash 98: partition 0 of 2, led by broker 10
UNAVAILABLE = "COORDINATOR_NOT_AVAILABLE"


def listed(group: str, broker: int, received: int = 2, state: str = "Stable", **columns: Any) -> Item:
    reported = {"protocol_type": "consumer", "group_state": state, "group_type": "classic"}
    return item(broker, received, group_id=group, **reported | columns)


def case(
    columns: str, rows: dict[str, Any], groups: list[Item], coordinators: list[Item], *missing: Any, **more: Any
) -> Case:
    """Values of columns by group; `__consumer_offsets` has one leader per partition, brokers 10 and 20 unless given."""
    leaders = internal(OFFSETS, more.pop("leaders", (10, 20)))
    given = {"groups": groups, "coordinators": coordinators, "missing": missing, "alone": True}
    return Case(leaders | given | more, None).table(columns, rows)


WHERE = "expected_coordinator expected_reason"
ELSEWHERE = "listed by broker 30, coordinator 10: moved during the census, or left behind when the topic grew"
LACKING = "coordinator 10 does not list it, nor does another"
UNLED = f"partition 0 of {OFFSETS} has no leader"
FORMULA = "the formula does not apply: Redpanda places ids by a hash of its own"
UNSEEN = f"{OFFSETS} is not listed: it does not exist or is not visible to this principal"
LATE = "Metadata was not read (DEADLINE_EXCEEDED)"
ENDPOINT = "has no endpoint on the listener that was asked, or is not alive"
LEFT, TWICE, NOWHERE, DENIED, OLD = "dfhjn"
FORBIDDEN = "GROUP_AUTHORIZATION_FAILED"
CASES = {
    # All ids are of partition 0, which broker 10 leads.
    #
    # LEFT       only a broker that is not its coordinator lists the group, and nobody can reach it there
    # TWICE      while a coordinator moves, both brokers may list the group; the later answer's state counts
    # NOWHERE    FindCoordinator names a coordinator whose list lacks the group
    # DENIED     it may be listed but not described
    # OLD        ListGroups below v4 has no state, below v5 no type: null, not a guess
    "every disagreement has a name": case(
        "agreement listed_by group_state reason found_error",
        {
            LEFT: ("listed_elsewhere", [30], "Stable", ELSEWHERE, None),
            TWICE: ("listed_twice", [10, 30], "Empty", "listed by brokers 10, 30, coordinator 10", None),
            NOWHERE: ("listed_nowhere", [], None, LACKING, None),
            DENIED: ("unknown", [10], "Stable", f"FindCoordinator: {FORBIDDEN}: Not authorized", FORBIDDEN),
            OLD: ("agree", [10], None, None, None),
        },
        [
            *(listed(DENIED, 10), listed(LEFT, 30), listed(TWICE, 30)),
            *(listed(TWICE, 10, 4, "Empty"), listed(OLD, 10, group_state=None, group_type=None)),
        ],
        [
            *(found(group, 10) for group in (LEFT, TWICE, NOWHERE, OLD)),
            refused(DENIED, 30, "Not authorized"),
        ],
    )
    .table("observed_at", {TWICE: naive(4)})
    .table("group_type", {OLD: None}),
    # Redpanda hashes ids in another way: the formula's columns are null, and no topic is said to have grown.
    "the formula is not reported of Redpanda": case(
        f"offsets_partition {WHERE} found_coordinator agreement reason",
        {
            TEN: (None, None, FORMULA, 30, "unknown", f"no expected coordinator: {FORMULA}"),
            TWENTY: (None, None, FORMULA, None, "no_coordinator", f"FindCoordinator: {UNAVAILABLE}"),
        },
        [listed(TEN, 30, cluster_id=REDPANDA), listed(TWENTY, 20, cluster_id=REDPANDA)],
        [{**one, "cluster_id": REDPANDA} for one in (found(TEN, 30), refused(TWENTY, 15))],
    ),
    # A missing list proves nothing about the group.
    "a partition without a leader has no coordinator, and a list that was not read may have the group": case(
        f"agreement found_error {WHERE} reason found_coordinator found_host found_port",
        {TEN: ("no_coordinator", UNAVAILABLE, None, UNLED, UNLED, None, None, None)},
        [listed(TEN, 10)],
        [refused(TEN, 15), found(TWENTY, 20)],
        missing_read("ListGroups", "groups", 20, "CONNECTION_FAILED"),
        leaders=(-1, 20),
    ).table("agreement reason", {TWENTY: ("unknown", "ListGroups was not read from broker 20 (CONNECTION_FAILED)")}),
    # Kafka has one code for a fenced leader, one without the listener, and one that is not ready. Hashes 99, 97 and 98.
    # The window of `d` is missing: the row stays, and its found columns are null with the reason.
    "no coordinator says which of Kafka's causes it is, and a missing answer which it is": case(
        "agreement reason",
        {
            "c": ("no_coordinator", "broker 10, leader of partition 0, is fenced"),
            "a": ("no_coordinator", f"broker 20, leader of partition 1, {ENDPOINT}"),
            "b": ("no_coordinator", "broker 30, leader of partition 2, does not coordinate yet"),
        },
        [listed("c", 10), listed("a", 20), listed("b", 30), listed("d", 20)],
        [refused(group, 15) for group in "cab"],
        missing_read("FindCoordinator", "groups", None, "DEADLINE_EXCEEDED"),
        leaders=(10, 20, 30),
        brokers=[item(node_id=10, is_fenced=True), item(node_id=30, is_fenced=False)],
    ).table(
        "agreement found_coordinator found_error reason",
        {"d": ("unknown", None, None, "FindCoordinator was not read (DEADLINE_EXCEEDED)")},
    ),
    # Without the topic FindCoordinator is not asked, since the request would create it; listing and hash are kept.
    "a topic that is not seen leaves the formula open": case(
        f"hash offsets_partition offsets_partitions {WHERE} agreement found_error listed_by reason",
        {
            TEN: (
                *(98, None, None, None, UNSEEN, "unknown", "NOT_ASKED", [10]),
                f"FindCoordinator: NOT_ASKED: {OFFSETS} was not seen",
            )
        },
        [listed(TEN, 10)],
        [refused(TEN, -106, f"{OFFSETS} was not seen")],
        partitions=[],
        topics=[],
    ),
    "missing metadata is not taken for a missing topic": case(
        "agreement expected_reason reason",
        {TEN: ("unknown", LATE, f"no expected coordinator: {LATE}")},
        [listed(TEN, 10)],
        [found(TEN, 10)],
        missing_read("Metadata", "names", None, "DEADLINE_EXCEEDED"),
        partitions=[],
        topics=[],
    ),
}
for why, partitions, missing in (
    ("TOPIC_AUTHORIZATION_FAILED", [item(topic=OFFSETS, error_code=29)], []),
    (
        "DescribeTopicPartitions was not read (REQUEST_TIMED_OUT)",
        *([], [missing_read("DescribeTopicPartitions", "topics", None, "REQUEST_TIMED_OUT")]),
    ),
    ("it is not in the answer", [], []),
):
    # The number of partitions is known from the listing, the leader is not known.
    CASES[f"not described: {why}"] = case(
        f"offsets_partition {WHERE} agreement",
        {TEN: (0, None, f"partition 0 of {OFFSETS} was not described: {why}", "unknown")},
        [listed(TEN, 10)],
        [found(TEN, 10)],
        *missing,
        partitions=partitions,
    )

test_every_case = each_case(GROUP_COORDINATOR_PLACEMENT, CASES, lambda row: row.group_id)
