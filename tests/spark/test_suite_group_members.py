"""Each expectation of group_members lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import GROUP_MEMBERS_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "group_id": "g",
    "status": "described",
    "partitions": 3,
    "assignment": [("t", [0, 1]), ("s", [0])],
}
UNTOLD = {"partitions": None, "assignment": [], "assignment_reason": "it rebalances"}
HIDDEN = {"partitions": None, "assignment": [], "status": "not_read", "reason": "refused", "member_id": ""}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "status_is_known_word": {"status": "gone"},
    "not_read_has_reason": {"reason": "refused"},
    "partitions_are_listed": {"partitions": 4},
    "partitions_or_reason": {"assignment_reason": "it rebalances"},
    "members_were_read": HIDDEN,
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """Members whose assignment is known, is not, or is in part, and a refused group, which is reported.

    Brokers accept an empty client id: an empty string is a value.
    """
    in_part = RIGHT | {"member_id": "c", "partitions": None, "assignment_reason": "it rebalances"}
    nameless = {"group_id": "", "client_id": "", "instance_id": ""}
    rows = [RIGHT | {"member_id": "a"} | nameless, RIGHT | {"member_id": "b"} | UNTOLD, in_part, RIGHT | HIDDEN]
    assert failures(spark, SUITE, rows, {"members": 3}, "now") == {"members_were_read": ("group_id=g, member_id=",)}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice. An unknown status is not that of a member either."""
    right = RIGHT | {"member_id": "m"}
    besides = broken_besides(spark, SUITE, right, WRONG, by="group_id", counted={"members": 99})
    assert besides == {"status_is_known_word": {"members_were_read"}}


def test_a_cluster_without_members_has_no_row(spark: SparkSession) -> None:
    """An empty table passes where no member was described, and fails where one was."""
    assert failures(spark, SUITE, [], {"members": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"members": 1}, "now") == {"row_count": ()}
