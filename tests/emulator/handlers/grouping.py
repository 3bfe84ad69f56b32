"""A small cluster with groups of every type, and what its world says of them."""

from typing import Any

from emulator.asking import cluster
from kafka_emulator.server import Server

TOPICS = {"partitions": 60, "declared": [{"name": "open", "partitions": 4}, {"name": "hidden", "partitions": 3}]}


def grouped(*declared: dict[str, Any], count: int = 60, **sections: Any) -> Server:
    """Some groups of each type, and declared ones."""
    groups = {"count": count, "topics_per_group": 2, "members_at_most": 5, "declared": list(declared)}
    return cluster(**{"groups": groups, "topics": TOPICS, **sections})


def narrow(*denied: tuple[str, str]) -> dict[str, Any]:
    """Security that allows everything but to DESCRIBE or DELETE these resources: (type, name)."""
    kinds = ("TOPIC", "GROUP", "CLUSTER")
    every = [{"resource_type": kind, "resource_name": "*", "operation": "ALL"} for kind in kinds]
    none = [{"resource_type": kind, "resource_name": name, "permission": "DENY"} for kind, name in denied]
    more = [{**one, "operation": "DELETE"} for one in none if one["resource_type"] == "GROUP"]
    return {"super_users": [], "acls": [*every, *none, *more]}


def at(server: Server, group_id: str) -> int:
    return server.world.group_coordinator(group_id)


def elsewhere(server: Server, group_id: str) -> int:
    return at(server, group_id) % 3 + 1
