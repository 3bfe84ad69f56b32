"""Each expectation of quotas lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import QUOTAS_SUITE as SUITE
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "is_default": False,
    "user_is_default": False,
    "client_id_is_default": False,
    "ip_is_default": False,
    "quota": "producer_byte_rate",
    "user": "alice",
    "value": 1000.0,
    "unit": "bytes/s",
}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "entity_is_named": {"user": None},
    "default_is_named": {"is_default": True},
    "value_is_known": {"value": -1.0},
    "unit_is_known": {"unit": None},
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A user's quota, and the default client id's; no rows are right where none were listed."""
    default = RIGHT | {"entity": "client-id <default>", "user": None, "client_id": "<default>", "is_default": True}
    default |= {"client_id_is_default": True}
    assert failures(spark, SUITE, [RIGHT | {"entity": "user alice"}, default], {"quotas": 2}, "now") == {}
    assert failures(spark, SUITE, [], {"quotas": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"quotas": 1}, "now") == {"row_count": ()}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    assert broken_besides(spark, SUITE, RIGHT, WRONG, by="entity", counted={"quotas": 99}) == {}
