"""What brokers of a calm emulated world answer, as rows of published tables, and the differences of those published.

These tables are joined from the pages of many requests, of which a large world has more than a real cluster: none of
their rows may be lost, doubled or mixed with another. So they are told by their keys and by columns that brokers
answer. What is concluded from these is held against real brokers by tests/trouble, and case by case in tests/spark.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from harness.known_world import KnownWorld, Row
from kafka_census.declarations.table import Table
from kafka_census.tables.all_tables import TABLES
from kafka_emulator.log_dirs import path
from kafka_emulator.replicas import NO_LEADER

SHOWN = 3
"""The number of differences that a message shows."""

Rows = Mapping[tuple[Any, ...], Row]


def group_coordinator_placement(known: KnownWorld) -> Iterator[Row]:
    for group in known.groups:
        coordinator = known.world.group_coordinator(group.group_id)
        answered = {"listed_by": (coordinator,), "found_coordinator": coordinator}
        yield {"group_id": group.group_id, "group_state": group.shape.state, **answered}


def deletable_groups(known: KnownWorld) -> Iterator[Row]:
    return ({"group_id": group.group_id, "members": group.members} for group in known.groups)


def consumer_lag(known: KnownWorld) -> Iterator[Row]:
    """Each partition with a committed offset of a group, or assigned to its members.

    A share group whose partition has no leader does not tell its offset.
    """
    for group in known.groups:
        offsets = {(one.topic.name, one.partition): one.offset for one in known.world.offsets(group)[:]}
        # Assignments are reported of a classic group only while it is stable and of consumers.
        stable = group.shape.state == "Stable" and group.shape.protocol_type == "consumer"
        members = known.world.members(group) if stable or group.shape.type != "classic" else ()
        assigned = {(topic, at) for one in members for topic, indexes in one.assignment for at in indexes}
        for partition in offsets.keys() | assigned:
            is_told = group.shape.type != "share" or known.states[partition].leader != NO_LEADER
            key = {"group_id": group.group_id, "topic": partition[0], "partition": partition[1]}
            yield {**key, "committed_offset": offsets.get(partition) if is_told else None}


def under_min_isr_partitions(known: KnownWorld) -> Iterator[Row]:
    for (topic, partition), state in known.states.items():
        yield {
            "topic": topic,
            "partition": partition,
            "leader_id": None if state.leader == NO_LEADER else state.leader,
            "replicas": state.replicas,
            "isr": state.isr,
            "eligible_leader_replicas": state.elr,
            "last_known_elr": state.last_known_elr,
            "offline_replicas": state.offline,
        }


def partitions(known: KnownWorld) -> Iterator[Row]:
    """Only the leader tells the ends of a log and, of the same replica, the bytes."""
    logs = known.world.logs([(known.topics[topic], partition) for topic, partition in known.states])
    for ((topic, partition), state), log in zip(known.states.items(), logs, strict=True):
        is_led = state.leader != NO_LEADER
        told = {"leader_bytes": log.size, "start_offset": log.start, "end_offset": log.high_watermark}
        yield {
            "topic": topic,
            "partition": partition,
            "is_preferred_leader": state.leader == state.replicas[0],
            **{name: value if is_led else None for name, value in told.items()},
        }


def reassignment_backlog(known: KnownWorld) -> Iterator[Row]:
    """A row per replica that is added, removed, or moved to another log dir than that in which it is."""
    for (topic, partition), state in known.states.items():
        for kind, brokers in (("move", state.adding), ("remove", state.removing)):
            key = {"topic": topic, "partition": partition, "kind": kind}
            yield from ({**key, "replica_id": broker, "in_isr": broker in state.isr} for broker in brokers)
    for declared in known.world.declared.topics.declared:
        for one in declared.futures:
            at = known.world.topics.log_dir(known.topics[declared.name], one.partition, one.broker)
            if at != one.log_dir and one.broker in known.states[declared.name, one.partition].replicas:
                key = {"topic": declared.name, "partition": one.partition, "kind": "log_dir_move"}
                yield {**key, "replica_id": one.broker, "log_dir": path(at), "future_log_dir": path(one.log_dir)}


_TRUTHS: Mapping[str, Callable[[KnownWorld], Iterator[Row]]] = {
    told.__name__: told
    for told in (
        group_coordinator_placement,
        deletable_groups,
        consumer_lag,
        under_min_isr_partitions,
        partitions,
        reassignment_backlog,
    )
}
TRUE_TABLES = tuple(table for table in TABLES if table.name in _TRUTHS)


def true_rows(table: Table, known: KnownWorld) -> Rows:
    return published_rows(table, _TRUTHS[table.name](known))


def published_rows(table: Table, rows: Iterable[Row]) -> Rows:
    """Rows by key, lists as tuples; asserts that each key occurs once."""
    found: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = tuple(row[name] for name in table.key)
        assert key not in found, f"{table.name} has {key} twice"
        found[key] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return found


def differences(published: Rows, true: Rows) -> list[str]:
    """The differences, a line each, with their number in the first line; empty without differences."""
    found = [
        *(f"{key} is missing" for key in true.keys() - published.keys()),
        *(f"{key} is not so" for key in published.keys() - true.keys()),
    ]
    for key in published.keys() & true.keys():
        row, so = published[key], true[key]
        reported = [f"{name} {row[name]!r}, not {value!r}" for name, value in so.items() if row[name] != value]
        found += [f"{key}: {'; '.join(reported)}"] if reported else []
    return [f"{len(found)} of {len(true)} rows", *sorted(found)[:SHOWN]] if found else []
