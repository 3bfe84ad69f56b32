"""What is so of the partitions of an emulated world: whether they take writes, and what moves."""

from collections import Counter
from collections.abc import Iterator

from harness.known_world import KnownWorld, Row, TopicPartition, leader_of
from kafka_emulator.replicas import Partition

COMMITTERS = {
    "groups_unable_to_commit": "__consumer_offsets",
    "transactional_ids_unable_to_commit": "__transaction_state",
}


def under_min_isr_partitions(known: KnownWorld) -> Iterator[Row]:
    world = known.world
    hashed = {
        "groups_unable_to_commit": Counter(world.groups.partition_of(one.group_id) for one in known.groups),
        "transactional_ids_unable_to_commit": Counter(
            world.transactions.partition_of(one.transactional_id) for one in known.transactions
        ),
    }
    for (name, index), state in known.states.items():
        raw, factor, in_sync = world.topics.min_isr(known.by_name[name]), len(state.replicas), len(state.isr)
        effective, led = min(raw, factor), leader_of(state) is not None
        missing = max(0, factor - len(state.adding) - in_sync)
        ready = led and in_sync >= effective
        under_replicated = "AT" if in_sync == effective else "UNDER_REPLICATED"
        yield {
            "topic": name,
            "partition": index,
            "status": "OFFLINE" if not led else "UNDER" if not ready else under_replicated if missing else "OK",
            "leader_id": leader_of(state),
            "replicas": state.replicas,
            "isr": state.isr,
            "eligible_leader_replicas": state.elr,
            "last_known_elr": state.last_known_elr,
            "offline_replicas": state.offline,
            # The rule of the next leader is unknown.
            "min_isr_effective": effective if led or factor >= raw else None,
            "missing_replicas": missing,
            "ready_for_acks_all": ready,
            **{
                column: (0 if ready else hashed[column][index]) if name == internal else None
                for column, internal in COMMITTERS.items()
            },
        }


def reassignment_backlog(known: KnownWorld) -> Iterator[Row]:
    """A row per replica that is added, removed or moved between log dirs."""
    for partition, state in known.states.items():
        yield from (_move(known, partition, state, broker) for broker in state.adding)
        for broker in state.removing:
            yield _copied(known, partition, "remove", broker) | {"bytes_total": 0, "bytes_left": 0}
    for partition, broker, into in known.futures:
        size = known.logs[partition].size
        yield {
            **_copied(known, partition, "log_dir_move", broker),
            "future_log_dir": into,
            "bytes_total": size,
            # In the emulator half of the replica is copied.
            "bytes_left": size - size // 2,
            "target_throttle_bytes_per_second": _rates(known, broker).get(
                "replica.alter.log.dirs.io.max.bytes.per.second"
            ),
        }


def _move(known: KnownWorld, partition: TopicPartition, state: Partition, broker: int) -> Row:
    """The row of an added replica; nothing is known of a replica in an offline log dir."""
    size, held = known.logs[partition].size, known.held(partition, broker)
    return {
        **_copied(known, partition, "move", broker),
        "bytes_total": size,
        "bytes_left": 0 if broker in state.isr else None if held is None else size - held,
        "source_throttle_bytes_per_second": _throttle(known, partition, "leader", state.leader),
        "target_throttle_bytes_per_second": _throttle(known, partition, "follower", broker),
    }


def _copied(known: KnownWorld, partition: TopicPartition, kind: str, broker: int) -> Row:
    state = known.states[partition]
    return {
        "topic": partition[0],
        "partition": partition[1],
        "kind": kind,
        "replica_id": broker,
        "log_dir": known.log_dir(partition, broker),
        "original_replicas": tuple(one for one in state.replicas if one not in state.adding),
        "target_replicas": tuple(one for one in state.replicas if one not in state.removing),
        "in_isr": broker in state.isr,
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
