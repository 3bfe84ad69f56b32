"""topics and partitions, beside the Java AdminClient's partitions, log dirs, configs, groups, racks and offsets."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from trouble.conftest import Row, Surveyed
from trouble.test_brokers import TIDYING_BYTES, configs
from trouble.test_lag import readers, wanted_lag
from trouble.test_partitions import differences, key
from trouble.test_transactions import milliseconds

CONFIGS = {"cleanup_policy": "cleanup.policy", "retention_ms": "retention.ms", "retention_bytes": "retention.bytes"}


def by_topic(rows: list[Row]) -> dict[str, list[Row]]:
    """Rows of partitions, by topic; a log dir without partitions has no topic."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if "topic" in row:
            found.setdefault(row["topic"], []).append(row)
    return found


def wanted_topics(said: Mapping[str, list[Row]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A topic and its columns of topics. Bytes are approximate: Kafka writes to its own topics."""
    racks = {row["node_id"]: row["rack"] for row in said["node"]}
    alive, reported = set(said["cluster"][0]["nodes"]), configs(dict(said))
    sizes, newest = by_topic(said["log_dir"]), by_topic(said["max_timestamp"])
    for topic, partitions in by_topic(said["partition"]).items():
        leaders = {key(row): row["leader"] for row in partitions}
        held = [row for row in sizes.get(topic, []) if not row["is_future"]]
        led = [row["size"] for row in held if leaders[key(row)] == row["node_id"]]
        is_led = None not in leaders.values()
        of_replicas = [[racks[node] for node in row["replicas"]] for row in partitions]
        is_whole = all(node in alive for row in partitions for node in row["replicas"])
        stamps = [row["timestamp"] for row in newest[topic] if row.get("timestamp") is not None]
        values = {column: reported["topic", topic, name]["value"] for column, name in CONFIGS.items()}
        yield (
            topic,
            {
                "topic_id": partitions[0]["topic_id"],
                "is_internal": partitions[0]["is_internal"],
                "partitions": len(partitions),
                "reason": None,
                "replication_factor": min(len(row["replicas"]) for row in partitions),
                "leader_bytes": pytest.approx(sum(led), abs=TIDYING_BYTES) if is_led else None,
                "replica_bytes": pytest.approx(sum(row["size"] for row in held), abs=TIDYING_BYTES)
                if is_whole
                else None,
                "cleanup_policy": values["cleanup_policy"],
                "retention_ms": int(values["retention_ms"]),
                "retention_bytes": int(values["retention_bytes"]),
                "config_reason": None,
                # Kafka writes to its own topics at any time.
                **({} if topic.startswith("__") else {"last_written_ms": max(stamps) if is_led and stamps else None}),
                "racks": sorted({rack for each in of_replicas for rack in each}),
                "replicas_sharing_rack": sum(len(each) - len(set(each)) for each in of_replicas),
                "racks_reason": None,
            },
        )


def topics_of(surveyed: Surveyed) -> dict[str, Row]:
    return {
        topic: {**row, "last_written_ms": row["last_written_at"] and milliseconds(row["last_written_at"])}
        for topic, row in surveyed.of("topics").items()
    }


def wanted_partitions(said: Mapping[str, list[Row]]) -> dict[tuple[str, int], dict[str, Any]]:
    """The columns of partitions, by topic and partition; null where a broker is down. Bytes are approximate."""
    racks = {row["node_id"]: row["rack"] for row in said["node"]}
    alive = set(said["cluster"][0]["nodes"])
    ends = [{key(row): row["offset"] for row in said[kind] if "offset" in row} for kind in ("earliest", "latest")]
    held: dict[tuple[str, int], list[Row]] = {}
    for row in said["log_dir"]:
        if "topic" in row and not row["is_future"]:
            held.setdefault(key(row), []).append(row)
    wanted = {}
    for row in said["partition"]:
        one, replicas = key(row), row["replicas"]
        dirs = sorted(held.get(one, []), key=lambda row: row["node_id"])
        sizes = {each["node_id"]: each["size"] for each in dirs}
        led, whole = sizes.get(row["leader"]), sum(sizes.values()) if alive >= set(replicas) else None
        of_replicas = [racks[node] for node in replicas]
        wanted[one] = {
            "topic_id": row["topic_id"],
            "leader_id": row["leader"],
            "replicas": replicas,
            "is_preferred_leader": row["leader"] == replicas[0],
            "dirs": [(each["node_id"], each["log_dir"]) for each in dirs],
            "leader_bytes": None if led is None else pytest.approx(led, abs=TIDYING_BYTES),
            "replica_bytes": None if whole is None else pytest.approx(whole, abs=TIDYING_BYTES),
            "racks": of_replicas,
            "replicas_sharing_rack": len(replicas) - len(set(of_replicas)),
            "racks_reason": None,
            # Kafka writes to its own topics at any time.
            **({} if row["is_internal"] else {"start_offset": ends[0].get(one), "end_offset": ends[1].get(one)}),
        }
    return wanted


def partitions_of(surveyed: Surveyed) -> dict[Any, Row]:
    return {
        one: {**row, "dirs": [(each["broker_id"], each["log_dir"]) for each in row["log_dirs"]]}
        for one, row in surveyed.of("partitions").items()
    }


def test_every_partition_is_what_the_java_client_says_of_it(whole: Surveyed) -> None:
    rows, wanted = partitions_of(whole), wanted_partitions(whole.said)
    assert differences(rows, wanted) == []
    assert {row["is_preferred_leader"] for row in wanted.values()} == {True, False}
    assert {len(row["dirs"]) for row in wanted.values()} >= {1, 3}
    assert max(row["start_offset"] for row in wanted.values() if "start_offset" in row) > 0
    assert {(row["records_per_second"], row["records_per_second_reason"]) for row in rows.values()} == {
        (None, "no previous census to compare with")
    }


def test_every_topic_is_what_the_java_client_says_of_it(whole: Surveyed) -> None:
    rows, wanted = topics_of(whole), dict(wanted_topics(whole.said))
    assert differences(rows, wanted) == []
    assert {row["cleanup_policy"] for row in wanted.values()} >= {"compact", "delete"}
    assert wanted["payments"]["retention_ms"] == 86_400_000
    assert {row.get("last_written_ms") is None for row in wanted.values()} == {True, False}
    assert {row["replicas_sharing_rack"] for row in wanted.values()} >= {0, 3}
    assert all((row["last_written_at"] is None) == (row["last_written_reason"] is not None) for row in rows.values())
    # Its readers: groups with an offset or a partition of it; an offset of an earlier topic of its name does not count.
    having, readers_of = readers(whole.said), {topic: set[str]() for topic in rows}
    for one, row in wanted_lag(whole.said):
        group, topic, _ = one
        if row["topic_state"] == "exists" or one in having:
            readers_of[topic].add(group)
    assert {topic: set(row["group_ids"]) for topic, row in rows.items()} == readers_of
    assert {row["groups_reason"] for row in rows.values()} == {None}
    assert "late" not in readers_of["again"]
    assert {len(groups) > 1 for groups in readers_of.values()} == {True, False}
