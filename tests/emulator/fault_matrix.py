"""What becomes of each walk of a census under each fault: healed, refused, reported on its items, or short.

A cell is one chain of our own client at one broker of a small cluster that has this fault, once or from then on,
at the first page of the walk or at a later one. Its items are compared with those of the same walk on a calm day;
where the fault changes the cluster, with those before and after the change: what is in both must be there, and
nothing that is in neither. `emulator.fault_rules` says what is to become of each cell.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from emulator.asking import cluster, faults, serving, walk
from emulator.census import Item, census, items, key, missing_of
from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import WALKS
from kafka_census.kafka.error_codes import error_name
from kafka_census.kafka.paging.page import Page
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_emulator.changes import change
from kafka_emulator.fault_actions import FaultAction
from kafka_emulator.server import Server

GROUPS = 48
SECTIONS: dict[str, Any] = {
    "brokers": {"count": 3, "log_dirs": 2},
    "groups": {
        "count": GROUPS,
        "offsets_partitions": 3,
        "members_at_most": 3,
        # The first ones of each broker, all larger than a page.
        "declared": [
            {"id": f"{kind}-{number}", "type": kind, "members": 5, "topics": ["A"]}
            for kind in ("classic", "consumer")
            for number in (1, 2, 3)
        ],
    },
    "topics": {
        "partitions": 15,
        "partitions_per_topic": 3,
        "reassigning": 10,
        # Before the internal ones, which have no producers.
        "declared": [{"name": "A", "partitions": 3, "producers": 5}],
    },
    "transactions": {"count": 30, "partitions": 3},
    "security": {
        "generated_acls": 9,
        "quotas": [{"entity": {"user": "billing"}, "values": {"request_percentage": 5.0}}],
        "scram_users": [{"user": "billing", "mechanisms": {"SCRAM-SHA-256": 4096}}],
    },
}
ASKED = 1
"""The broker that is asked, and that misbehaves."""

COLLECT = CollectSettings(
    page_limit=2,
    page_limits={
        # Whole topics per page: a lost one leaves no hole in the partitions of any.
        "Metadata": 6,
        "DescribeTopicPartitions": 5,
        "DescribeLogDirs": 5,
        "ListGroups": 5,
    },
    retry_backoff_ms=2,
    retry_backoff_max_ms=8,
    max_attempts=4,
    request_timeout_ms=5_000,
    connect_timeout_ms=5_000,
    chain_deadline_ms=20_000,
)
PATIENT = replace(COLLECT, retry_backoff_ms=20, retry_backoff_max_ms=80, max_attempts=8)
"""Until a broker is back."""

IMPATIENT = replace(COLLECT, request_timeout_ms=250, connect_timeout_ms=1_000, max_attempts=8)
"""With what is late; on a busy machine more than one answer may be."""

LATE = FaultAction.model_validate({"delay_ms": 60_000})
"""By longer than any walk waits: the client hangs up first."""

AT_ONCE = 12
"""Cells that run at the same time where all they do is wait."""

LATER_PAGE = 1
NEEDS_PAGES = frozenset({"limit", "repeat_cursor", "lose_page", "double_page"})


OF_EACH_KIND = {
    ("Metadata", "names"): "a listing of any broker, by cursor",
    ("ListGroups", "groups"): "a listing of every broker, by cursor",
    ("DescribeAcls", "acls"): "a listing whose items are not cut",
    ("DescribeTopicPartitions", "topics"): "by the cursor that Kafka has, which numbers its items",
    ("ConsumerGroupDescribe", "groups"): "keys at coordinators, which a page may cut",
    ("DescribeTransactions", "transactional_ids"): "keys at coordinators, each asked for until it is told",
    ("DescribeProducers", "partitions"): "keys at leaders, which a page may cut",
    ("ListOffsets", "latest"): "keys at leaders, each asked for until it is told",
    ("DescribeConfigs", "brokers"): "one key that only its broker tells",
    ("FindCoordinator", "groups"): "keys at any broker, in windows",
    ("DescribeQuorum", "quorum"): "one answer, whole",
    ("ApiVersions", "features"): "the question that opens a connection",
}
"""A walk of each kind of paging and lookup."""


@dataclass(frozen=True, eq=False)
class Fault:
    """A row of the matrix: what is done, whether ever again, and with which timeouts the walk is taken."""

    name: str
    do: FaultAction
    always: bool = False
    collect: CollectSettings = COLLECT

    def __str__(self) -> str:
        return f"{self.name} *" if self.always else self.name


@dataclass(frozen=True)
class Cell:
    """A column of the matrix: a walk, the page that meets the fault, and whether the brokers page by KIP-1062."""

    walk: Walk
    page: int = 0
    kip_1062: bool = True

    def __str__(self) -> str:
        paging = "" if self.kip_1062 else " without KIP-1062"
        return f"{self.walk.rpc}/{self.walk.scope} page {self.page}{paging}"


def _faults(name: str, do: Any, collect: CollectSettings = COLLECT) -> Iterator[Fault]:
    action = FaultAction.model_validate(do)
    yield Fault(name, action, collect=collect)
    if not action.changes_the_cluster:
        # The last attempt tells no more than the second.
        yield Fault(name, action, always=True, collect=replace(collect, max_attempts=2))


FAULTS = (
    *_faults("drop", "drop"),
    *_faults("a short delay", {"delay_ms": 2}),
    *_faults("too late", LATE, IMPATIENT),
    *_faults("throttle", {"throttle_ms": 3}),
    *(fault for code in (6, 7, 14, 16, 29, 31, 42) for fault in _faults(f"error {code}", {"error": code})),
    *_faults("truncate", {"truncate": 3}),
    *_faults("no last byte", {"cut": 1}),
    *_faults("no body", {"cut": 2**30}),
    *_faults("oversize", {"oversize": 2**30}),
    *_faults("a lower limit", {"limit": 1}),
    *_faults("repeat_cursor", "repeat_cursor"),
    *_faults("lose_page", "lose_page"),
    *_faults("double_page", "double_page"),
    *_faults("restart", {"restart": {"down_ms": 20}}, PATIENT),
    *_faults("stop", {"stop": ASKED}),
    *_faults("no pages any more", {"downgrade": {}}),
    *_faults("downgrade to 2.8", {"downgrade": {"as_version": "2.8"}}),
    *_faults("move groups", {"move_coordinators": {"of": "groups", "to": 2}}),
    *_faults("move transactions", {"move_coordinators": {"of": "transactions", "to": 2}}),
    *_faults("delete_topics", {"delete_topics": ["topic-00001", "topic-00003"]}),
    *_faults("create_topics", {"create_topics": [{"name": "B", "partitions": 3}, {"name": "z", "partitions": 3}]}),
    *_faults("delete_groups", {"delete_groups": [f"group-{number:07d}" for number in range(0, GROUPS, 5)]}),
    *_faults("create_groups", {"create_groups": ["a", "group-0000001a", "z"]}),
)


def met(fault: Fault) -> list[Cell]:
    return [cell for cell in cells() if cell in paged_cells() or fault.do.name not in NEEDS_PAGES]


def outcomes(fault: Fault, chosen: Iterable[Cell]) -> dict[str, str]:
    some = list(chosen)
    with ThreadPoolExecutor(AT_ONCE if fault.do is LATE else 1) as pool:
        found = pool.map(lambda cell: outcome(cell, fault), some)
        return dict(zip(map(str, some), found, strict=True))


@cache
def cells() -> tuple[Cell, ...]:
    """At the first page, at a later one, and, where that is another way of asking, without KIP-1062."""
    first = [Cell(walk) for walk in WALKS]
    by_cursor = [cell for cell in first if calm(cell)[0].paging == "cursor"]
    plain = [replace(cell, kip_1062=False) for cell in by_cursor]
    return (
        *first,
        *(replace(cell, page=LATER_PAGE) for cell in by_cursor if len(calm(cell)) > LATER_PAGE + 1),
        *(cell for cell in plain if calm(cell)[0].paging != "cursor"),
    )


@cache
def paged_cells() -> frozenset[Cell]:
    """Those of walks that take several pages by cursor."""
    several = {cell.walk for cell in cells() if cell.page}
    return frozenset(cell for cell in cells() if cell.kip_1062 and cell.walk in several)


def outcome(cell: Cell, fault: Fault) -> str:
    """Healed, refused with an error page, reported on items, refused by the gate's page chains, or short."""
    after = calm(cell, fault) if fault.do.changes_the_cluster else calm(cell)
    return judged(cell, disturbed(cell, fault), calm(cell), after)


