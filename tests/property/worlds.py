"""Worlds drawn by Hypothesis: small clusters that have something of all that pages, and how they change.

A run is the scenario sections of one cluster at successive moments: topics, groups, members, offsets, transactions,
reassignments, moves between dirs and ACLs come and go. What stays keeps its ids: a topic that is not there at a
moment is declared and deleted, and so is a group. Broker 1 leads and coordinates everything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st

from kafka_emulator import declared
from kafka_emulator.config_keys import PAGINATION_LIMIT, PARTITION_LIMIT
from kafka_emulator.topics import GROUPS_TOPIC, TRANSACTIONS_TOPIC
from kafka_emulator.world import World
from property.walks import Kind, PagedWalk

T = TypeVar("T")

FEW = settings(max_examples=max(1, settings().max_examples // 20))
"""For laws of which each of 14 RPCs has its own examples."""

LIMITS = st.integers(1, 12)

# Hypothesis checks a strategy when it is first drawn from, which takes longer than the draw. So each is made once.
_integers = cache(st.integers)
_TYPES = st.sampled_from(("classic", "consumer"))

BEYOND = "\U00010400"
"""Above U+FFFF, and so before U+FF5E in UTF-16, but behind it by code points and in UTF-8."""

GROUPS = ("", "a", "a0", BEYOND, "\uff5e", "denied", "\u00e9")
TRANSACTIONS = ("a", "b", BEYOND, "\uff5e", "denied", "z", "zz")
TOPICS = ("A", "a", "a.b", "a_b", "denied")
"""Topics cannot have other names."""

MOST_PARTITIONS = 4
SHARED_PRODUCER_ID = 2**40
"""Of several transactional ids at once, none of which has an open transaction: then the id is what orders them."""

_NAMES = ("", "a", BEYOND, "\uff5e")
_PARTITIONS = tuple((topic, index) for topic in ("a", "a.b") for index in range(3))
_OPEN_IN = (("a", 0), ("a", 1), ("A", 0))
_ACLS = tuple((name, kind, of) for name in _NAMES for kind in ("TOPIC", "GROUP") for of in ("LITERAL", "PREFIXED"))
_KINDS = ("TOPIC", "GROUP", "TRANSACTIONAL_ID", "CLUSTER")
_SECURITY = [
    *({"resource_type": kind, "resource_name": "*", "operation": "ALL"} for kind in _KINDS),
    *({"resource_type": kind, "resource_name": "denied", "operation": "ALL", "permission": "DENY"} for kind in _KINDS),
]

KEYS: dict[Kind, tuple[str, ...]] = {
    "group": (*GROUPS, "never"),
    "transaction": (*TRANSACTIONS, "never"),
    "topic": (*TOPICS, "never"),
    "partition": tuple(f"{topic}/{index}" for topic in (*TOPICS, "never") for index in range(MOST_PARTITIONS + 1)),
}
"""All that may be asked for by name, some of which is never there."""


@cache
def keys_of(walk: PagedWalk) -> st.SearchStrategy[list[str]]:
    """Some of what a walk may ask for, in any order; nothing where it asks for everything."""
    every = KEYS[walk.keys] if walk.keys else ()
    return st.lists(st.sampled_from(every), unique=True, min_size=1) if every else st.just([])


@dataclass(frozen=True)
class Moment:
    """A cluster at one moment: its scenario sections, and what of them is not there."""

    sections: dict[str, Any]
    absent_topics: frozenset[str] = frozenset()
    absent_groups: frozenset[str] = frozenset()

    def world(self) -> World:
        """The cluster; made anew, since a world may be changed."""
        world = World(declared.World.model_validate(self.sections))
        world.delete_topics(self.absent_topics)
        world.delete_groups(self.absent_groups)
        for name in (GROUPS_TOPIC, TRANSACTIONS_TOPIC):
            world.move_coordinators(name, None, 1)
        return world


def moments(limit: int | None = None) -> st.SearchStrategy[Moment]:
    """Single clusters; `limit`: what their brokers say is their own, and one more for the partitions of KIP-966."""
    return runs(1, limit).map(lambda run: run[0])


@st.composite
def runs(draw: st.DrawFn, count: int, limit: int | None = None) -> tuple[Moment, ...]:
    types = {group: draw(_TYPES) for group in GROUPS}
    sizes = {topic: draw(_integers(1, MOST_PARTITIONS)) for topic in TOPICS}
    configs = {} if limit is None else {PAGINATION_LIMIT: str(limit), PARTITION_LIMIT: str(limit + 1)}
    found = []
    for _ in range(count):
        sizes = {topic: draw(_integers(size, MOST_PARTITIONS)) for topic, size in sizes.items()}
        topics, groups = draw(_some(TOPICS)), draw(_some(GROUPS))
        sections = {
            "brokers": {"count": 2, "log_dirs": 3, "configs": configs},
            "topics": {"partitions": 0, "declared": [draw(_topic(name, size)) for name, size in sizes.items()]},
            "groups": {
                "count": 0,
                "offsets_partitions": 2,
                "declared": [draw(_group(name, kind)) for name, kind in types.items()],
            },
            "transactions": {"count": 0, "partitions": 2, "declared": draw(_transactions())},
            "security": {"super_users": [], "acls": [*_SECURITY, *draw(_acls())]},
        }
        found.append(Moment(sections, frozenset(TOPICS) - set(topics), frozenset(GROUPS) - set(groups)))
    return tuple(found)


@cache
def _some(of: Sequence[T]) -> st.SearchStrategy[list[T]]:
    """Most of these, by two numbers: a draw for each would take longer than the walks. It shrinks towards all."""
    bits = _integers(0, 2 ** len(of) - 1)
    return st.builds(lambda one, other: [item for bit, item in enumerate(of) if not one & other & 1 << bit], bits, bits)


@cache
@st.composite
def _topic(draw: st.DrawFn, name: str, size: int) -> dict[str, Any]:
    moving, between_dirs = draw(_some(range(size))), draw(_some(range(size)))
    return {
        "name": name,
        "assignment": [[1]] * size,
        "states": [{"partition": index, "adding": [2]} for index in moving],
        "futures": [{"partition": index, "broker": 1, "log_dir": (index + 1) % 3} for index in between_dirs],
        "producers": draw(_integers(0, 2)),
    }


@cache
@st.composite
def _group(draw: st.DrawFn, name: str, kind: str) -> dict[str, Any]:
    return {
        "id": name,
        "type": kind,
        "members": draw(_integers(0, 4)),
        "topics": ["a"],
        "offsets": [{"topic": topic, "partition": index, "offset": 5} for topic, index in draw(_some(_PARTITIONS))],
    }


@cache
@st.composite
def _transactions(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Of one id there is always something, so that coordinators have a topic."""
    found = []
    open_ones = draw(_some(TRANSACTIONS))
    for number, name in enumerate([*draw(_some(TRANSACTIONS[:-1])), TRANSACTIONS[-1]]):
        open_in = draw(_some(_OPEN_IN)) if name in open_ones else []
        producer_id = 1000 * draw(_integers(0, 3)) + number if open_in else SHARED_PRODUCER_ID
        state = "Ongoing" if open_in else "Empty"
        found.append({"id": name, "producer_id": producer_id, "state": state, "partitions": open_in})
    return found


@cache
@st.composite
def _acls(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Of others than who asks: these deny and allow nothing here."""
    return [
        {"principal": principal, "resource_name": name, "resource_type": kind, "pattern_type": pattern}
        for principal in ("User:x", "User:y")
        for name, kind, pattern in draw(_some(_ACLS))
    ]
