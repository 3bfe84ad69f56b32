"""Every rule of DANGERS finds its entries, and leaves similar entries alone."""

from typing import Any

from kafka_census.tables.acl_inventory.columns import ACL_INVENTORY
from kafka_census.tables.acl_inventory.transform import DANGERS, NO_AUTHORIZER
from spark.cases import Case, each_case
from spark.faults import row
from spark.landed_items import item

HARMLESS = row(
    resource_type="topic", resource_name="orders", pattern_type="literal", principal="User:alice", host="*"
) | row(operation="read", permission="allow", error_code=0)
WIDE = HARMLESS | row(principal="User:*", resource_name="*", operation="all")
ENTRY = ACL_INVENTORY.key
CLUSTER_ENTRY = row(resource_type="cluster", resource_name="kafka-cluster")

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
    "endless_transactions": (row(resource_type="transactional_id", resource_name="t", operation="two_phase_commit"),),
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


WHY = {danger.name: danger.why for danger in (NO_AUTHORIZER, *DANGERS)}
# Different hosts keep the keys distinct.
EVERY = [*((rule, one) for rule, some in DANGEROUS.items() for one in some), *((None, one) for one in NEIGHBOURS)]
HOSTS = {f"10.0.0.{number}": (rule, one) for number, (rule, one) in enumerate(EVERY)}
MANY = ["everyone", "every_resource", "internal_topics"]


def case(columns: str, rows: dict[str | None, Any], *acls: dict[str, Any]) -> Case:
    return Case({"acls": [item(**one) for one in acls], "alone": True}, None).table(columns, rows)


CASES = {
    "each rule holds where it should and nowhere else; one entry may be dangerous in many ways": case(
        "dangers reason is_dangerous",
        {host: ([rule], WHY[rule], True) if rule else ([], None, False) for host, (rule, _) in HOSTS.items()},
        *[HARMLESS | {"host": host} | one for host, (_, one) in HOSTS.items()],
        *(WIDE, HARMLESS | {"host": "", "principal": ""}, HARMLESS | {"host": None}),
    )
    # In the order of the rules.
    .table(
        f"dangers reason {' '.join(ENTRY)}",
        {"*": (MANY, "; ".join(WHY[name] for name in MANY), *(WIDE[name] for name in ENTRY))},
    )
    # An empty name is a value and a null is not: only the row of a cluster without authorizer has nothing else.
    .table("principal resource_name", {"": ("", "orders"), None: ("User:alice", "orders")}),
    # Without an authorizer everything is allowed; an authorizer without entries has no rows.
    "a cluster without an authorizer is a row": case(
        f"dangers is_dangerous reason {' '.join(ENTRY)}",
        {"": (["no_authorizer"], True, NO_AUTHORIZER.why, *[""] * len(ENTRY))},
        {"error_code": 54},
    ),
}

test_every_case = each_case(ACL_INVENTORY, CASES, lambda row: row.host)


def test_every_rule_has_its_entries() -> None:
    assert list(DANGEROUS) == [danger.name for danger in DANGERS]
