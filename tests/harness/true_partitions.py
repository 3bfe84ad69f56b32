"""The true rows of tables about partitions for an emulated world: minimum ISR, moves, and brokers of moves.

Written from the data dictionary. A column with a sentence is `True` where a sentence is required.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness.known_world import LIKE_4_3, KnownWorld, Row, TopicPartition, leader_of, uuid_text
from harness.true_groups import lags
from harness.true_transactions import moment
from kafka_emulator.replicas import Partition

WORST_FIRST = ("OFFLINE", "UNDER", "AT", "UNDER_REPLICATED", "UNKNOWN", "OK")
COMMITTERS = {
    "groups_unable_to_commit": "__consumer_offsets",
    "transactional_ids_unable_to_commit": "__transaction_state",
}


def under_min_isr_partitions(known: KnownWorld) -> Iterator[Row]:
    """A row per partition. With KIP-637 any broker reports the minimum, so that it is unknown which broker did."""
    hashed = {
        "groups_unable_to_commit": Counter(known.world.groups.partition_of(one.group_id) for one in known.groups),
        "transactional_ids_unable_to_commit": Counter(
            known.world.transactions.partition_of(one.transactional_id) for one in known.transactions
        ),
    }
    for (name, index), state in known.states.items():
        topic = known.by_name[name]
        raw, factor, in_sync = known.world.topics.min_isr(topic), len(state.replicas), len(state.isr)
        effective, led = min(raw, factor), leader_of(state) is not None
        missing = max(0, factor - len(state.adding) - in_sync)
        ready = led and in_sync >= effective
        status = _status(led, in_sync, effective, missing)
        yield {
            "topic": name,
            "partition": index,
            "topic_id": uuid_text(topic.topic_id),
            "is_internal": name.startswith("__"),
            "status": status,
            "reason": status != "OK",
            "leader_id": leader_of(state),
            "replicas": state.replicas,
            "isr": state.isr,
            "eligible_leader_replicas": state.elr,
            "last_known_elr": state.last_known_elr,
            "elr_known": True,
            "offline_replicas": state.offline,
            "adding_replicas": state.adding,
            "removing_replicas": state.removing,
            "replication_factor": factor,
            "target_replication_factor": factor - len(state.removing),
            "min_isr_raw": raw,
            "min_isr_source": "metadata",
            "min_isr_broker_id": True,
            # The rule of the next leader is unknown.
            "min_isr_effective": effective if led or factor >= raw else None,
            "min_isr_effective_source": "metadata" if factor >= raw else "replication_factor" if led else "unknown",
            "isr_size": in_sync,
            "missing_replicas": missing,
            "at_min_isr": led and in_sync == effective,
            "under_by_raw_rule": not led or in_sync < raw,
            "available": led,
            "ready_for_acks_all": ready,
            "error_code": 0,
            **{
                column: (0 if ready else hashed[column][index]) if name == internal else None
                for column, internal in COMMITTERS.items()
            },
            **{f"{column}_reason": False for column in COMMITTERS},
        }


def _status(led: bool, in_sync: int, effective: int, missing: int) -> str:
    if not led:
        return "OFFLINE"
    if in_sync < effective:
        return "UNDER"
    if missing:
        return "AT" if in_sync == effective else "UNDER_REPLICATED"
    return "OK"


def topic_readiness(known: KnownWorld) -> Iterator[Row]:
    """A row per topic, from the true rows of its partitions."""
    of_topic: dict[str, list[Row]] = {}
    for row in under_min_isr_partitions(known):
        of_topic.setdefault(row["topic"], []).append(row)
    for rows in of_topic.values():
        first, ready = rows[0], sum(row["ready_for_acks_all"] for row in rows)
        statuses = Counter(row["status"] for row in rows)
        worst = next(status for status in WORST_FIRST if statuses[status])
        alike = ("topic", "topic_id", "is_internal", "min_isr_raw", "min_isr_source", "error_code")
        yield {
            **{column: first[column] for column in alike},
            "status": worst,
            "reason": worst != "OK",
            "partitions": len(rows),
            "available_partitions": sum(row["available"] for row in rows),
            "ready_partitions": ready,
            "ready_reason": False,
            "ready_for_acks_all": ready == len(rows),
            **{f"{status.lower()}_partitions": statuses[status] for status in WORST_FIRST},
            "min_isr_differs": False,
            **{
                column: sum(row[column] for row in rows) if first["topic"] == internal else None
                for column, internal in COMMITTERS.items()
            },
            **{f"{column}_reason": False for column in COMMITTERS},
        }


def topics(known: KnownWorld) -> Iterator[Row]:
    """A row per topic; without a previous census no growth is known."""
    world = known.world
    readers: dict[str, set[str]] = {}
    for row in (row for rows in lags(known).values() for row in rows):
        readers.setdefault(row["topic"], set()).add(row["group_id"])
    for topic in known.topics:
        partitions = [(topic.name, index) for index in range(topic.partitions)]
        states = [known.states[one] for one in partitions]
        held = [known.held(one, broker) for one in partitions for broker in known.states[one].replicas]
        led = all(map(known.is_led, partitions))
        # An offline log dir may have any replica of its broker.
        is_whole = not any(world.offline_dirs(broker) for state in states for broker in state.replicas)
        told = [
            known.logs[one].max_timestamp
            for one in partitions
            if known.is_led(one) and known.logs[one].max_timestamp >= 0
        ]
        # A log with records, none of which bears a time, hides the newest one.
        timeless = any(known.logs[one].size and known.logs[one].max_timestamp < 0 for one in partitions)
        newest = max(told, default=None) if led and not timeless else None
        racks = [[world.brokers.rack(broker) for broker in state.replicas] for state in states]
        configs = {one.name: one.value for one in world.configs.of_topic(topic.configs, 1, LIKE_4_3)}
        groups = tuple(sorted(readers.get(topic.name, ())))
        yield {
            "topic": topic.name,
            "topic_id": uuid_text(topic.topic_id),
            "is_internal": topic.name.startswith("__"),
            "partitions": topic.partitions,
            "reason": False,
            "replication_factor": min(len(state.replicas) for state in states),
            "leader_bytes": sum(known.logs[one].size for one in partitions) if led else None,
            "leader_bytes_reason": not led,
            "replica_bytes": sum(size or 0 for size in held) if is_whole else None,
            "replica_bytes_reason": not is_whole,
            "growth_bytes": None,
            "growth_reason": True,
            "growth_since": None,
            "previous_census_id": False,
            "cleanup_policy": configs["cleanup.policy"],
            "retention_ms": int(configs["retention.ms"] or 0),
            "retention_bytes": int(configs["retention.bytes"] or 0),
            "config_reason": False,
            "groups": len(groups),
            "group_ids": groups,
            "groups_reason": False,
            "last_written_at": None if newest is None else moment(newest),
            "last_written_reason": newest is None,
            "last_written_at_least": moment(max(told)) if told else None,
            "racks": tuple(sorted({rack for each in racks for rack in each if rack})),
            "replicas_sharing_rack": sum(len(each) - len(set(each)) for each in racks),
            "racks_reason": False,
        }


def reassignment_backlog(known: KnownWorld) -> Iterator[Row]:
    """A row per replica that is added, removed or moved between log dirs; in the first census no row has a rate."""
    for partition, state in known.states.items():
        yield from (_move(known, partition, state, broker) for broker in state.adding)
        yield from (_removal(known, partition, state, broker) for broker in state.removing)
    yield from (_log_dir_move(known, *future) for future in known.futures)


def _move(known: KnownWorld, partition: TopicPartition, state: Partition, broker: int) -> Row:
    """The row of an added replica; nothing is known of a replica in an offline log dir."""
    size, held, leader = known.logs[partition].size, known.held(partition, broker), leader_of(state)
    left = 0 if broker in state.isr else None if held is None else size - held
    source = _throttle(known, partition, "leader", state.leader)
    target = _throttle(known, partition, "follower", broker)
    return {
        **_copied(known, partition, state, "move", broker),
        "source_id": leader,
        **_bytes(size, left, held),
        "eta_seconds": 0 if broker in state.isr else None,
        "eta_reason": broker not in state.isr,
        **_throttles(source, target),
    }


def _removal(known: KnownWorld, partition: TopicPartition, state: Partition, broker: int) -> Row:
    """The row of a removed replica; nothing is copied, so that it has no expected end."""
    no_end = {"eta_seconds": None, "eta_reason": False}
    of_copies = {"source_id": None, **_bytes(0, 0, 0), **_throttles(None, None), **no_end}
    return {**_copied(known, partition, state, "remove", broker), **of_copies}


def _log_dir_move(known: KnownWorld, partition: TopicPartition, broker: int, into: str) -> Row:
    """The row of a move between log dirs; in the emulator half of the replica is copied."""
    size = known.logs[partition].size
    rate = _rates(known, broker).get("replica.alter.log.dirs.io.max.bytes.per.second")
    return {
        **_copied(known, partition, known.states[partition], "log_dir_move", broker),
        "source_id": broker,
        "future_log_dir": into,
        **_bytes(size, size - size // 2, size // 2),
        "eta_seconds": None,
        "eta_reason": True,
        **_throttles(None, rate),
    }


def _copied(known: KnownWorld, partition: TopicPartition, state: Partition, kind: str, broker: int) -> Row:
    """The columns of every kind of row."""
    return {
        "topic": partition[0],
        "partition": partition[1],
        "topic_id": uuid_text(known.by_name[partition[0]].topic_id),
        "kind": kind,
        "replica_id": broker,
        "log_dir": known.log_dir(partition, broker),
        "future_log_dir": None,
        "original_replicas": tuple(one for one in state.replicas if one not in state.adding),
        "target_replicas": tuple(one for one in state.replicas if one not in state.removing),
        "adding_replicas": state.adding,
        "removing_replicas": state.removing,
        "in_isr": broker in state.isr,
        "adding_in_isr": len(set(state.adding) & set(state.isr)),
        "adding_total": len(state.adding),
        "bytes_per_second": None,
        "stalled": None,
        "previous_census_id": False,
    }


def _bytes(total: int, left: int | None, copied: int | None) -> Row:
    return {
        "copied_bytes": copied,
        "bytes_total": total,
        "bytes_done": None if left is None else total - left,
        "bytes_left": left,
        "bytes_left_reason": left is None,
    }


def _throttles(source: int | None, target: int | None) -> Row:
    return {
        "throttle_bytes_per_second": min((one for one in (source, target) if one is not None), default=None),
        "source_throttle_bytes_per_second": source,
        "source_throttle_reason": False,
        "target_throttle_bytes_per_second": target,
        "target_throttle_reason": False,
    }


def _rates(known: KnownWorld, broker: int) -> dict[str, int]:
    """The throttles that are set dynamically on a broker."""
    configs = known.world.declared.brokers.dynamic_configs_of.get(broker, {})
    return {name: int(value) for name, value in configs.items() if value.isdecimal()}


def _throttle(known: KnownWorld, partition: TopicPartition, role: str, broker: int) -> int | None:
    """The rate at which a broker sends or takes this partition; None where its replica is not listed."""
    listed = known.by_name[partition[0]].configs.get(f"{role}.replication.throttled.replicas", "").split(",")
    is_listed = not {"*", f"{partition[1]}:{broker}"}.isdisjoint(listed)
    return _rates(known, broker).get(f"{role}.replication.throttled.rate") if is_listed else None


def reassignment_backlog_by_broker(known: KnownWorld) -> Iterator[Row]:
    """A row per broker that takes part in a move."""
    rows = list(reassignment_backlog(known))
    for broker in known.world.brokers.ids:
        here = [row for row in rows if row["replica_id"] == broker]
        taken = [row for row in here if row["kind"] != "remove"]
        given = [row for row in rows if row["kind"] == "move" and row["source_id"] == broker]
        if not here and not given:
            continue
        between = [row for row in taken if row["kind"] == "log_dir_move"]
        moved = [row for row in taken if row["kind"] == "move"]
        yield {
            "broker_id": broker,
            **_one_way("in", taken),
            **_one_way("out", given),
            "log_dir_moves": len(between),
            "replicas_removed": len(here) - len(taken),
            "previous_census_id": False,
            "leader_throttle_bytes_per_second": _highest(given, "source"),
            "follower_throttle_bytes_per_second": _highest(moved, "target"),
            "log_dir_throttle_bytes_per_second": _highest(between, "target"),
            "throttle_reason": False,
        }


def _one_way(way: str, rows: list[Row]) -> dict[str, Any]:
    """The columns of one direction. In a first census only completed moves have an end; none counts as stalled."""
    known = [row["bytes_left"] for row in rows if row["bytes_left"] is not None]
    endless = sum(row["eta_seconds"] is None for row in rows)
    return {
        f"replicas_{way}": len(rows),
        f"unknown_{way}": len(rows) - len(known),
        f"bytes_left_{way}": sum(known) if known or not rows else None,
        f"bytes_per_second_{way}": None,
        f"eta_seconds_{way}": 0 if rows and not endless else None,
        f"eta_{way}_reason": endless > 0,
        f"stalled_{way}": None if rows else 0,
    }


def _highest(rows: list[Row], end: str) -> int | None:
    rates = (row[f"{end}_throttle_bytes_per_second"] for row in rows)
    return max((rate for rate in rates if rate is not None), default=None)
