"""brokers, log_dir_usage, configs and config_drift, beside the Java AdminClient's nodes, log dirs and configs."""

from collections import Counter
from operator import itemgetter
from statistics import mean
from typing import Any

import pytest

from trouble.conftest import Row, Surveyed
from trouble.test_partitions import SOURCES, differences, key

BY_NATURE = {
    *("advertised.host.name", "advertised.listeners", "advertised.port", "broker.id", "broker.rack", "host.name"),
    *("listeners", "log.dir", "log.dirs", "metadata.log.dir", "node.id", "port", "process.roles"),
}
"""Configs in which brokers always differ."""

TIDYING_BYTES = 10_000
"""More than the growth of internal topics between a census and the oracle; topics with data have megabytes."""

Config = tuple[str, str, str]
"""Type and name of a resource, and the config's name."""


def ratio(part: float, whole: float) -> Any:
    return pytest.approx(part / whole) if whole else None


def wanted_brokers(said: dict[str, list[Row]]) -> dict[int, dict[str, Any]]:
    """The columns of brokers, by node. A replica is offline when its broker is: all log dirs of the others are read."""
    (controller,) = {row["leader_id"] for row in said["quorum"]}
    listeners = configs(said)
    wanted: dict[int, dict[str, Any]] = {}
    for node in said["node"]:
        alive = not node["is_fenced"]
        wanted[node["node_id"]] = {
            "state": "alive" if alive else "fenced",
            "host": node["host"],
            "rack": node["rack"],
            "release_at_least": "4.4" if alive else None,
            "features": _features(said["feature"], node["node_id"]),
            "is_controller": node["node_id"] == controller,
            "controller_reason": None,
            "counts_reason": None,
            **_counts(said["partition"], node["node_id"], alive),
        }
        if alive:
            # Our client uses the listener for clients, the oracle that for admins: their ports differ.
            ends = listeners["broker", str(node["node_id"]), "advertised.listeners"]["value"].split(",")
            (wanted[node["node_id"]]["port"],) = [
                int(end.rpartition(":")[2]) for end in ends if end.startswith("PLAINTEXT:")
            ]
    alive_rows = [row for row in wanted.values() if row["state"] == "alive"]
    for name, counted in (("leader_skew", "leaders"), ("replica_skew", "replicas")):
        middle = mean(row[counted] for row in alive_rows)
        for row in wanted.values():
            row[name] = ratio(row[counted], middle)
    return wanted


def _features(reported: list[Row], node: int) -> list[dict[str, Any]]:
    columns = ("feature", "min_version", "max_version", "finalized_version")
    mine = ({name: row[name] for name in columns} for row in reported if row["node_id"] == node)
    return sorted(mine, key=itemgetter("feature"))


def _counts(partitions: list[Row], node: int, alive: bool) -> dict[str, Any]:
    mine = [row for row in partitions if node in row["replicas"]]
    preferred = [row for row in mine if row["replicas"][0] == node]
    elsewhere = [row for row in preferred if row["leader"] != node]
    return {
        "replicas": len(mine),
        "leaders": sum(row["leader"] == node for row in partitions),
        "preferred_leaders": len(preferred),
        "preferred_elsewhere": len(elsewhere),
        "preferred_imbalance": ratio(len(elsewhere), len(preferred)),
        "out_of_sync_replicas": sum(node not in row["isr"] for row in mine),
        "offline_replicas": 0 if alive else len(mine),
    }


