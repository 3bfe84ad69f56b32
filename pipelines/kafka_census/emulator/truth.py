"""What was so, and when: the event log that a census can be held against.

One JSON line a fact: kind, key, value, valid_from, valid_to (UTC; null while it holds). When a fact ends, a second
line with the same kind, key and valid_from says when: the last such line counts. Kinds: broker, topic, partition
("topic/index"), group, transactional_id.

    facts = read("truth.jsonl")
    must = throughout(facts, "group", begin, end)   # what a census of that time must hold
    may = sometime(facts, "group", begin, end)      # what it may hold; nothing else
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from kafka_census.emulator.world import World

Key = tuple[str, str]
Value = dict[str, Any]


@dataclass(frozen=True)
class Fact:
    """Something that was so from one moment to another; `valid_to` None: it still is."""

    kind: str
    key: str
    value: Value
    valid_from: datetime
    valid_to: datetime | None


class Truth:
    """The log of one run: `changed` is told after every change, and writes what has ended and what has begun."""

    def __init__(self, out: TextIO, world: World, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """What is so at the beginning is written at once."""
        self._out, self._world, self._now = out, world, now
        self._held: dict[Key, tuple[Value, datetime]] = {}
        self.changed()

    def changed(self) -> None:
        """Compare what is so with what was."""
        now, current = self._now(), dict(_facts(self._world))
        for key, (value, since) in list(self._held.items()):
            if current.get(key) != value:
                self._write(key, value, since, now)
                del self._held[key]
        for key, value in current.items():
            if key not in self._held:
                self._held[key] = value, now
                self._write(key, value, now, None)
        self._out.flush()

    def _write(self, key: Key, value: Value, since: datetime, until: datetime | None) -> None:
        fact = {"kind": key[0], "key": key[1], "value": value, "valid_from": since.isoformat()}
        self._out.write(json.dumps(fact | {"valid_to": until and until.isoformat()}) + "\n")


def _facts(world: World) -> Iterator[tuple[Key, Value]]:
    for broker in world.brokers.ids:
        yield (
            ("broker", str(broker)),
            {"alive": broker in world.brokers.alive, "fenced": broker in world.brokers.fenced},
        )
    for name in world.topics.names:
        topic = world.topics.get(name)
        if topic is not None:
            yield ("topic", name), {"topic_id": str(topic.topic_id), "partitions": topic.partitions}
    for topic, index in world.topics.places():
        state = world.topics.partition(topic, index)
        told = ("leader", "leader_epoch", "replicas", "isr", "elr", "adding", "removing")
        yield ("partition", f"{topic.name}/{index}"), {name: _plain(getattr(state, name)) for name in told}
    for group_id, ordinal in zip(world.groups.names, world.groups.names.ordinals.tolist(), strict=True):
        shape = world.groups.by_ordinal(ordinal).shape
        told_of = {"type": shape.type, "state": shape.state, "coordinator": world.group_coordinator(group_id)}
        yield ("group", group_id), told_of
    for transactional_id in world.transactions.names:
        one = world.transactions.get(transactional_id)
        coordinator = world.transaction_coordinator(transactional_id)
        if one is not None:
            held = {"producer_id": one.producer_id, "state": one.state, "coordinator": coordinator}
            yield ("transactional_id", transactional_id), held


def _plain(value: Any) -> Any:
    """As JSON has it, so that what was written compares with what is."""
    return list(value) if isinstance(value, tuple) else value


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
    """What was so, and the same, all the time from `begin` to `end`: by key."""
    return {
        fact.key: fact.value
        for fact in facts
        if fact.kind == kind and fact.valid_from <= begin and (fact.valid_to is None or fact.valid_to >= end)
    }


def sometime(facts: Iterable[Fact], kind: str, begin: datetime, end: datetime) -> dict[str, list[Value]]:
    """Everything that was so at some time from `begin` to `end`: the values of each key, in their order."""
    found: dict[str, list[Value]] = {}
    for fact in facts:
        if fact.kind == kind and fact.valid_from <= end and (fact.valid_to is None or fact.valid_to >= begin):
            found.setdefault(fact.key, []).append(fact.value)
    return found