def disturbed(
    cell: Cell, fault: Fault, collect: CollectSettings | None = None, *, later: int = 0, **chain: Any
) -> list[Page]:
    """The walk that meets a fault at the cell's page, or so many requests later."""
    api, paging = calm(cell)[0].api, calm(cell)[0].paging
    # Before it is asked by cursor, a broker is asked for its limit, by DescribeConfigs.
    limit = api == "DescribeConfigs" and paging == "cursor"
    # And a connection opens with the very question of the walk.
    opened = api == "ApiVersions"
    page = limit + opened + sum(one.attempts for one in calm(cell)[: cell.page]) + later
    declared = {"api": api, "broker": ASKED, "page": page, "always": fault.always, "do": fault.do}
    server = replace(_made(cell.kip_1062), faults=faults(declared))
    pages = _walked(server, cell, collect or fault.collect, **chain)
    assert server.faults.never_hit == ()
    return pages


@cache
def calm(cell: Cell, changed_by: Fault | None = None) -> list[Page]:
    """The undisturbed walk; of a cluster that was changed, at a broker that is there."""
    return undisturbed(cell, changed_by)


def undisturbed(cell: Cell, changed_by: Fault | None = None, **chain: Any) -> list[Page]:
    return _walked(_made(cell.kip_1062, changed_by), cell, chain.pop("collect", COLLECT), **chain)


