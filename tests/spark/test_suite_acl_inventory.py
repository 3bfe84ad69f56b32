"""Each expectation of acl_inventory lets a right row pass and names a wrong one."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.quality.suites import ACL_INVENTORY_SUITE as SUITE
from kafka_census.tables.acl_inventory import ACL_INVENTORY
from spark.fake_lake import NOON
from spark.planted import failures, rules

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
    "entry_is_whole": {"principal": ""},
    "grant_is_harmless": DANGEROUS,
}


def test_right_rows_pass(spark: SparkSession) -> None:
    """A harmless grant, a dangerous one, a denial, and a cluster without authorizer."""
    rows = [RIGHT | {"host": "a"}, RIGHT | {"host": "b"} | DANGEROUS, RIGHT | {"host": "c", "permission": "deny"}]
    found = failures(spark, SUITE, rows, {"entries": 3}, "now")
    assert set(found) == {"grant_is_harmless"}
    assert [key.split(", ")[4] for key in found["grant_is_harmless"]] == ["host=b"]
    assert set(failures(spark, SUITE, [RIGHT | NO_AUTHORIZER], {"entries": 1}, "now")) == {"grant_is_harmless"}
    assert failures(spark, SUITE, [], {"entries": 0}, "now") == {}
    assert failures(spark, SUITE, [], {"entries": 1}, "now") == {"row_count": ()}


def test_each_planted_fault_is_named(spark: SparkSession) -> None:
    """One row per rule, and a row twice; the row count is wrong too. A danger is told of whatever else is wrong."""
    rows = [RIGHT | {"host": rule} | fault for rule, fault in WRONG.items()]
    found = failures(spark, SUITE, [*rows, *[RIGHT | {"host": "twice"}] * 2], {"entries": 99}, "now")
    assert set(found) == rules(SUITE, "now", {"entries": 99})
    for rule, fault in WRONG.items():
        named = {name for name, keys in found.items() if any(f"host={rule}," in key for key in keys)}
        assert named == {rule} | ({"grant_is_harmless"} if fault.get("is_dangerous") else set())
    assert all("host=twice," in key for key in found["key_is_unique"])
