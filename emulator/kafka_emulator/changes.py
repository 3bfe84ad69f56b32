"""Fault actions that change the cluster: the world, the versions of its brokers, and which brokers listen."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from kafka_emulator.fault_actions import DowngradeSection, EventSection, FaultAction, MoveSection, RestartSection
from kafka_emulator.features import Speaks
from kafka_emulator.topics import GROUPS_TOPIC, TRANSACTIONS_TOPIC
from kafka_emulator.world import World

Hung = set[int]
"""The brokers that close their connections by an action."""


class Brokers(Protocol):
    """What an action changes: the world, and how its brokers listen and speak."""

    world: World
    speaks: dict[int, Speaks]

    def stop(self, broker: int) -> None:
        """Close a broker's connections and its listeners."""

    def listen_again(self, broker: int) -> None:
        """Have a stopped broker listen again."""

    def hang_up(self, broker: int) -> None:
        """Close a broker's connections."""

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Do something after so many seconds."""


def change(server: Brokers, action: FaultAction, asked: int) -> Hung:
    """Carry out an action. `asked` is the broker that received the request with the fault."""
    return FAULT_ACTIONS[action.name](server, getattr(action, action.name), asked)


async def run_events(server: Brokers, events: tuple[EventSection, ...]) -> None:
    """Carry out events, each at its time."""
    clock = asyncio.get_running_loop().time
    began = clock()
    for event in sorted(events, key=lambda one: one.after_ms):
        await asyncio.sleep(began + event.after_ms / 1000 - clock())
        change(server, event.do, -1)


def _stop(server: Brokers, broker: int, _asked: int) -> Hung:
    server.world.stop(broker)
    server.stop(broker)
    return {broker}


def _start(server: Brokers, broker: int, _asked: int) -> Hung:
    server.world.start(broker)
    server.listen_again(broker)
    return set()


def _restart(server: Brokers, restart: RestartSection, asked: int) -> Hung:
    brokers = restart.brokers or (asked,)
    for broker in brokers:
        _stop(server, broker, asked)

    def back() -> None:
        for broker in brokers:
            _start(server, broker, asked)

    server.later(restart.down_ms / 1000, back)
    return set(brokers)


def _downgrade(server: Brokers, downgrade: DowngradeSection, asked: int) -> Hung:
    brokers = downgrade.brokers or (asked,)
    for broker in brokers:
        before, draft = server.speaks[broker], downgrade.kip_1062
        version = downgrade.as_version or before.as_version
        server.speaks[broker] = replace(before, as_version=version, kip_1062=draft, kip_637=draft)
        server.hang_up(broker)
    return set(brokers)


def _move(server: Brokers, move: MoveSection, _asked: int) -> Hung:
    name = GROUPS_TOPIC if move.of == "groups" else TRANSACTIONS_TOPIC
    server.world.move_coordinators(name, move.partitions, move.to)
    return set()


def _of_world(name: str) -> Callable[[Brokers, Any, int], Hung]:
    """An action that is a method of the world."""

    def do(server: Brokers, what: Any, _asked: int) -> Hung:
        getattr(server.world, name)(what)
        return set()

    return do


FAULT_ACTIONS: dict[str, Callable[[Brokers, Any, int], Hung]] = {
    "stop": _stop,
    "start": _start,
    "restart": _restart,
    "downgrade": _downgrade,
    "move_coordinators": _move,
    "delete_topics": _of_world("delete_topics"),
    "create_topics": _of_world("create_topics"),
    "delete_groups": _of_world("delete_groups"),
    "create_groups": _of_world("create_groups"),
}
