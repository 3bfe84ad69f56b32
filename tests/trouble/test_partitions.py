"""under_min_isr_partitions and topic_readiness, compared with the Java AdminClient's partitions, configs and moves.

Also compared with kafka-topics, whose --under-min-isr-partitions has another rule than the brokers.
"""

import re
from collections import Counter
from typing import Any

from harness.oracle import command_line
from trouble.conftest import Row, Surveyed

SOURCES = {
    "DYNAMIC_TOPIC_CONFIG": "topic",
    "DYNAMIC_BROKER_CONFIG": "dynamic_broker",
    "DYNAMIC_DEFAULT_BROKER_CONFIG": "dynamic_default",
    "STATIC_BROKER_CONFIG": "static",
    "DEFAULT_CONFIG": "default",
}
"""Our name for each ConfigSource of the Java client."""

COUNTED_IN = {
    "__consumer_offsets": "groups_unable_to_commit",
    "__transaction_state": "transactional_ids_unable_to_commit",
}
"""The internal topics whose partitions show what cannot commit, and the column."""


def key(row: Row) -> tuple[str, int]:
    return row["topic"], row["partition"]


def wanted_partitions(said: dict[str, list[Row]]) -> dict[tuple[str, int], dict[str, Any]]:
    """The columns of under_min_isr_partitions, by topic and partition, from the Java client's answers alone."""
    configs = {(row["resource_type"], row["resource_name"]): row for row in said["config"]}
    moves = {key(row): row for row in said["reassignment"]}
    alive = set(said["cluster"][0]["nodes"])
    return {key(row): _wanted(row, configs, moves.get(key(row), {}), alive) for row in said["partition"]}


def _wanted(row: Row, configs: dict[tuple[str, str], Row], move: Row, alive: set[int]) -> dict[str, Any]:
    """The columns of one partition. A topic without its own min.insync.replicas has its leader's, as in brokers."""
    leader, replicas, isr = row["leader"], row["replicas"], row["isr"]
    config = configs["topic", row["topic"]]
    of_topic = config["source"] == "DYNAMIC_TOPIC_CONFIG"
    if not of_topic and leader is not None:
        config = configs["broker", str(leader)]
    raw, source = int(config["value"]), SOURCES[config["source"]]
    adding, removing = move.get("adding_replicas", []), move.get("removing_replicas", [])
    least = min(raw, len(replicas))
    missing = max(len(set(replicas) - set(adding)) - len(isr), 0)
    ready = leader is not None and len(isr) >= least
    # The rule of the next leader is unknown.
    undecided = leader is None and raw > len(replicas)
    wanted = {
        "topic_id": row["topic_id"],
        "is_internal": row["is_internal"],
        "status": status(leader, len(isr), least, missing),
        "leader_id": leader,
        "replicas": replicas,
        "isr": sorted(isr),
        "eligible_leader_replicas": sorted(row["elr"]),
        "last_known_elr": row["last_known_elr"],
        "elr_known": True,
        "offline_replicas": sorted(set(replicas) - alive),
        "adding_replicas": adding,
        "removing_replicas": removing,
        "replication_factor": len(replicas),
        "target_replication_factor": len(replicas) - len(removing),
        "min_isr_raw": raw,
        "min_isr_source": source,
        "min_isr_effective": None if undecided else least,
        "min_isr_effective_source": "unknown"
        if undecided
        else source
        if raw <= len(replicas)
        else "replication_factor",
        "isr_size": len(isr),
        "missing_replicas": missing,
        "at_min_isr": leader is not None and len(isr) == least,
        "under_by_raw_rule": leader is None or len(isr) < raw,
        "available": leader is not None,
        "ready_for_acks_all": ready,
        "error_code": 0,
        **dict.fromkeys(COUNTED_IN.values()),
    }
    if row["topic"] in COUNTED_IN and ready:
        wanted[COUNTED_IN[row["topic"]]] = 0
    if leader is not None or of_topic:
        # For a partition without a leader: the value of the broker that answered, which may be any.
        wanted["min_isr_broker_id"] = None if of_topic else leader
    return wanted


