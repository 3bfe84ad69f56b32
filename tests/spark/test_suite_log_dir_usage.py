"""Each expectation of log_dir_usage lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import LOG_DIR_USAGE_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

SUMS = ("replicas", "replica_bytes", "leader_replicas", "leader_bytes", "future_replicas", "future_bytes")
RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "broker_id": 1,
    "state": "online",
    "total_bytes": 1000,
    "usable_bytes": 500,
    "replicas": 2,
    "replica_bytes": 100,
    "leader_replicas": 1,
    "leader_bytes": 60,
    "future_replicas": 0,
    "future_bytes": 0,
    "share_of_broker": 0.5,
}
REMOTE = dict.fromkeys(SUMS) | {"state": "remote", "reason": "object storage", "share_of_broker": None}
OFFLINE = dict.fromkeys(SUMS) | {"state": "offline", "reason": "not readable", "share_of_broker": None}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "state_is_known_word": OFFLINE | {"state": "gone"},
    "unknown_has_reason": {"reason": "not readable"},
    "only_online_dirs_are_summed": OFFLINE | {"replicas": 0, "replica_bytes": 0, "future_bytes": 0},
    "leaders_or_reason": {"leader_bytes": None, "leader_replicas": None},
    "leaders_are_among_replicas": {"leader_bytes": 101},
    "share_is_a_part": {"share_of_broker": 1.5},
    "room_is_within_volume": {"usable_bytes": 1001},
    "dir_is_online": OFFLINE,
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A dir that is read, one with unknown leaders, one offline, object storage, a broker that reported no dir."""
    unled = {"leader_bytes": None, "leader_replicas": None, "leader_reason": "partitions were not read"}
    silent = {"broker_id": 2, "log_dir": "", "state": "not_read"}
    rows = [RIGHT | {"log_dir": "/a"}, RIGHT | {"log_dir": "/b"} | unled, RIGHT | {"log_dir": "/c"} | OFFLINE]
    rows.append(RIGHT | {"log_dir": "remote://bucket"} | REMOTE)
    found = failures(spark, SUITE, [*rows, RIGHT | OFFLINE | silent], {"rows": 5}, "now")
    assert {rule: set(keys) for rule, keys in found.items()} == {
        "dir_is_online": {"broker_id=1, log_dir=/c", "broker_id=2, log_dir="}
    }


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="log_dir", counted={"rows": 99})
    assert besides == {rule: {"dir_is_online"} for rule in ("state_is_known_word", "only_online_dirs_are_summed")}


def test_table_is_never_empty(spark: SparkSession) -> None:
    """A broker that answers has a dir, and a broker that does not answer is a row."""
    assert failures(spark, SUITE, [], {"rows": 1}, "now") == {"row_count": ()}
