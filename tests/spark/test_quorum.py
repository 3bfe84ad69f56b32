"""Replicas of the metadata log of an old broker, or of a quorum without a leader or an answer.

Lags and roles are held against real brokers in tests/trouble.
"""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.tables.quorum.columns import QUORUM
from spark.landed_items import Item, compute, item, missing_read, rows_by

CLUSTER_ITEM = item(2, 3, node_id=2, host="h", port=9092)


def replica(node: int, end: int, caught_up_ms: int | None, **columns: Any) -> Item:
    """A voter, as reported by leader 1, whose high watermark is 100."""
    head = {"leader_id": 1, "leader_epoch": 7, "high_watermark": 100, "error_code": 0, "is_voter": True}
    times = {"last_fetch_ms": caught_up_ms, "last_caught_up_ms": caught_up_ms}
    return item(2, 5, replica_id=node, log_end_offset=end, **head | times | columns)


def test_before_times_were_reported_only_what_is_committed_counts(spark: SparkSession) -> None:
    """Below v1 there are no times. A node whose disk was replaced is two replicas: only the old directory votes."""
    replicas = [
        replica(1, 102, None),
        replica(2, 100, None),
        replica(3, 50, None, replica_directory_id="old"),
        replica(3, 99, None, replica_directory_id="new", is_voter=False),
        replica(4, 103, None, is_voter=False),  # it was heard after the leader
        replica(5, -1, None),
    ]
    rows = rows_by(compute(spark, QUORUM, replicas=replicas, cluster=[CLUSTER_ITEM]), "replica_id", "directory_id")
    assert {key: (row.role, row.lag_ms, row.caught_up) for key, row in rows.items()} == {
        (1, ""): ("voter", None, True),
        (2, ""): ("voter", None, True),
        (3, "old"): ("voter", None, False),
        (3, "new"): ("observer", None, False),
        (4, ""): ("observer", None, True),
        (5, ""): ("voter", None, None),
    }
    silent = rows[5, ""]
    reported = (silent.log_end_offset, silent.lag_offsets, silent.reason)
    assert reported == (None, None, "the leader has not heard from it")
    assert rows[4, ""].lag_offsets == 0
    assert (rows[3, "old"].lag_offsets, rows[3, "old"].reason) == (52, "52 offsets behind the leader")


def test_quorum_without_leader(spark: SparkSession) -> None:
    """The leader id -1 means no leader, and then no replica is known to lead or to lag."""
    replicas = [replica(1, -1, None, leader_id=-1, high_watermark=-1)]
    row = rows_by(compute(spark, QUORUM, replicas=replicas, cluster=[CLUSTER_ITEM]), "replica_id")[1]
    assert (row.leader_id, row.is_leader, row.lag_offsets, row.caught_up) == (None, None, None, None)
    assert (row.high_watermark, row.reason) == (None, "the quorum has no leader")


def test_quorum_that_was_not_read_is_a_row(spark: SparkSession) -> None:
    """A refusal, a cluster with ZooKeeper, or an error of the partition."""
    missing = [missing_read("DescribeQuorum", "quorum", 2, "UNSUPPORTED_VERSION")]
    refused = rows_by(compute(spark, QUORUM, missing, cluster=[CLUSTER_ITEM]), "replica_id")
    failed = [item(2, error_code=3, leader_id=-1, high_watermark=-1)]
    wrong = rows_by(compute(spark, QUORUM, replicas=failed, cluster=[CLUSTER_ITEM]), "replica_id")
    assert {(-1, row.role, row.caught_up, row.reason) for rows in (refused, wrong) for row in rows.values()} == {
        (-1, "unknown", None, "DescribeQuorum was not read from broker 2 (UNSUPPORTED_VERSION)"),
        (-1, "unknown", None, "DescribeQuorum answered UNKNOWN_TOPIC_OR_PARTITION"),
    }
    assert list(refused) == list(wrong) == [-1]
