"""Each expectation of scram_users lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import SCRAM_USERS_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "mechanism": "SCRAM-SHA-512",
    "iterations": 4096,
    "mechanisms": ["SCRAM-SHA-512"],
    "only_sha_256": False,
}
REFUSED = {"mechanism": "", "iterations": None, "mechanisms": [], "only_sha_256": None, "reason": "refused"}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "described_or_reason": {"reason": "refused"},
    "mechanism_is_among_the_users": {"mechanism": "SCRAM-SHA-256"},
    "user_was_described": REFUSED,
    "iterations_are_enough": {"iterations": 1},
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A credential, and a user with only the weaker one; a refused user is reported."""
    weak = {"mechanism": "SCRAM-SHA-256", "mechanisms": ["SCRAM-SHA-256"], "only_sha_256": True}
    rows = [RIGHT | {"user": "a"}, RIGHT | {"user": "b"} | weak, RIGHT | {"user": "c"} | REFUSED]
    found = failures(spark, SUITE, rows, {"credentials": 3}, "now")
    assert found == {"user_was_described": ("user=c, mechanism=",)}
    assert failures(spark, SUITE, [], {"credentials": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"credentials": 1}, "now") == {"row_count": ()}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    assert broken_besides(spark, SUITE, RIGHT, WRONG, by="user", counted={"credentials": 99}) == {}
