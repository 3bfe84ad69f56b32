"""Each expectation of group_lag lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import GROUP_LAG_SUITE as SUITE
from kafka_census.tables.group_lag import GROUP_LAG
from spark.fake_lake import NOON
from spark.group_items import LandedItems, group, joined
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "members": 1,
    "topics": 1,
    "partitions": 3,
    "partitions_known": 3,
    "partitions_missed": 0,
    "partitions_without_commit": 0,
    "partitions_unread": 0,
    "partitions_out_of_range": 1,
    "partitions_unassigned": 1,
    "partitions_without_rate": 0,
    "partitions_not_draining": 0,
    "lag_total": 60,
    "lag_unassigned": 10,
    "lag_max": 40,
    "slowest_topic": "t",
    "slowest_partition": 2,
}
NOTHING = {
    "topics": 0,
    "partitions": 0,
    "partitions_known": 0,
    "partitions_out_of_range": 0,
    "partitions_unassigned": 0,
    "lag_total": None,
    "lag_reason": "nothing",
    "lag_unassigned": None,
    "lag_max": None,
    "slowest_topic": None,
    "slowest_partition": None,
}
UNREAD = NOTHING | {"members": None, "members_reason": "refused", "offsets_reason": "refused"}
MISSED = {"partitions": 4, "partitions_missed": 1, "partitions_without_commit": 1}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"observed_at": None},
    "known_and_missed_are_all": {"partitions": 4},
    "parts_are_within_their_whole": {"partitions_out_of_range": 4},
    "unknown_total_has_reason": NOTHING | {"lag_reason": None},
    "largest_is_within_total": {"lag_max": 61},
    "slowest_is_named": {"slowest_topic": None},
    "unassigned_is_within_total": {"lag_unassigned": 61},
    "unknown_members_have_reason": {"members": None},
    "no_partition_is_missed": MISSED,
    "offsets_were_read": {"offsets_reason": "refused"},
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """With lag, without partitions, with some unknown, and not read at all: all rows are valid."""
    reported = {"a": {}, "b": NOTHING, "c": MISSED, "d": UNREAD}
    rows = [RIGHT | {"group_id": name} | of for name, of in reported.items()]
    found = failures(spark, SUITE, rows, {"groups": 4, "partitions": 7}, "now")
    assert found == {"no_partition_is_missed": ("group_id=c",), "offsets_were_read": ("group_id=d",)}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; both counts are wrong too."""
    assert broken_besides(spark, SUITE, RIGHT, WRONG, by="group_id", counted={"groups": 99, "partitions": 99}) == {}


def test_empty_table_passes_only_without_groups(spark: SparkSession) -> None:
    """No rows are right where no group was listed, and nowhere else."""
    assert failures(spark, SUITE, [], {"groups": 0, "partitions": 0}, "now") == {}
    assert "row_count" in failures(spark, SUITE, [], {"groups": 1, "partitions": 0}, "now")


def test_groups_and_partitions_are_counted_apart(spark: SparkSession) -> None:
    """A group that two brokers list counts once; partitions are rows of consumer_lag."""
    lags = [{"group_id": "g", "topic": "t", "partition": partition} for partition in range(3)]
    landed = LandedItems(spark, GROUP_LAG, joined(group("g"), group("g"), group("h"), {"lag": lags}))
    assert SUITE.counts(landed).collect()[0].asDict() == {"groups": 2, "partitions": 3}
