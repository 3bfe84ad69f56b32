"""Replicas of the metadata log: lags are reported by the leader, and a quorum that was not read is a row."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.tables.quorum import QUORUM
from spark.landed_items import Item, compute, item, missing_read, rows_by

CLUSTER_ITEM = item(2, 3, node_id=2, host="h", port=9092)


def replica(node: int, end: int, caught_up_ms: int | None, **columns: Any) -> Item:
    """A voter, as reported by leader 1, whose high watermark is 100."""
    head = {"leader_id": 1, "leader_epoch": 7, "high_watermark": 100, "error_code": 0, "is_voter": True}
    times = {"last_fetch_ms": caught_up_ms, "last_caught_up_ms": caught_up_ms}
    return item(2, 5, replica_id=node, log_end_offset=end, **head | times | columns)


def test_lags_are_against_the_leader(spark: SparkSession) -> None:
    """Committed, slightly behind, far behind, silent: the last two are not caught up, or not known to be."""
    replicas = [
        replica(1, 102, 50_000, replica_directory_id="AAA"),
        replica(2, 101, 49_990),
        replica(3, 99, 49_500, is_voter=False),
        replica(4, 40, 10_000),
        replica(5, -1, None),
        replica(6, 103, 50_001, is_voter=False),
    ]
    rows = rows_by(compute(spark, QUORUM, replicas=replicas, cluster=[CLUSTER_ITEM]), "replica_id")
    reported = {
        node: (row.role, row.is_leader, row.lag_offsets, row.lag_ms, row.caught_up, row.reason)
        for node, row in rows.items()
    }
    assert reported == {
        1: ("voter", True, 0, 0, True, None),
        2: ("voter", False, 1, 10, True, None),
        3: ("observer", False, 3, 500, True, None),
        4: ("voter", False, 62, 40_000, False, "62 offsets behind the leader"),
        5: ("voter", False, None, None, None, "the leader has not heard from it"),
        6: ("observer", False, 0, 0, True, None),
    }
    assert (rows[1].directory_id, rows[2].directory_id, rows[5].log_end_offset) == ("AAA", "", None)
    assert (rows[1].leader_epoch, rows[1].high_watermark, rows[1].last_fetch_at.timestamp() % 60) == (7, 100, 50.0)


def test_before_times_were_reported_only_what_is_committed_counts(spark: SparkSession) -> None:
    """Below v1 there are no times: only the high watermark decides."""
    replicas = [replica(1, 102, None), replica(2, 100, None), replica(3, 99, None)]
    rows = rows_by(compute(spark, QUORUM, replicas=replicas, cluster=[CLUSTER_ITEM]), "replica_id")
    assert {node: (row.lag_ms, row.caught_up) for node, row in rows.items()} == {
        1: (None, True),
        2: (None, True),
        3: (None, False),
    }


def test_node_whose_disk_was_replaced_is_two_replicas(spark: SparkSession) -> None:
    """The old directory still votes, the new one follows."""
    replicas = [
        replica(1, 100, None),
        replica(2, 50, None, replica_directory_id="old"),
        replica(2, 100, None, replica_directory_id="new", is_voter=False),
    ]
    rows = rows_by(compute(spark, QUORUM, replicas=replicas, cluster=[CLUSTER_ITEM]), "replica_id", "directory_id")
    assert {key: row.role for key, row in rows.items()} == {
        (1, ""): "voter",
        (2, "old"): "voter",
        (2, "new"): "observer",
    }


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