def _made(kip_1062: bool, changed_by: Fault | None = None) -> Server:
    server = cluster(kip_1062=kip_1062, **SECTIONS)
    if changed_by is not None:
        change(server, changed_by.do, ASKED)
    return server


def _walked(server: Server, cell: Cell, collect: CollectSettings, **chain: Any) -> list[Page]:
    with serving(server):
        broker = ASKED if ASKED in server.world.brokers.alive else ASKED + 1
        name = cell.walk.rpc, cell.walk.scope
        pages = walk(server, *name, broker=broker, keys=keys(cell), collect=collect, **chain)
    assert server.failure is None
    return pages


def keys(cell: Cell) -> tuple[str, ...]:
    return _planned(cell.kip_1062)[cell.walk]


@cache
def _planned(kip_1062: bool) -> dict[Walk, tuple[str, ...]]:
    with serving(_made(kip_1062)) as server:
        taken = census(server, CollectSettings())
    return {one: taken.keys_at(one, ASKED) for one in WALKS}


def judged(cell: Cell, pages: list[Page], before: list[Page], after: list[Page]) -> str:
    """What became of a walk, by what was there before and after."""
    for one in missing_of(cell.walk, pages, keys(cell), (ASKED,) if cell.walk.asks_all_brokers else ()):
        return f"refused: {error_name(one.error_code)}" if one.error_code else f"gate: {one.kind}"
    texts = {_text(item): item for some in (pages, before, after) for item in items(cell.walk, some)}
    found, was, is_now = (Counter(map(_text, items(cell.walk, some))) for some in (pages, before, after))
    lacking = [texts[one] for one in (was & is_now) - found]
    foreign = [texts[one] for one in found - (was | is_now)]
    if not lacking and not foreign:
        return "healed"
    failed = {_key(cell, item) for item in foreign if item.get("error_code")}
    is_reported = all(item.get("error_code") for item in foreign) and {_key(cell, item) for item in lacking} <= failed
    return "reported" if is_reported else "short"


def _key(cell: Cell, item: Item) -> str:
    return str(item["resource_name"]) if cell.walk.scope == "brokers" else key(cell.walk, item)


def _text(item: Item) -> str:
    """An item, comparable: other servers have other ports, and a restart has elections of which each makes an epoch."""
    return repr({name: item[name] for name in item if name not in ("port", "leader_epoch")})
