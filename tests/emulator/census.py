"""A census of an emulated cluster without Spark: every walk by our client, and what the gate's page chains say of it.

What Spark does in a census is done in Python here: keys are cut from what earlier walks listed, each is asked for
where an earlier walk placed it, and of a chain's pages those count that readers see.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from emulator.asking import settings
from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import WALKS, walk_named
from kafka_census.kafka.error_codes import error_name
from kafka_census.kafka.paging.cursor import to_json
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_census.pages.header import Header, WalkName, latest
from kafka_census.pages.missing_read import MissingRead
from kafka_census.pages.page_chain import Keys, missing_reads
from kafka_emulator.server import Server

Item = dict[str, Any]


def header(walk: Walk, page: Page) -> Header:
    """A page as the gate sees it."""
    alike = {name: getattr(page, name) for name in Header.__dataclass_fields__ if hasattr(page, name)}
    return Header(
        **alike
        | {"rpc": walk.rpc, "scope": walk.scope, "error": error_name(page.error_code), "item_count": len(page.rows)}
        | {name: getattr(page.chain, name) for name in ("node_id", "chain_id", "try_no")}
        | {name: to_json(getattr(page, name)) for name in ("request_cursor", "next_cursor")}
    )


def counted(walk: Walk, pages: Iterable[Page]) -> list[Page]:
    """The pages that readers see: each chain since it last started, each page of its highest try."""
    by_header = {header(walk, page): page for page in pages}
    return [by_header[one] for headers in latest(by_header).values() for one in headers]


def items(walk: Walk, pages: Iterable[Page]) -> list[Item]:
    names = [one.name for one in rpc_named(walk.rpc, walk.scope).item]
    return [dict(zip(names, row, strict=True)) for page in counted(walk, pages) for row in page.rows]


def key(walk: Walk, item: Item) -> str:
    return "/".join(str(item[column]) for column in walk.answered_by)


def missing_of(walk: Walk, pages: Sequence[Page], keys: Iterable[str], owing: Iterable[int] = ()) -> list[MissingRead]:
    """What the gate has against a walk that was asked for these keys; `owing` brokers owe a chain each."""
    reported = {key(walk, item) for item in items(walk, pages)}
    reported |= {one for page in counted(walk, pages) if page.error_code for one in page.open_keys}
    listed = set(keys)
    lost = sorted(listed - reported)
    asked = {(walk.rpc, walk.scope): Keys(len(listed), len(lost), tuple(lost[:3]))} if walk.keys else {}
    return missing_reads(
        (header(walk, page) for page in pages), ((walk.rpc, walk.scope, one) for one in owing), asked, (walk,)
    )


@dataclass
class Census:
    """What was landed: the pages of each walk, in the order in which they came."""

    server: Server
    collect: CollectSettings
    pages: dict[WalkName, list[Page]] = field(default_factory=dict)

    def items(self, rpc: str, scope: str) -> list[Item]:
        """What readers see of a walk."""
        walk = walk_named(rpc, scope)
        return items(walk, self.pages.get((rpc, scope), ()))

    def missing_reads(self) -> list[MissingRead]:
        """What the gate has against all walks that were taken."""
        brokers = self.server.world.brokers.ids
        found = []
        for walk in WALKS:
            pages, owing = self.pages[walk.rpc, walk.scope], brokers if walk.asks_all_brokers else ()
            found += missing_of(walk, pages, self.keys(walk), owing)
        return found

    def take(self, walk: Walk) -> None:
        """Walk the chains that a plan makes of a walk."""
        fetcher = Fetcher(walk.rpc, walk.scope, settings(self.server), self.collect)
        self.pages[walk.rpc, walk.scope] = list(fetcher.pages(self._chains(walk)))

    def keys(self, walk: Walk) -> dict[str, int]:
        """The keys of a walk, and the broker that each is asked of: the first one where any would do."""
        if walk.keys is None:
            return {}
        alive = self.server.world.brokers.alive
        first = min(alive)
        pairs: dict[str | None, int] = {}
        if walk.located is not None:
            located = self.items(walk.located.keys.rpc, walk.located.keys.scope)
            node = walk.located.node
            pairs = {walk.located.keys.of(item): item[node] for item in located if item[node] in alive}
        named = {walk.keys.of(item) for item in self.items(walk.keys.rpc, walk.keys.scope)}
        return {one: pairs.get(one, first) for one in sorted(one for one in named if one is not None)}

    def keys_at(self, walk: Walk, broker: int = 1) -> tuple[str, ...]:
        """The keys that a broker is asked for."""
        if walk.scope == "brokers":
            return (str(broker),)
        return tuple(one for one, at in self.keys(walk).items() if at == broker)

    def _chains(self, walk: Walk) -> Iterator[Chain]:
        """A chain per broker, one for all, or one for the keys at each broker; one that is down owes its own, too."""
        brokers = self.server.world.brokers
        for broker in brokers.ids if walk.asks_all_brokers else sorted(brokers.alive):
            keys = self.keys_at(walk, broker)
            if walk.keys is None or keys:
                at = brokers.reachable(broker, brokers.listeners[0])
                endpoint = None if at is None else Endpoint(broker, at.host, at.port)
                yield Chain(broker, f"{walk.scope}-{broker}", endpoint, keys)
            if not walk.asks_all_brokers and walk.keys is None:
                return


def texts(items: Iterable[Item]) -> list[str]:
    """Items, comparable: other servers have other ports."""
    return sorted(repr({name: item[name] for name in item if name != "port"}) for item in items)


def census(server: Server, collect: CollectSettings) -> Census:
    taken = Census(server, collect)
    for walk in WALKS:
        taken.take(walk)
    return taken
