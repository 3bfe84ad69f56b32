"""ACLs, quotas, SCRAM users and the quorum, each row compared with the Java AdminClient's."""

from collections.abc import Iterable
from typing import Any

import pytest

from trouble.conftest import Row, Surveyed
from trouble.test_transactions import milliseconds

UNITS = {
    "producer_byte_rate": "bytes/s",
    "consumer_byte_rate": "bytes/s",
    "request_percentage": "%",
    "connection_creation_rate": "connections/s",
}
"""The units of the cluster's quotas, as in Kafka's documentation of quotas."""

_NO_OPS_A_SECOND = 2
"""Records per second that the leader writes when idle: metadata.max.idle.interval.ms is 500."""


def picked(rows: Iterable[Row], like: Row) -> list[dict[str, Any]]:
    return in_order({name: row[name] for name in like} for row in rows)


def in_order(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=str)


def test_every_acl_is_an_entry_and_only_what_grants_too_much_is_dangerous(whole: Surveyed) -> None:
    """Two of seven: a grant to everyone, all operations on the cluster. kafka-acls does not distinguish the seven."""
    dangers = {
        ("User:*", "topic", "read"): ["everyone"],
        ("User:root", "cluster", "all"): ["cluster_all"],
    }
    wanted = []
    for one in whole.said["acl"]:
        danger = dangers.get((one["principal"], one["resource_type"], one["operation"]), [])
        entry = {name: value for name, value in one.items() if name != "kind"}
        wanted.append({**entry, "is_dangerous": danger != [], "dangers": danger})
    assert picked(whole.rows["acl_inventory"], wanted[0]) == in_order(wanted)
    assert all((row["reason"] is not None) is row["is_dangerous"] for row in whole.rows["acl_inventory"])
    assert sorted(one["dangers"] for one in wanted if one["dangers"]) == sorted(dangers.values())
    assert {one["pattern_type"] for one in wanted} == {"literal", "prefixed"}
    assert {one["host"] for one in wanted} == {"*", "10.9.8.7"}


def _named(name: str | None) -> str:
    """The name of an entity in one line of several; None is the default entity."""
    if name is None:
        return "<default>"
    return name if name and not set(name) & set(" '<") else "'" + name.replace("'", "''") + "'"


def test_every_quota_names_its_entity_and_its_unit(whole: Surveyed) -> None:
    """A user's, a client id's of all other users, and one of all addresses: the default entity is Java's null.

    Entities that Kafka's tools print alike have lines of their own.
    """
    wanted = []
    for one in whole.said["quota"]:
        entity = one["entity"]
        names = {kind: "<default>" if name is None else name for kind, name in entity.items()}
        is_default = {kind: name is None for kind, name in entity.items()}
        kinds = [kind for kind in ("user", "client-id", "ip") if kind in entity]
        wanted.append(
            {
                "entity": ", ".join(f"{kind} {_named(entity[kind])}" for kind in kinds),
                "is_default": any(is_default.values()),
                "user_is_default": is_default.get("user", False),
                "client_id_is_default": is_default.get("client-id", False),
                "ip_is_default": is_default.get("ip", False),
                "quota": one["key"],
                "user": names.get("user"),
                "client_id": names.get("client-id"),
                "ip": names.get("ip"),
                "value": one["value"],
                "unit": UNITS[one["key"]],
            }
        )
    assert picked(whole.rows["quotas"], wanted[0]) == in_order(wanted)
    assert {one["entity"] for one in wanted} == {
        "user alice",
        "user <default>, client-id reports",
        "ip <default>",
        "user <default>, client-id <default>",
        "user <default>, client-id '<default>'",
        "user '<default>', client-id <default>",
        "user 'a, client-id b'",
        "user a, client-id b",
    }


def test_every_scram_credential_stands_beside_what_else_its_user_has(whole: Surveyed) -> None:
    """A user with only SCRAM-SHA-256 cannot authenticate once that mechanism is disabled."""
    wanted = []
    for one in whole.said["scram_user"]:
        mechanisms = sorted(other["mechanism"] for other in whole.said["scram_user"] if other["user"] == one["user"])
        wanted.append(
            {
                "user": one["user"],
                "mechanism": one["mechanism"],
                "iterations": one["iterations"],
                "mechanisms": mechanisms,
                "only_sha_256": mechanisms == ["SCRAM-SHA-256"],
                "reason": None,
            }
        )
    assert picked(whole.rows["scram_users"], wanted[0]) == in_order(wanted)
    assert {(one["user"], one["only_sha_256"]) for one in wanted} == {("alice", True), ("bob", False)}


def test_every_replica_of_the_metadata_log_is_what_the_java_client_says(whole: Surveyed) -> None:
    wanted = [
        {
            "replica_id": one["replica_id"],
            "directory_id": one["replica_directory_id"] or "",
            "role": "voter" if one["is_voter"] else "observer",
            "is_leader": one["replica_id"] == one["leader_id"],
            "leader_id": one["leader_id"],
            "leader_epoch": one["leader_epoch"],
        }
        for one in whole.said["quorum"]
    ]
    assert picked(whole.rows["quorum"], wanted[0]) == in_order(wanted)
    assert [one["is_leader"] for one in wanted].count(True) == 1
    assert len(wanted) == len(whole.said["cluster"][0]["nodes"])

    # The log always grows: the Java client's later answer is further by two records per second.
    later = {one["replica_id"]: one for one in whole.said["quorum"]}
    for row in whole.rows["quorum"]:
        said = later[row["replica_id"]]
        for ours, theirs in (("last_fetch_at", "last_fetch_ms"), ("last_caught_up_at", "last_caught_up_ms")):
            assert milliseconds(row[ours]) <= said[theirs]
        seconds = (said["last_fetch_ms"] - milliseconds(row["last_fetch_at"])) / 1000
        for name in ("log_end_offset", "high_watermark"):
            # Busy controllers write more records, late controllers fewer.
            assert said[name] - row[name] == pytest.approx(seconds * _NO_OPS_A_SECOND, rel=0.25, abs=5)
