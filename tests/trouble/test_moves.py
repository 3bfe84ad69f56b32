"""reassignment_backlog and its sums by broker, compared with the Java AdminClient.

Remaining bytes are compared with the sizes of its DescribeLogDirs, throttles with all configs.
"""

from collections import Counter
from typing import Any

from trouble.conftest import Row, Surveyed
from trouble.test_partitions import differences, key

DYNAMIC = ("DYNAMIC_BROKER_CONFIG", "DYNAMIC_DEFAULT_BROKER_CONFIG")
"""Brokers take throttles from these sources only."""

LEADER, FOLLOWER = "leader.replication.throttled", "follower.replication.throttled"
LOG_DIR = "replica.alter.log.dirs.io.max.bytes.per.second"
NO_PROGRESS = dict.fromkeys(("bytes_per_second", "eta_seconds", "stalled", "previous_census_id"))
"""The first census has no previous census."""

Copy = tuple[str, int, int, str]
"""Topic, partition, the broker that gets, loses or moves its replica, and the kind."""


def wanted_backlog(said: dict[str, list[Row]]) -> dict[Copy, dict[str, Any]]:
    """The columns of reassignment_backlog without progress, by copy, from the Java client's answers alone."""
    partitions = {key(row): row for row in said["partition"]}
    wanted: dict[Copy, dict[str, Any]] = {}
    for move in said["reassignment"]:
        partition = partitions[key(move)]
        for node in move["adding_replicas"]:
            wanted[(*key(move), node, "move")] = _move(said, partition, move, node)
        for node in move["removing_replicas"]:
            log_dir = held(said, partition, node).get("log_dir")
            nothing = {"source_id": None, "log_dir": log_dir, **_bytes(0, 0), **_throttles(None, None)}
            wanted[(*key(move), node, "remove")] = {**_head(partition, move, node), **nothing}
    for future in said["log_dir"]:
        if future.get("is_future"):
            wanted[(*key(future), future["node_id"], "log_dir_move")] = _log_dir_move(
                said, partitions[key(future)], future
            )
    return wanted


def held(said: dict[str, list[Row]], partition: Row, node: int | None) -> Row:
    """A broker's current replica of a partition; {} without a replica, or without an answer."""
    found = [row for row in said["log_dir"] if row["node_id"] == node and not row.get("is_future")]
    return next((row for row in found if "topic" in row and key(row) == key(partition)), {})


def rate(said: dict[str, list[Row]], node: int | None, name: str) -> int | None:
    rows = [row for row in said["config_entry"] if row["resource_type"] == "broker" and row["name"] == name]
    return next(
        (int(row["value"]) for row in rows if row["resource_name"] == str(node) and row["source"] in DYNAMIC), None
    )


def listed(said: dict[str, list[Row]], partition: Row, node: int | None, name: str) -> bool:
    (value,) = [
        row["value"]
        for row in said["config_entry"]
        if (row["resource_type"], row["resource_name"], row["name"])
        == ("topic", partition["topic"], f"{name}.replicas")
    ]
    return value == "*" or f"{partition['partition']}:{node}" in value.split(",")


def _head(partition: Row, move: Row, node: int) -> dict[str, Any]:
    replicas = move.get("replicas", partition["replicas"])
    adding, removing = move.get("adding_replicas", []), move.get("removing_replicas", [])
    return {
        "topic_id": partition["topic_id"],
        "original_replicas": [one for one in replicas if one not in adding],
        "target_replicas": [one for one in replicas if one not in removing],
        "adding_replicas": adding,
        "removing_replicas": removing,
        "in_isr": node in partition["isr"],
        "adding_in_isr": len(set(adding) & set(partition["isr"])),
        "adding_total": len(adding),
        "future_log_dir": None,
    }


def _bytes(total: int, copied: int) -> dict[str, Any]:
    left = max(total - copied, 0)
    return {"bytes_total": total, "bytes_done": total - left, "bytes_left": left, "bytes_left_reason": None}


def _throttles(source: int | None, target: int | None) -> dict[str, Any]:
    return {
        "source_throttle_bytes_per_second": source,
        "source_throttle_reason": None,
        "target_throttle_bytes_per_second": target,
        "target_throttle_reason": None,
        "throttle_bytes_per_second": min((one for one in (source, target) if one is not None), default=None),
    }


def _move(said: dict[str, list[Row]], partition: Row, move: Row, node: int) -> dict[str, Any]:
    """A replica that is added, copied from the leader; a broker that answered without the replica has 0 bytes of it."""
    source, here = held(said, partition, partition["leader"]), held(said, partition, node)
    copied = source["size"] if node in partition["isr"] else here.get("size", 0)
    leader, follower = (
        rate(said, one, f"{name}.rate") if listed(said, partition, one, name) else None
        for name, one in ((LEADER, partition["leader"]), (FOLLOWER, node))
    )
    return {
        **_head(partition, move, node),
        "source_id": partition["leader"],
        "log_dir": here.get("log_dir"),
        **_bytes(source["size"], copied),
        **_throttles(leader, follower),
    }


def _log_dir_move(said: dict[str, list[Row]], partition: Row, future: Row) -> dict[str, Any]:
    """A replica that moves within its broker; the throttle for this has no list of replicas."""
    node = future["node_id"]
    here = held(said, partition, node)
    return {
        **_head(partition, {}, node),
        "source_id": node,
        "log_dir": here["log_dir"],
        "future_log_dir": future["log_dir"],
        **_bytes(here["size"], future["size"]),
        **_throttles(None, rate(said, node, LOG_DIR)),
    }


def test_every_copy_has_the_bytes_and_throttles_of_the_java_client(whole: Surveyed) -> None:
    wanted = {one: {**row, **NO_PROGRESS} for one, row in wanted_backlog(whole.said).items()}
    assert differences(whole.of("reassignment_backlog"), wanted) == []
    assert sorted((topic, partition, kind) for topic, partition, _, kind in wanted) == [
        *(("archive", 0, "move"), ("clickstream", 0, "move"), ("clickstream", 0, "remove")),
        ("folders", 0, "log_dir_move"),
    ]
    copying = [row for (_, _, _, kind), row in wanted.items() if kind != "remove"]
    assert all(0 < row["bytes_left"] <= row["bytes_total"] for row in copying)
    assert {row["throttle_bytes_per_second"] for row in copying} == {1}


def test_every_broker_sums_up_its_copies(whole: Surveyed) -> None:
    """Into their targets and out of their sources; what moves within a broker only comes in."""
    into, out = Counter[int](), Counter[int]()
    for (_, _, node, kind), row in wanted_backlog(whole.said).items():
        into[node] += row["bytes_left"]
        out[row["source_id"] if kind == "move" else node] += row["bytes_left"] if kind == "move" else 0
    sums = whole.of("reassignment_backlog_by_broker")
    assert {node: (row["bytes_left_in"], row["bytes_left_out"]) for node, row in sums.items()} == {
        node: (into[node], out[node]) for node in (1, 2, 3)
    }