def wanted_log_dirs(said: dict[str, list[Row]]) -> dict[tuple[int, str], dict[str, Any]]:
    """The columns of log_dir_usage, by node and dir, for the dirs that the Java client could read, all online.

    Bytes are approximate: Kafka writes to internal topics now and then, records of a hundred bytes.
    """
    leaders = {key(row): row["leader"] for row in said["partition"]}
    wanted: dict[tuple[int, str], dict[str, Any]] = {}
    for volume in said["volume"]:
        node, log_dir = volume["node_id"], volume["log_dir"]
        here = [row for row in said["log_dir"] if (row["node_id"], row.get("log_dir")) == (node, log_dir)]
        current = [row for row in here if not row["is_future"]]
        led = [row for row in current if leaders[key(row)] == node]
        future = [row for row in here if row["is_future"]]
        wanted[node, log_dir] = {
            "state": "online",
            "reason": None,
            "total_bytes": volume["total_bytes"],
            # Other processes change the disk's usage between the two answers.
            "usable_bytes": pytest.approx(volume["usable_bytes"], rel=0.2),
            "is_cordoned": volume["is_cordoned"],
            "leader_reason": None,
            **{
                column: value
                for kind, rows in (("replica", current), ("leader", led), ("future", future))
                for column, value in (
                    ("replicas" if kind == "replica" else f"{kind}_replicas", len(rows)),
                    (f"{kind}_bytes", pytest.approx(sum(row["size"] for row in rows), abs=TIDYING_BYTES)),
                )
            },
        }
    return wanted


def configs(said: dict[str, list[Row]]) -> dict[Config, Row]:
    return {(row["resource_type"], row["resource_name"], row["name"]): row for row in said["config_entry"]}


def is_set(row: Row) -> bool:
    """Whether a value is a topic's own, or a broker's other than Kafka's default."""
    if row["resource_type"] == "topic":
        return bool(row["source"] == "DYNAMIC_TOPIC_CONFIG")
    return bool(row["source"] not in ("DEFAULT_CONFIG", "UNKNOWN"))


def _drift(row: Row, expected: str | None) -> dict[str, Any]:
    """The columns of config_drift, in a first census; a sensitive value is told by nobody."""
    is_hidden = row["is_sensitive"]
    return {
        "value": None if is_hidden else row["value"],
        "expected": None if is_hidden else expected,
        "source": SOURCES[row["source"]],
        "is_sensitive": is_hidden,
        "previous_census_id": None,
    }


def wanted_not_default(said: dict[str, list[Row]]) -> dict[Config, dict[str, Any]]:
    """The set values with their defaults: for a broker Kafka's own, for a topic that of the other topics."""
    reported = configs(said)
    shown: dict[str, set[str]] = {}
    for (kind, _, name), row in reported.items():
        if kind == "topic" and not is_set(row):
            shown.setdefault(name, set()).add(row["value"])
    wanted = {}
    for (kind, resource, name), row in reported.items():
        if is_set(row):
            ones = shown.get(name, set())
            expected = row["default_value"] if kind == "broker" else min(ones) if len(ones) == 1 else None
            wanted[kind, resource, name] = _drift(row, expected)
    return wanted


def wanted_between_brokers(said: dict[str, list[Row]]) -> dict[Config, dict[str, Any]]:
    """The brokers whose value of a config is not the majority's; all brokers without a majority."""
    by_name: dict[str, dict[str, Row]] = {}
    for (kind, resource, name), row in configs(said).items():
        if kind == "broker" and not row["is_sensitive"] and name not in BY_NATURE:
            by_name.setdefault(name, {})[resource] = row
    wanted = {}
    for name, of_broker in by_name.items():
        (most, count), *others = Counter(row["value"] for row in of_broker.values()).most_common()
        if not others:
            continue
        expected = most if count > others[0][1] else None
        for resource, row in of_broker.items():
            if expected is None or row["value"] != expected:
                wanted["broker", resource, name] = _drift(row, expected)
    return wanted


def wanted_configs(said: dict[str, list[Row]]) -> dict[Config, dict[str, Any]]:
    """Every config that the Java client is told; of a topic, one that is not set is the answering broker's."""
    return {
        one: {
            "value": None if row["is_sensitive"] else row["value"],
            "source": SOURCES[row["source"]],
            "is_default": row["source"] == "DEFAULT_CONFIG",
            "is_sensitive": row["is_sensitive"],
            "reason": None,
            **({"default_value": row["default_value"]} if one[0] == "broker" and not row["is_sensitive"] else {}),
        }
        for one, row in configs(said).items()
    }


