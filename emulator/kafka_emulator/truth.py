"""The true state of the cluster over time: the event log against which a census can be checked.

One JSON line per fact: kind, key, value, valid_from, valid_to (UTC; null while it holds). When a fact ends, a second
line with the same kind, key and valid_from has the time: the last such line counts. Kinds: broker, topic, partition
("topic/index"), group, transactional_id.

    facts = read("truth.jsonl")
    must = throughout(facts, "group", begin, end)   # what a census of that time must contain
    may = sometime(facts, "group", begin, end)      # what it may contain; nothing else
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from kafka_emulator.groups import Shape
from kafka_emulator.replicas import Partition
from kafka_emulator.world import World

Key = tuple[str, str]
Value = dict[str, Any]


@dataclass(frozen=True)
class Fact:
    """A value that held from one moment to another; `valid_to` is None while it holds."""

    kind: str
    key: str
    value: Value
    valid_from: datetime
    valid_to: datetime | None


class Truth:
    """The log of one run: `changed` is called after every change, and writes the facts that ended and began."""

    def __init__(self, out: TextIO, world: World, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Write the facts at the beginning."""
        self._out, self._world, self._now = out, world, now
        self._held: dict[Key, tuple[Value, datetime]] = {}
        self.changed(None)

    def changed(self, things: Iterable[Key] | None) -> None:
        """Compare these objects with their last facts; None: all objects, which takes seconds for a million."""
        now = self._now()
        if things is None:
            others = (key for key in _keys(self._world) if key not in self._held)
            things = chain(list(self._held), others)
        for key in things:
            self._compare(key, now)
        self._out.flush()

    def _compare(self, key: Key, now: datetime) -> None:
        held, value = self._held.get(key), _VALUES[key[0]](self._world, key[1])
        if held is not None and held[0] == value:
            return
        if held is not None:
            self._write(key, *self._held.pop(key), now)
        if value is not None:
            self._held[key] = value, now
            self._write(key, value, now, None)

    def _write(self, key: Key, value: Value, since: datetime, until: datetime | None) -> None:
        fact = {"kind": key[0], "key": key[1], "value": value, "valid_from": since.isoformat()}
        self._out.write(json.dumps(fact | {"valid_to": until and until.isoformat()}) + "\n")


def _keys(world: World) -> Iterator[Key]:
    """The kind and key of every object."""
    yield from (("broker", str(broker)) for broker in world.brokers.ids)
    yield from (("topic", name) for name in world.topics.names)
    yield from (("partition", f"{topic.name}/{index}") for topic, index in world.topics.every_partition())
    yield from (("group", group_id) for group_id in world.groups.names)
    yield from (("transactional_id", transactional_id) for transactional_id in world.transactions.names)


def _broker(world: World, key: str) -> Value:
    broker = int(key)
    return {"alive": broker in world.brokers.alive, "fenced": broker in world.brokers.fenced}


def _topic(world: World, name: str) -> Value | None:
    topic = world.topics.get(name)
    return None if topic is None else {"topic_id": str(topic.topic_id), "partitions": topic.partitions}


def _partition(world: World, key: str) -> Value | None:
    name, _, index = key.rpartition("/")
    topic = world.topics.get(name)
    if topic is None or int(index) >= topic.partitions:
        return None
    return _of_state(world.topics.partition(topic, int(index)))


def _group(world: World, group_id: str) -> Value | None:
    group = world.groups.get(group_id)
    return None if group is None else _of_shape(group.shape, world.group_coordinator(group_id))


def _transactional_id(world: World, transactional_id: str) -> Value | None:
    one, coordinator = world.transactions.get(transactional_id), world.transaction_coordinator(transactional_id)
    return None if one is None else {"producer_id": one.producer_id, "state": one.state, "coordinator": coordinator}


@lru_cache
def _of_state(state: Partition) -> Value:
    """The value of a partition, one object for all equal states; lists, as in JSON."""
    lists = {name: list(getattr(state, name)) for name in ("replicas", "isr", "elr", "adding", "removing")}
    return {"leader": state.leader, "leader_epoch": state.leader_epoch, **lists}


@lru_cache
def _of_shape(shape: Shape, coordinator: int) -> Value:
    """The value of a group, one object for all equal groups."""
    return {"type": shape.type, "state": shape.state, "coordinator": coordinator}


_VALUES: dict[str, Callable[[World, str], Value | None]] = {  # None: it does not exist
    "broker": _broker,
    "topic": _topic,
    "partition": _partition,
    "group": _group,
    "transactional_id": _transactional_id,
}


def read(path: str | Path) -> list[Fact]:
    """The facts of a log, each once."""
    facts: dict[tuple[str, str, str], Fact] = {}
    with Path(path).open(encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            ended = line["valid_to"] and datetime.fromisoformat(line["valid_to"])
            began = datetime.fromisoformat(line["valid_from"])
            fact = Fact(line["kind"], line["key"], line["value"], began, ended or None)
            facts[line["kind"], line["key"], line["valid_from"]] = fact
    return list(facts.values())


def throughout(facts: Iterable[Fact], kind: str, begin: datetime, end: datetime) -> dict[str, Value]:
    """The values that held without change from `begin` to `end`, by key."""
    return {
        fact.key: fact.value
        for fact in facts
        if fact.kind == kind and fact.valid_from <= begin and (fact.valid_to is None or fact.valid_to >= end)
    }


def sometime(facts: Iterable[Fact], kind: str, begin: datetime, end: datetime) -> dict[str, list[Value]]:
    """Every value that held at some time from `begin` to `end`: the values of each key, in their order."""
    found: dict[str, list[Value]] = {}
    for fact in facts:
        if fact.kind == kind and fact.valid_from <= end and (fact.valid_to is None or fact.valid_to >= begin):
            found.setdefault(fact.key, []).append(fact.value)
    return found
