"""Each expectation of acl_inventory lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import ACL_INVENTORY_SUITE as SUITE
from kafka_census.tables.acl_inventory import ACL_INVENTORY
from spark.fake_lake import NOON
from spark.planted import broken_besides, failures

RIGHT = {
    "census_id": "now",
    "cluster_id": "kraft-id",
    "observed_at": NOON,
    "resource_type": "topic",
    "resource_name": "orders",
    "pattern_type": "literal",
    "principal": "User:alice",
    "operation": "read",
    "permission": "allow",
    "is_dangerous": False,
}
DANGEROUS = {"is_dangerous": True, "dangers": ["everyone"], "reason": "granted to everyone"}
NO_AUTHORIZER = dict.fromkeys(ACL_INVENTORY.key, "") | DANGEROUS | {"dangers": ["no_authorizer"]}
WRONG: dict[str, dict[str, Any]] = {
    "row_has_identity": {"cluster_id": None},
    "danger_has_reason": {"reason": "granted to everyone"},
    "denial_is_not_dangerous": {"permission": "deny"} | DANGEROUS,
    "entry_is_whole": {"operation": ""},
    "grant_is_harmless": DANGEROUS,
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A harmless grant, a dangerous one, a denial, and a cluster without an authorizer."""
    rows = [RIGHT | {"host": "a"}, RIGHT | {"host": "b"} | DANGEROUS, RIGHT | {"host": "c", "permission": "deny"}]
    found = failures(spark, SUITE, rows, {"entries": 3}, "now")
    assert set(found) == {"grant_is_harmless"}
    assert [key.split(", ")[4] for key in found["grant_is_harmless"]] == ["host=b"]
    # Brokers accept an empty host: an empty string is a value.
    nameless = [RIGHT | {"host": ""}, RIGHT | {"host": "", "principal": ""}, RIGHT | {"host": "", "resource_name": ""}]
    assert failures(spark, SUITE, nameless, {"entries": 3}, "now") == {}
    assert set(failures(spark, SUITE, [RIGHT | NO_AUTHORIZER], {"entries": 1}, "now")) == {"grant_is_harmless"}
    assert failures(spark, SUITE, [], {"entries": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"entries": 1}, "now") == {"row_count": ()}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too."""
    besides = broken_besides(spark, SUITE, RIGHT, WRONG, by="host", counted={"entries": 99})
    assert besides == {"denial_is_not_dangerous": {"grant_is_harmless"}}
