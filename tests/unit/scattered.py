"""An emulated cluster in which keys are located: each of three brokers knows its own keys, and pages or does not."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from emulator import asking
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.paging.page import Page
from kafka_emulator import declared
from kafka_emulator.features import Speaks
from kafka_emulator.handlers import HANDLERS
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.topics import GROUPS_TOPIC, TRANSACTIONS_TOPIC
from kafka_emulator.world import World
from property.staged import Staged
from property.walks import PAGED_WALKS, PagedWalk
from property.worlds import Moment

NODES = (1, 2, 3)
NEVER = 10**6
LOCATED = [walk for walk in PAGED_WALKS if walk_named(walk.of.name, walk.of.scope).located]
"""The RPCs of KIP-1062 whose keys are located."""

KEYS = {
    "group": ("c", "gone", "b", "d", "a"),
    "partition": ("c/3", "c/1", "c/0", "b/0", "a/1", "a/0"),
    "transaction": ("gone", "d", "c", "b", "a2", "a"),
}
"""Some that have much and one that has nothing, of groups and transactions one that is not there, in no order."""


def keys_of(walk: PagedWalk) -> tuple[str, ...]:
    return KEYS[str(walk.keys)]


@dataclass(frozen=True)
class Placed(Moment):
    """The cluster while each key is at a broker."""

    at: tuple[tuple[str, int], ...] = ()

    def world(self) -> World:
        """What decides where a group or a transactional id is, is the leader of one partition."""
        world = super().world()
        for key, node in self.at:
            world.move_coordinators(GROUPS_TOPIC, [world.groups.partition_of(key)], node)
            world.move_coordinators(TRANSACTIONS_TOPIC, [world.transactions.partition_of(key)], node)
        return world


def placed(walk: PagedWalk, *nodes: int) -> Placed:
    """The keys of a walk are at these brokers by turns."""
    at = {key: nodes[number % len(nodes)] for number, key in enumerate(keys_of(walk))}
    if walk.keys == "partition":
        return Placed(_sections(walk, at))
    return Placed(_sections(walk, {}), at=tuple(at.items()))


def _sections(walk: PagedWalk, leaders: dict[str, int]) -> dict[str, Any]:
    """What the cluster has. Groups are of the type that the RPC describes; each partition has a replica."""
    kind = "consumer" if walk.rpc == "ConsumerGroupDescribe" else "classic"
    offsets = [{"topic": topic, "partition": index, "offset": 5} for topic, index in (("a", 0), ("a", 1), ("c", 3))]
    held = {"a": (3, offsets), "b": (0, []), "c": (3, offsets[1:]), "d": (1, offsets[:1])}
    groups = [
        {"id": name, "type": kind, "members": members, "topics": ["a"], "offsets": committed}
        for name, (members, committed) in held.items()
    ]
    topics = [
        {
            "name": name,
            "assignment": [[leaders.get(f"{name}/{index}", 1)] for index in range(size)],
            "producers": producers,
        }
        for name, size, producers in (("a", 2, 3), ("b", 1, 0), ("c", 4, 2))
    ]
    open_in = {"a": [("a", 0)], "b": [("a", 0), ("c", 1)], "c": [("c", 1)], "a2": [], "d": []}
    producer_ids = {"a": 9, "b": 8, "c": 7, "a2": 1, "d": 2**40}
    transactions = [
        {"id": name, "producer_id": producer_ids[name], "state": "Ongoing" if at else "Empty", "partitions": at}
        for name, at in open_in.items()
    ]
    found = {"groups": {"count": 0, "declared": groups}, "transactions": {"count": 0, "declared": transactions}}
    return {"brokers": {"count": len(NODES)}, "topics": {"partitions": 0, "declared": topics}, **found}


@dataclass
class Scattered:
    """The brokers, and the walk that is made at them."""

    walked: PagedWalk
    brokers: Staged

    def walk(self, home: int = 1, limit: int = 2, **chain: Any) -> list[Page]:
        return self.brokers.walk(self.walked, limit, keys_of(self.walked), broker=home, **chain)


@contextmanager
def scattered(
    walk: PagedWalk,
    *nodes: int,
    paging: tuple[int, ...] = (),
    move_after: int = NEVER,
    asked_by: str = "",
    handlers: tuple[Handler, ...] = HANDLERS,
) -> Iterator[Scattered]:
    """Brokers of which those of `paging` have the feature; the keys are at these nodes by turns.

    move_after  after how many requests all keys are at broker 2
    asked_by    the API of these requests; by default that of the walk
    """
    empty = World(declared.World.model_validate({"brokers": {"count": len(NODES)}}))
    speaks = {node: Speaks(kip_1062=node in paging, kip_637=False) for node in NODES}
    server = Staged(empty, speaks, handlers=handlers)
    with asking.serving(server):
        later = [placed(walk, 2)] if move_after != NEVER else []
        server.stage(placed(walk, *nodes), *later, api=asked_by or walk.rpc, turns=[move_after] * len(later))
        yield Scattered(walk, server)
    assert server.failure is None
