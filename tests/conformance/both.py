"""How both clusters are read, so that their answers can be compared."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.by_nature import Row, comparable
from e2e.listing import QUICK, Landed, rows_in
from harness import wire
from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import WALKS
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.rpc import rpc as rpc_named
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_census.landing.fetch.listing import keyed_chains, node_chains, to_the_end
from kafka_emulator.handlers import HANDLERS

Emulated = Callable[..., str]
"""The bootstrap servers of emulated brokers: the fixture `emulated`."""

HANDLER = {handler.name: handler for handler in HANDLERS}


@dataclass(frozen=True)
class Way:
    """A way to read the emulator: the features of its brokers, and the number of items per request."""

    kip_1062: bool
    collect: Mapping[str, object]


WINDOWS: Mapping[str, object] = {"keys_per_request": 2, "page_limits": {"ListOffsets": 2}}
WAYS: Mapping[str, Way] = {
    "cursor": Way(True, {"page_limit": 2, "pages_per_wave": 1000}),
    "window": Way(False, WINDOWS),
    "whole": Way(False, {}),
}

LISTED_WALKS = tuple(walk for walk in WALKS if walk.scope != "unlisted")
"""The walks with items: no log dir of these clusters has a topic that is not listed."""


def named(walk: Walk) -> str:
    return f"{walk.rpc}/{walk.scope}"


def read(servers: str, **collect: Any) -> Landed:
    """The pages of every walk, planned as the Data Source plans a read: its keys are those that the cluster lists."""
    settings, limits = ClusterSettings("test", tuple(servers.split(","))), replace(QUICK, **collect)
    view = bootstrap(settings, limits)

    def fetch(rpc: str, scope: str, chains: Iterator[Chain]) -> Iterator[Page]:
        return to_the_end(Fetcher(rpc, scope, settings, limits).pages, chains)

    def chains(walk: Walk) -> Iterator[Chain]:
        return keyed_chains(walk, view, limits, fetch) if walk.keys else iter(node_chains(walk, view))

    return {walk.name: list(fetch(*walk.name, chains(walk))) for walk in LISTED_WALKS}


def items(walk: Walk, got: Collection[Page]) -> tuple[list[Row], set[str | None]]:
    """The comparable items of pages of a walk, and how these were cut; a page with an error fails."""
    assert [page.error_message for page in got if page.error_code] == []
    return comparable(named(walk), rows_in(got, *walk.name)), {page.paging for page in got}


def reported(server: str, walk: Walk, keys: tuple[str, ...]) -> list[Row]:
    """The answers of this broker for keys, whichever broker is responsible: by Kafka's highest version."""
    rpc = rpc_named(walk.rpc, walk.scope)
    api = next(one for one in rpc.apis if not one.features)
    ask = Ask(keys, None, 2000)
    version = api.max_version
    response = wire.send(server, api.build(version, ask), HANDLER[api.name].response, version)
    names = [field.name for field in rpc.item]
    return comparable(named(walk), (dict(zip(names, row, strict=True)) for row in api.rows(response, ask)))


def send(server: str, name: str, version: int, edit: Callable[[bytes], bytes] = wire.as_it_is, **fields: Any) -> Any:
    """The answer of a broker to a request of an API; `edit` changes the request's frame."""
    handler = HANDLER[name]
    return wire.send(server, handler.request(**fields), handler.response, version, edit)