def status(leader: int | None, in_sync: int, least: int, missing: int) -> str:
    """The status by the table's documentation, implemented again."""
    if leader is None:
        return "OFFLINE"
    if in_sync < least:
        return "UNDER"
    if missing:
        return "AT" if in_sync == least else "UNDER_REPLICATED"
    return "OK"


def differences(got: dict[Any, Row], wanted: dict[Any, dict[str, Any]]) -> list[tuple[Any, ...]]:
    """(key, column, ours, theirs) of every wanted column that differs; a key of one side only is a difference, too."""
    found: list[tuple[Any, ...]] = [(one, "row", one in got, one in wanted) for one in got.keys() ^ wanted.keys()]
    for one in got.keys() & wanted.keys():
        ours = {name: got[one][name] for name in wanted[one]}
        found += [(one, name, ours[name], value) for name, value in wanted[one].items() if ours[name] != value]
    return sorted(found, key=str)


def partitions_of(surveyed: Surveyed) -> dict[tuple[str, int], Row]:
    """The published rows of under_min_isr_partitions; in-sync replicas have no order."""
    sets = ("isr", "eligible_leader_replicas", "offline_replicas")
    rows = surveyed.rows["under_min_isr_partitions"]
    return {key(row): {**row, **{name: sorted(row[name]) for name in sets}} for row in rows}


def test_every_partition_is_as_the_java_client_describes_it_and_every_topic_their_sum(whole: Surveyed) -> None:
    wanted = wanted_partitions(whole.said)
    assert differences(partitions_of(whole), wanted) == []
    assert Counter(row["min_isr_source"] for row in wanted.values()).keys() == {"topic", "dynamic_default"}
    assert {row["min_isr_raw"] for row in wanted.values()} == {1, 2, 3}
    partitions = Counter(topic for topic, _ in wanted)
    assert {
        topic: (row["partitions"], row["ready_partitions"], row["status"])
        for topic, row in whole.of("topic_readiness").items()
    } == {topic: (number, number, "OK") for topic, number in partitions.items()}


def test_a_cluster_with_all_its_brokers_is_all_ok(whole: Surveyed) -> None:
    """Replicas that are being added are not missing, and a partition with all replicas at its minimum is not at risk.

    Kafka's own AtMinIsr counts such partitions: `payments`, with three of three in sync, is in both.
    """
    rows = partitions_of(whole).values()
    assert {(row["status"], row["reason"]) for row in rows} == {("OK", None)}
    moving = {key(row) for row in rows if row["isr_size"] < row["replication_factor"]}
    assert moving == {key(row) for row in whole.said["reassignment"]} == {("archive", 0), ("clickstream", 0)}
    assert {row["at_min_isr"] for row in rows if row["topic"] == "payments"} == {True}


def test_kafka_topics_lists_what_takes_every_write(whole: Surveyed) -> None:
    """kafka-topics is wrong, and our table has both: `under_by_raw_rule` is its rule, `status` the brokers'.

    `audit` has one replica and a minimum of 2. kafka-topics compares the ISR with the configured value. Brokers from
    3.7 on compare it with min(configured, replicas) (Partition.effectiveMinIsr), accept acks=all writes,
    and their UnderMinIsrPartitionCount is 0.
    """
    flags = ("--describe", "--under-min-isr-partitions")
    printed = command_line(whole.servers, "org.apache.kafka.tools.TopicCommand", *flags)
    under_by_kafka_topics = {
        (topic, int(number)) for topic, number in re.findall(r"Topic: (\S+)\s+Partition: (\d+)", printed)
    }
    rows = partitions_of(whole)
    assert under_by_kafka_topics == {one for one, row in rows.items() if row["under_by_raw_rule"]}
    assert under_by_kafka_topics == {("audit", 0), ("audit", 1), ("audit", 2)}
    assert {
        (rows[one]["min_isr_raw"], rows[one]["min_isr_effective"], rows[one]["status"], rows[one]["ready_for_acks_all"])
        for one in under_by_kafka_topics
    } == {(2, 1, "OK", True)}
    assert whole.of("topic_readiness")["audit"]["ready_for_acks_all"]
