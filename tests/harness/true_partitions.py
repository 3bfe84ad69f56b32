"""The true rows of tables about partitions for an emulated world: minimum ISR, and moves.

Written from the data dictionary. A column with a sentence is `True` where a sentence is required.
"""

from collections import Counter
from collections.abc import Iterator

from harness.known_world import KnownWorld, Row, TopicPartition, leader_of, uuid_text
from kafka_emulator.replicas import Partition

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
