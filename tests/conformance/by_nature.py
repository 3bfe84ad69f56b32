"""The values in which two clusters may differ, each with its reason; all other values must be the same.

A name is a column's, or `RPC.column` or `RPC/scope.column` where only that column may differ. For such a column the
presence of a value is still compared.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from kafka_emulator.config_keys import BROKER_KEYS, PAGINATION_LIMIT
from kafka_emulator.topics import INTERNAL
from kafka_messages.kip_1062 import MIN_INSYNC_REPLICAS, PAGINATION

BY_NATURE: Mapping[str, str] = {
    "cluster_id": "a cluster's own",
    "port": "free ports",
    "controller_id": "a broker that is alive, drawn for each answer",
    "controller": "a broker that is alive, drawn for each answer",
    "topic_id": "drawn when a topic is made",
    "log_dir": "a path of the machine",
    "total_bytes": "the machine's disk",
    "usable_bytes": "the machine's disk",
    "size": "bytes of batches, which the emulator does not have",
    "member_id": "drawn when a member joins",
    "process_id": "drawn when a member joins",
    "client_host": "members of the emulator live elsewhere",
    "finalized_epoch": "how much has happened",
    "group_epoch": "how often a group has changed",
    "assignment_epoch": "how often a group has changed",
    "member_epoch": "how often a group has changed",
    "producer_id": "drawn when a producer begins",
    "producer_epoch": "how often a producer has begun",
    "last_sequence": "how many records a producer has sent",
    "last_timestamp": "the clock",
    "ListOffsets/max_timestamp.timestamp": "the clock",
    "ListOffsets/max_timestamp.offset": "of records of one millisecond the first is the newest",
    "ListOffsets/max_timestamp.leader_epoch": "that of the record's batch, which the emulator does not keep",
    "transaction_start_time_ms": "the clock",
    "start_offset": "moves on lazily behind what a share group has read",
    "DescribeQuorum.leader_id": "an election's result",
    "DescribeQuorum.leader_epoch": "how many elections there were",
    "DescribeQuorum.high_watermark": "how much has happened",
    "log_end_offset": "how much has happened",
    "last_fetch_ms": "the clock",
    "last_caught_up_ms": "the clock",
}
"""Columns whose values differ between clusters."""

LEFT_OUT: Mapping[str, str] = {
    "min_insync_replicas": "KIP-637's, which no Kafka tells",
    "replica_directory_id": "the real quorum is a static one, whose voters have none",
}
"""Columns that only one of the clusters reports."""

OF_INTERNAL_TOPICS: Mapping[str, str] = {
    "offset": "how many records the brokers have written for themselves",
}
"""The same for Kafka's own topics only."""

OF_NO_INTERNAL_TOPIC: Mapping[str, str] = {
    "ListOffsets/max_timestamp.offset": "whether the brokers have written anything there for themselves",
    "ListOffsets/max_timestamp.timestamp": "whether the brokers have written anything there for themselves",
    "ListOffsets/max_timestamp.leader_epoch": "whether the brokers have written anything there for themselves",
}
"""Columns that are not compared for Kafka's own topics."""

OF_THE_MACHINE = frozenset({"listeners", "advertised.listeners", "log.dirs"})
"""Configs of a broker with ports and paths."""

BROKER_CONFIGS = frozenset(key.name for key in BROKER_KEYS) - OF_THE_MACHINE
"""The compared configs, of a broker's 360: an emulated broker has only these."""

OF_THE_DRAFT = frozenset({PAGINATION_LIMIT})
"""Configs that no Kafka has: an emulated broker that pages reports them."""

FEATURES_OF_ONE = frozenset({PAGINATION, MIN_INSYNC_REPLICAS, "kraft.version"})
"""The features of the drafts, which no Kafka has; and one that is at level 0 where the quorum is static."""

IN_ORDER = "replicas"
"""The list with a meaningful order: the first replica is the preferred leader. All other lists have no order."""

Row = tuple[tuple[str, Any], ...]


def comparable(of: str, rows: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Rows of a walk (`RPC/scope`), or of a kind of another client, without values that differ by nature, sorted."""
    return sorted((_row(of, row) for row in rows if _is_compared(row)), key=repr)


def _is_compared(row: Mapping[str, Any]) -> bool:
    if row.get("feature") in FEATURES_OF_ONE:
        return False
    return (
        row.get("resource_type") != "broker" or row.get("name") is None or row["name"] in BROKER_CONFIGS - OF_THE_DRAFT
    )


def _row(of: str, row: Mapping[str, Any]) -> Row:
    rpc = of.partition("/")[0]
    own = {name for name in row if {name, f"{rpc}.{name}", f"{of}.{name}"} & BY_NATURE.keys()}
    own |= OF_INTERNAL_TOPICS.keys() if row.get("topic") in INTERNAL else set()
    out = {name for name in row if row.get("topic") in INTERNAL and f"{of}.{name}" in OF_NO_INTERNAL_TOPIC}
    return tuple(
        (name, (None if value is None else "known") if name in own else _value(name, value))
        for name, value in row.items()
        if name not in LEFT_OUT.keys() | out
    )


def _value(name: str, value: Any) -> Any:
    if not isinstance(value, list | tuple):
        return value
    reported = [_value(name, one) for one in value]
    return tuple(reported if name == IN_ORDER else sorted(reported, key=repr))