def drift_of(surveyed: Surveyed, kind: str) -> dict[Config, Row]:
    return {one[1:]: row for one, row in surveyed.of("config_drift").items() if one[0] == kind}


def test_every_broker_is_as_the_java_client_lists_it(whole: Surveyed) -> None:
    wanted = wanted_brokers(whole.said)
    assert differences(whole.of("brokers"), wanted) == []
    assert {node: row["rack"] for node, row in wanted.items()} == {1: "rack-1", 2: "rack-0", 3: "rack-1"}
    assert {row["features_reason"] for row in whole.rows["brokers"]} == {None}
    levels = {one["feature"]: one["finalized_version"] for one in wanted[1]["features"]}
    assert (levels["metadata.version"], levels["kraft.version"]) == (33, None)
    assert sum(row["preferred_elsewhere"] for row in wanted.values()) > 0
    assert sum(row["out_of_sync_replicas"] for row in wanted.values()) == 2


def test_every_log_dir_holds_what_the_java_client_says(whole: Surveyed) -> None:
    wanted = wanted_log_dirs(whole.said)
    got = whole.of("log_dir_usage")
    assert differences(got, wanted) == []
    assert Counter(node for node, _ in wanted) == {1: 2, 2: 2, 3: 2}
    assert sum(row["future_replicas"] for row in wanted.values()) == 1
    listed = Counter(key(row) for row in whole.said["log_dir"] if "topic" in row)
    replicas = sum(len(row["replicas"]) for row in whole.said["partition"])
    assert sum(row["replicas"] for row in got.values()) == replicas == listed.total() - 1


def test_every_config_is_what_the_java_client_is_told(whole: Surveyed) -> None:
    wanted, got = wanted_configs(whole.said), whole.of("configs")
    assert differences(got, wanted) == []
    assert {row["source"] for row in wanted.values()} == set(SOURCES.values())
    assert {row["answered_by"] for one, row in got.items() if one[0] == "broker"} == {1, 2, 3}
    assert len(wanted) > 3 * 300 + 20 * len({one[1] for one in wanted if one[0] == "topic"})


def test_every_value_that_is_set_is_a_row_and_sensitive_values_are_nowhere(whole: Surveyed) -> None:
    wanted = wanted_not_default(whole.said)
    got = drift_of(whole, "not_default")
    assert differences(got, wanted) == []
    assert {row["source"] for row in wanted.values()} == {"topic", "dynamic_broker", "dynamic_default", "static"}
    assert ("topic", "payments", "retention.ms") in wanted
    assert wanted["topic", "payments", "retention.ms"]["expected"] == "1000000000"
    for row in got.values():
        assert ("sensitive" in row["reason"]) == row["is_sensitive"]
        if row["expected"] is not None:
            assert ("something else" in row["reason"]) == (row["value"] != row["expected"])
    hidden = {one: row for one, row in got.items() if row["is_sensitive"]}
    assert hidden.keys() == {one for one, row in configs(whole.said).items() if row["is_sensitive"] and is_set(row)}
    assert {name for _, _, name in hidden} == {"super.users", "listener.name.sasl.plain.sasl.jaas.config"}
    assert {(row["value"], row["expected"]) for row in hidden.values()} == {(None, None)}
    told = [row for row in whole.rows["configs"] if row["is_sensitive"]]
    assert {(row["value"], row["default_value"]) for row in told} == {(None, None)}
    assert len(told) > len(hidden)


def test_the_odd_broker_out_is_named(whole: Surveyed) -> None:
    """Broker 2's own log.cleaner.backoff.ms differs from that of the other two; ports and folders are no drift.

    A first census that read everything has no other drift.
    """
    wanted = wanted_between_brokers(whole.said)
    got = drift_of(whole, "between_brokers")
    assert differences(got, wanted) == []
    assert {one: row["reason"] for one, row in got.items()} == {
        ("broker", "2", "log.cleaner.backoff.ms"): "of 3 brokers 2 have 500, 1 have 600"
    }
    assert {row["kind"] for row in whole.rows["config_drift"]} == {"not_default", "between_brokers"}
