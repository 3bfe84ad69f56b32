"""Replicas of the metadata log of an old broker, or of a quorum without a leader or an answer.

Lags and roles are held against real brokers in tests/trouble.
"""

from typing import Any

from kafka_census.tables.quorum.columns import QUORUM
from spark.cases import Case, each_case
from spark.landed_items import Item, item, missing_read

CLUSTER_ITEM = item(2, 3, node_id=2, host="h", port=9092)


def replica(node: int, end: int, caught_up_ms: int | None, **columns: Any) -> Item:
    """A voter, as reported by leader 1, whose high watermark is 100."""
    head = {"leader_id": 1, "leader_epoch": 7, "high_watermark": 100, "error_code": 0, "is_voter": True}
    times = {"last_fetch_ms": caught_up_ms, "last_caught_up_ms": caught_up_ms}
    return item(2, 5, replica_id=node, log_end_offset=end, **head | times | columns)


def case(columns: str, rows: dict[Any, Any], *replicas: Item, missing: Any = ()) -> Case:
    """Values of columns by replica and directory."""
    given = {"replicas": [*replicas], "cluster": [CLUSTER_ITEM], "missing": missing, "alone": True}
    return Case(given, None).table(columns, rows)


CASES = {
    # Below v1 there are no times. A node whose disk was replaced is two replicas: only the old directory votes.
    "before times were reported only what is committed counts": case(
        "role lag_ms caught_up",
        {
            (1, ""): ("voter", None, True),
            (2, ""): ("voter", None, True),
            (3, "old"): ("voter", None, False),
            (3, "new"): ("observer", None, False),
            (4, ""): ("observer", None, True),
            (5, ""): ("voter", None, None),
        },
        *(replica(1, 102, None), replica(2, 100, None), replica(3, 50, None, replica_directory_id="old")),
        replica(3, 99, None, replica_directory_id="new", is_voter=False),
        replica(4, 103, None, is_voter=False),  # it was heard after the leader
        replica(5, -1, None),
    )
    .table("lag_offsets", {(4, ""): 0})
    .table(
        "lag_offsets reason",
        {(3, "old"): (52, "52 offsets behind the leader"), (5, ""): (None, "the leader has not heard from it")},
    )
    .table("log_end_offset", {(5, ""): (None,)}),
    # The leader id -1 means no leader, and then no replica is known to lead or to lag.
    "a quorum without a leader": case(
        "leader_id is_leader lag_offsets caught_up high_watermark reason",
        {(1, ""): (None, None, None, None, None, "the quorum has no leader")},
        replica(1, -1, None, leader_id=-1, high_watermark=-1),
    ),
    # As in a cluster with ZooKeeper.
    "a quorum that was not read is a row": case(
        "role caught_up reason",
        {(-1, ""): ("unknown", None, "DescribeQuorum was not read from broker 2 (UNSUPPORTED_VERSION)")},
        missing=[missing_read("DescribeQuorum", "quorum", 2, "UNSUPPORTED_VERSION")],
    ),
    "an error of the partition is a row": case(
        "role caught_up reason",
        {(-1, ""): ("unknown", None, "DescribeQuorum answered UNKNOWN_TOPIC_OR_PARTITION")},
        item(2, error_code=3, leader_id=-1, high_watermark=-1),
    ),
}

test_every_case = each_case(QUORUM, CASES, lambda row: (row.replica_id, row.directory_id))
