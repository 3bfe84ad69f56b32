"""Rows of acl_inventory, right and wrong."""

from kafka_census.tables.acl_inventory.columns import ACL_INVENTORY
from kafka_census.tables.acl_inventory.rules import ACL_INVENTORY_SUITE
from spark.faults import Faults, row

DANGEROUS = {"is_dangerous": True, "dangers": ["everyone"], "reason": "granted to everyone"}
NO_AUTHORIZER = dict.fromkeys(ACL_INVENTORY.key, "") | DANGEROUS | {"dangers": ["no_authorizer"]}
FAULTS = Faults(
    ACL_INVENTORY_SUITE,
    right=row(resource_type="topic", resource_name="orders", pattern_type="literal", principal="User:alice")
    | row(operation="read", permission="allow", is_dangerous=False),
    wrong={
        "danger_has_reason": {"reason": "granted to everyone"},
        "denial_is_not_dangerous": {"permission": "deny"} | DANGEROUS,
        "entry_is_whole": {"operation": ""},
        "grant_is_harmless": DANGEROUS,
    },
    besides={"denial_is_not_dangerous": {"grant_is_harmless"}}
    | {"dangerous": {"grant_is_harmless"}, "no authorizer": {"grant_is_harmless"}},
    valid={
        "harmless": {},
        "dangerous": DANGEROUS,
        "denial": {"permission": "deny"},
        "empty host: brokers accept it": {"host": ""},
        "empty principal": {"host": "", "principal": ""},
        "empty name": {"host": "", "resource_name": ""},
        "no authorizer": NO_AUTHORIZER,
    },
    counts={"entries": len},
)
