"""Each expectation of quorum lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import QUORUM_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "replica_id": 1,
    "role": "voter",
    "is_leader": True,
    "leader_id": 1,
    "lag_offsets": 0,
    "lag_ms": 0,
    "caught_up": True,
}
BEHIND = {"caught_up": False, "reason": "62 offsets behind the leader"}
UNREAD = {"replica_id": -1, "role": "unknown", "is_leader": None, "leader_id": None, "caught_up": None, "reason": "no"}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "role_is_known_word": {"role": "king"},
    "unread_is_unknown": {"role": "unknown"},
    "laggard_has_reason": {"reason": "late"},
    "lags_are_not_negative": {"lag_ms": -1},
    "replica_is_caught_up": BEHIND,
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A leader, a replica that lags, and the only row of a quorum that was not read: the last two are reported."""
    rows = [
        RIGHT | {"directory_id": "a"},
        RIGHT | {"directory_id": "b"} | BEHIND,
        RIGHT | {"directory_id": ""} | UNREAD,
    ]
    found = failures(spark, SUITE, rows, {"rows": 3}, "now")
    named = {"replica_id=1, directory_id=b", "replica_id=-1, directory_id="}
    assert {rule: set(keys) for rule, keys in found.items()} == {"replica_is_caught_up": named}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    assert broken_besides(spark, SUITE, RIGHT, WRONG, by="directory_id", counted={"rows": 99}) == {}


def test_table_is_never_empty(spark: SparkSession) -> None:
    """Every cluster has a quorum, or a row with the reason."""
    assert failures(spark, SUITE, [], {"rows": 1}, "now") == {"row_count": ()}
