"""reassignment_backlog and its sums by broker, compared with the Java AdminClient and kafka-reassign-partitions --list.

The tool lists partitions and brokers, no bytes, and no moves between log dirs. Remaining bytes are compared with the
sizes of the Java client's DescribeLogDirs, throttles with all configs.
"""

import re
from typing import Any

import pytest

from harness.oracle import command_line
from trouble.conftest import Row, Surveyed
from trouble.test_partitions import differences, key

DYNAMIC = ("DYNAMIC_BROKER_CONFIG", "DYNAMIC_DEFAULT_BROKER_CONFIG")
"""Brokers take throttles from these sources only."""

LEADER, FOLLOWER = "leader.replication.throttled", "follower.replication.throttled"
LOG_DIR = "replica.alter.log.dirs.io.max.bytes.per.second"
NO_PROGRESS = dict.fromkeys(("bytes_per_second", "eta_seconds", "stalled", "previous_census_id"))
"""The first census has no previous census."""

Copy = tuple[str, int, str, int]
"""Topic, partition, kind and the broker that gets, loses or moves its replica."""


def copy(row: Row) -> Copy:
    return row["topic"], row["partition"], row["kind"], row["replica_id"]


def wanted_backlog(said: dict[str, list[Row]]) -> dict[Copy, dict[str, Any]]:
    """The columns of reassignment_backlog without progress, by copy, from the Java client's answers alone."""
    partitions = {key(row): row for row in said["partition"]}
    wanted: dict[Copy, dict[str, Any]] = {}
    for move in said["reassignment"]:
        partition = partitions[key(move)]
        for node in move["adding_replicas"]:
            wanted[(*key(move), "move", node)] = _move(said, partition, move, node)
        for node in move["removing_replicas"]:
            wanted[(*key(move), "remove", node)] = _remove(said, partition, move, node)
    for future in said["log_dir"]:
        if future.get("is_future"):
            wanted[(*key(future), "log_dir_move", future["node_id"])] = _log_dir_move(
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


def _remove(said: dict[str, list[Row]], partition: Row, move: Row, node: int) -> dict[str, Any]:
    log_dir = held(said, partition, node).get("log_dir")
    nothing = {"source_id": None, "log_dir": log_dir, **_bytes(0, 0), **_throttles(None, None)}
    return {**_head(partition, move, node), **nothing}


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


def wanted_brokers(backlog: dict[Copy, dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """The columns of reassignment_backlog_by_broker, by broker, from rows of the backlog, including progress."""
    ends: dict[int, dict[str, list[tuple[str, dict[str, Any]]]]] = {}
    for (_, _, kind, node), row in backlog.items():
        ways = {"remove": [("removed", node)], "log_dir_move": [("in", node)]}
        for way, broker in ways.get(kind, [("in", node), ("out", row["source_id"])]):
            if broker is not None:
                ends.setdefault(broker, {"in": [], "out": [], "removed": []})[way].append((kind, row))
    return {broker: _of_broker(goes) for broker, goes in ends.items()}


def _of_broker(goes: dict[str, list[tuple[str, dict[str, Any]]]]) -> dict[str, Any]:
    wanted: dict[str, Any] = {"replicas_removed": len(goes["removed"])}
    for way in ("in", "out"):
        copies = [row for _, row in goes[way]]
        endless = sum(row["eta_seconds"] is None for row in copies)
        wanted |= {
            f"replicas_{way}": len(copies),
            f"unknown_{way}": sum(row["bytes_left"] is None for row in copies),
            f"bytes_left_{way}": _sum("bytes_left", copies),
            f"bytes_per_second_{way}": _sum("bytes_per_second", copies) if copies else None,
            f"eta_seconds_{way}": None if endless or not copies else max(row["eta_seconds"] for row in copies),
            f"stalled_{way}": _sum("stalled", copies),
        }
    incoming = {name: [row for kind, row in goes["in"] if kind == name] for name in ("move", "log_dir_move")}
    reasons = [row["target_throttle_reason"] for _, row in goes["in"]]
    reasons += [row["source_throttle_reason"] for _, row in goes["out"]]
    outgoing = [row for _, row in goes["out"]]
    return wanted | {
        "log_dir_moves": len(incoming["log_dir_move"]),
        "leader_throttle_bytes_per_second": _highest("source_throttle_bytes_per_second", outgoing),
        "follower_throttle_bytes_per_second": _highest("target_throttle_bytes_per_second", incoming["move"]),
        "log_dir_throttle_bytes_per_second": _highest("target_throttle_bytes_per_second", incoming["log_dir_move"]),
        "throttle_reason": min((one for one in reasons if one), default=None),
    }


def _sum(name: str, rows: list[dict[str, Any]]) -> Any:
    """The sum of known values; 0 without rows, None where all values are unknown."""
    known = [row[name] for row in rows if row[name] is not None]
    return sum(known) if known or not rows else None


def _highest(name: str, rows: list[dict[str, Any]]) -> int | None:
    return max((row[name] for row in rows if row[name] is not None), default=None)


def backlog_of(surveyed: Surveyed) -> dict[Copy, Row]:
    return {copy(row): row for row in surveyed.rows["reassignment_backlog"]}


@pytest.fixture(scope="module")
def listing(whole: Surveyed) -> dict[tuple[str, int], dict[str, list[int]]]:
    """The output of kafka-reassign-partitions --list: replicas, adding and removing ones of each partition."""
    printed = command_line(whole.servers, "org.apache.kafka.tools.reassign.ReassignPartitionsCommand", "--list")
    line = re.compile(r"^(\S+)-(\d+): (.*)$", re.MULTILINE)
    return {
        (topic, int(number)): {
            name: [int(one) for one in ids.split(",")] for name, ids in re.findall(r"(\w+): ([\d,]+)", lists)
        }
        for topic, number, lists in line.findall(printed)
    }


def test_every_copy_has_the_bytes_and_throttles_of_the_java_client(whole: Surveyed) -> None:
    wanted = {one: {**row, **NO_PROGRESS} for one, row in wanted_backlog(whole.said).items()}
    assert differences(backlog_of(whole), wanted) == []
    assert sorted(kind for _, _, kind, _ in wanted) == ["log_dir_move", "move", "move", "remove"]
    copying = [row for (_, _, kind, _), row in wanted.items() if kind != "remove"]
    assert all(0 < row["bytes_left"] <= row["bytes_total"] for row in copying)
    assert {row["throttle_bytes_per_second"] for row in copying} == {1}


def test_the_moves_are_those_that_the_tool_lists(
    whole: Surveyed, listing: dict[tuple[str, int], dict[str, list[int]]]
) -> None:
    """Each of its adding and removing replicas is a row of ours; it does not list a move between log dirs."""
    ours = backlog_of(whole)
    listed_copies = {
        (*partition, kind, node)
        for partition, lists in listing.items()
        for kind, name in (("move", "adding"), ("remove", "removing"))
        for node in lists.get(name, [])
    }
    assert listed_copies == {one for one in ours if one[2] != "log_dir_move"}
    for (topic, number, kind, _), row in ours.items():
        if kind != "log_dir_move":
            replicas = listing[topic, number]["replicas"]
            assert sorted(row["original_replicas"] + row["adding_replicas"]) == sorted(replicas)
    assert listing.keys() == {("archive", 0), ("clickstream", 0)}
    assert [one for one in ours if one[2] == "log_dir_move"] == [("folders", 0, "log_dir_move", 1)]


def test_every_broker_sums_up_its_copies(whole: Surveyed) -> None:
    wanted = wanted_brokers({one: {**row, **NO_PROGRESS} for one, row in wanted_backlog(whole.said).items()})
    assert differences(whole.of("reassignment_backlog_by_broker"), wanted) == []
    assert wanted.keys() == {1, 2, 3}
    for row in whole.rows["reassignment_backlog_by_broker"]:
        assert row["previous_census_id"] is None
        for way in ("in", "out"):
            reason = f"{row[f'replicas_{way}']} of {row[f'replicas_{way}']} have no ETA"
            assert (row[f"eta_{way}_reason"] or "").startswith(reason if row[f"replicas_{way}"] else "")
            assert (row[f"eta_{way}_reason"] is None) == (row[f"replicas_{way}"] == 0)
