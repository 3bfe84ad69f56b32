"""Every rule of DANGERS finds its entries, and leaves similar entries alone."""

from typing import Any

from pyspark.sql import SparkSession

from kafka_census.tables.acl_inventory import ACL_INVENTORY
from kafka_census.transforms.acl_inventory import DANGERS, NO_AUTHORIZER
from spark.landed_items import Item, compute, item, rows_by

HARMLESS: dict[str, Any] = {
    "resource_type": "topic",
    "resource_name": "orders",
    "pattern_type": "literal",
    "principal": "User:alice",
    "host": "*",
    "operation": "read",
    "permission": "allow",
    "error_code": 0,
}
CLUSTER_ENTRY = {"resource_type": "cluster", "resource_name": "kafka-cluster"}

DANGEROUS: dict[str, tuple[dict[str, Any], ...]] = {
    "everyone": ({"principal": "User:*"},),
    "unauthenticated": ({"principal": "User:ANONYMOUS"},),
    "every_resource": ({"resource_type": "group", "resource_name": "*", "operation": "all"},),
    "cluster_all": (CLUSTER_ENTRY | {"operation": "all"},),
    "cluster_alter": (CLUSTER_ENTRY | {"operation": "alter"},),
    "cluster_alter_configs": (CLUSTER_ENTRY | {"operation": "alter_configs"},),
    "cluster_action": (CLUSTER_ENTRY | {"operation": "cluster_action"},),
    "internal_topics": (
        {"resource_name": "__consumer_offsets", "operation": "write"},
        {"resource_name": "__transaction_state", "operation": "alter"},
        {"resource_name": "__", "pattern_type": "prefixed", "operation": "delete"},
        {"resource_name": "*", "operation": "write"},
    ),
    "impersonation": ({"resource_type": "user", "resource_name": "bob", "operation": "create_tokens"},),
    "endless_transactions": (
        {"resource_type": "transactional_id", "resource_name": "t", "operation": "two_phase_commit"},
    ),
}
"""By rule: entries in which it holds, and no other rule."""

NEIGHBOURS: tuple[dict[str, Any], ...] = (
    {},
    {"principal": "User:*", "permission": "deny"},
    {"principal": "Group:*"},
    {"resource_type": "group", "resource_name": "*", "operation": "read"},
    # The name of a prefixed entry may be a star.
    {"resource_type": "group", "resource_name": "*", "pattern_type": "prefixed", "operation": "all"},
    CLUSTER_ENTRY | {"operation": "describe"},
    CLUSTER_ENTRY | {"operation": "alter", "permission": "deny"},
    {"operation": "alter"},
    {"resource_name": "__consumer_offsets"},
    {"resource_name": "__consumer_offsets", "pattern_type": "prefixed"},
    {"resource_name": "__consumer", "operation": "write"},
    {"resource_name": "orders", "pattern_type": "prefixed", "operation": "write"},
    {"resource_type": "user", "resource_name": "bob", "operation": "describe_tokens"},
    {"resource_type": "transactional_id", "resource_name": "t", "operation": "write"},
)
"""Entries in which no rule holds."""


def entries() -> list[tuple[str | None, Item]]:
    """Every entry with the rule that holds for it; different hosts keep the keys distinct."""
    of_rules = [(rule, entry) for rule, some in DANGEROUS.items() for entry in some]
    every = [*of_rules, *((None, entry) for entry in NEIGHBOURS)]
    return [(rule, item(**HARMLESS | {"host": f"10.0.0.{n}"} | entry)) for n, (rule, entry) in enumerate(every)]


def test_each_rule_holds_where_it_should_and_nowhere_else(spark: SparkSession) -> None:
    """Each rule of DANGERS has its own entries here."""
    assert list(DANGEROUS) == [danger.name for danger in DANGERS]
    planted = entries()
    rows = rows_by(compute(spark, ACL_INVENTORY, acls=[entry for _, entry in planted]), "host")
    reported = {entry["host"]: rows[entry["host"]].dangers for _, entry in planted}
    assert reported == {entry["host"]: [rule] if rule else [] for rule, entry in planted}
    why = {danger.name: danger.why for danger in DANGERS}
    assert all((row.reason, row.is_dangerous) == (None, False) for row in rows.values() if not row.dangers)
    assert all((row.reason, row.is_dangerous) == (why[row.dangers[0]], True) for row in rows.values() if row.dangers)


def test_one_entry_may_be_dangerous_in_many_ways(spark: SparkSession) -> None:
    """All dangers are listed, in the order of the rules."""
    entry = item(**HARMLESS | {"principal": "User:*", "resource_name": "*", "operation": "all"})
    (row,) = compute(spark, ACL_INVENTORY, acls=[entry]).collect()
    assert row.dangers == ["everyone", "every_resource", "internal_topics"]
    assert row.reason.startswith("granted to everyone; may do everything to every resource of the type; ")
    assert [row[name] for name in ACL_INVENTORY.key] == [entry[name] for name in ACL_INVENTORY.key]


def test_cluster_without_authorizer_is_a_row(spark: SparkSession) -> None:
    """Without an authorizer everything is allowed; an authorizer without entries has no rows."""
    (row,) = rows_by(compute(spark, ACL_INVENTORY, acls=[item(error_code=54)]), "principal").values()
    assert {row[name] for name in ACL_INVENTORY.key} == {""}
    assert (row.dangers, row.is_dangerous, row.reason) == (["no_authorizer"], True, NO_AUTHORIZER.why)


def test_an_empty_name_is_a_value_and_a_null_is_not(spark: SparkSession) -> None:
    """Brokers accept an empty host; only the row of a cluster without authorizer has nothing else."""
    empty, broken = HARMLESS | {"host": "", "principal": ""}, HARMLESS | {"host": None}
    rows = rows_by(compute(spark, ACL_INVENTORY, acls=[item(**empty), item(**broken)]), "host")
    assert (rows[""].principal, rows[""].resource_name, rows[None].principal) == ("", "orders", "User:alice")


def test_the_columns_comment_names_every_rule() -> None:
    """The data dictionary and the rules have the same list."""
    comment = ACL_INVENTORY.schema["dangers"].metadata["comment"]
    names = comment.partition(": ")[2].removesuffix(".").split(", ")
    assert names == [danger.name for danger in (NO_AUTHORIZER, *DANGERS)]
