"""Chains of one walk without a lake: keys are listed from the cluster as they are needed.

For ad-hoc reads. Landing plans from landed tables instead, so that it can be resumed and
spread over tasks. A listing that failed becomes a refused chain, so that an incomplete
answer has an error.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from kafka_census.declarations.walk import Keys, Located, Walk
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.cluster import ClusterView
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.rpc import rpc as rpc_named

Fetch = Callable[[str, str, Iterator[Chain]], Iterator[Page]]
"""Walks the chains of an RPC and scope, and returns their pages."""


ANYWHERE = -1
"""The node id of keys that any broker may be asked for: it names the broker that answers them."""


def to_the_end(pages: Callable[[Iterator[Chain]], Iterator[Page]], chains: Iterator[Chain]) -> Iterator[Page]:
    """The pages of chains, wave after wave until each chain has ended; the pager limits the number of waves."""
    ahead = chains
    while True:
        unended: dict[str, Page] = {}
        for page in pages(ahead):
            unended.pop(page.chain.chain_id, None)
            if page.goes_on:
                unended[page.chain.chain_id] = replace(page, rows=())
            yield page
        if not unended:
            return
        ahead = iter([page.next_wave() for page in unended.values()])


def node_chains(walk: Walk, view: ClusterView) -> list[Chain]:
    """Chains of a walk that needs no listing: one per broker, or one for all."""
    controller = (one for one in view.brokers if walk.asks_controller and one.node_id == view.controller_id)
    asked = view.brokers if walk.asks_all_brokers else (next(controller, view.brokers[0]),)
    firsts = ((broker, *walk.first_chain(broker.node_id)) for broker in asked)
    return [Chain(broker.node_id, chain_id, broker, keys=keys) for broker, chain_id, keys in firsts]


def keyed_chains(walk: Walk, view: ClusterView, collect: CollectSettings, fetch: Fetch) -> Iterator[Chain]:
    """Windows of listed keys, at the broker that answers the keys; each is built when the fetcher pulls it.

    Raises ValueError for a walk without keys.
    """
    if walk.keys is None:
        raise ValueError(f"{walk.rpc} has no keys")
    if walk.creates is not None and not _is_seen(walk.creates, view, fetch):
        why = f"{walk.creates} was not seen, and asking would create it"
        yield Chain(view.brokers[0].node_id, walk.scope, None, refusal=(ErrorCode.NOT_ASKED, why))
        return
    size = rpc_named(walk.rpc, walk.scope).window_size(collect)
    windows: dict[int, dict[str, None]] = {}
    number = 0
    for found in _placed_keys(walk, walk.keys, view, collect, fetch):
        if isinstance(found, Page):
            text = f"the keys could not be listed: {found.error_message}"
            yield Chain(found.chain.node_id, f"{walk.scope}-unlisted-{number}", None, refusal=(found.error_code, text))
            number += 1
            continue
        node_id, key = found
        window = windows.setdefault(node_id, {})
        window[key] = None
        if len(window) == size:
            yield _window(walk, view.brokers, number, node_id, windows.pop(node_id))
            number += 1
    for node_id, window in windows.items():
        yield _window(walk, view.brokers, number, node_id, window)
        number += 1


def _placed_keys(
    walk: Walk, keys: Keys, view: ClusterView, collect: CollectSettings, fetch: Fetch
) -> Iterator[Page | tuple[int, str]]:
    """Every listed key as (broker to ask, or ANYWHERE if unknown; key); pages that hold an error as they are."""
    items = _items(keys.rpc, keys.scope, view, collect, fetch)
    left_out: set[str | None] = {None}
    if keys.unless is not None:
        for one in _items(keys.unless.rpc, keys.unless.scope, view, collect, fetch):
            if isinstance(one, Page):
                yield one
            else:
                left_out.add(keys.unless.of(one))
    listed = (one if isinstance(one, Page) else (_node(walk.located, keys, one), keys.of(one)) for one in items)
    named = (one for one in listed if isinstance(one, Page) or one[1] not in left_out)
    if walk.located is None or _same(walk.located.keys, keys):
        yield from named  # type: ignore[misc]  # keys that are None were left out
        return
    locating = walk_named(walk.located.keys.rpc, walk.located.keys.scope)
    size = rpc_named(locating.rpc, locating.scope).window_size(collect)
    while batch := list(islice(named, size)):
        yield from (one for one in batch if isinstance(one, Page))
        wanted = sorted({str(one[1]) for one in batch if not isinstance(one, Page)})
        if not wanted:
            continue
        asked = tuple(sorted({_locating_key(walk.located.keys, locating, key) for key in wanted}))
        chain = Chain(view.brokers[0].node_id, locating.scope, view.brokers[0], keys=asked)
        found = {
            walk.located.keys.of(item): item[walk.located.node]
            for page in fetch(locating.rpc, locating.scope, iter([chain]))
            for item in _named(locating, page)
        }
        yield from ((found.get(key, ANYWHERE), key) for key in wanted)


def _locating_key(keys: Keys, locating: Walk, key: str) -> str:
    """The key with which the locating walk is asked: for a partition its topic, for most keys the key itself."""
    if len(keys.columns) == len(locating.answered_by):
        return key
    parts = dict(zip(keys.columns, key.rsplit("/", len(keys.columns) - 1), strict=True))
    return "/".join(parts[column] for column in locating.answered_by)


def _items(
    rpc: str, scope: str, view: ClusterView, collect: CollectSettings, fetch: Fetch
) -> Iterator[Page | dict[str, Any]]:
    """The items of a listing, which may itself have keys to list; pages that hold an error as they are."""
    walk = walk_named(rpc, scope)
    chains = keyed_chains(walk, view, collect, fetch) if walk.keys else iter(node_chains(walk, view))
    for page in fetch(rpc, scope, chains):
        if page.error_code:
            yield page
        yield from _named(walk, page)


def _named(walk: Walk, page: Page) -> Iterator[dict[str, Any]]:
    names = [field.name for field in rpc_named(walk.rpc, walk.scope).item]
    return (dict(zip(names, row, strict=True)) for row in page.rows)


def _node(located: Located | None, keys: Keys, item: dict[str, Any]) -> int:
    """The broker that a listed item itself names for its key, else ANYWHERE."""
    if located is None or not _same(located.keys, keys) or item[located.node] is None:
        return ANYWHERE
    return int(item[located.node])


def _same(one: Keys, other: Keys) -> bool:
    return (one.rpc, one.scope) == (other.rpc, other.scope)


def _window(walk: Walk, brokers: tuple[Endpoint, ...], number: int, node_id: int, keys: dict[str, None]) -> Chain:
    broker = next((one for one in brokers if one.node_id == node_id), brokers[number % len(brokers)])
    return Chain(broker.node_id, f"{walk.scope}-{number:06d}", broker, keys=tuple(sorted(keys)))


def _is_seen(topic: str, view: ClusterView, fetch: Fetch) -> bool:
    return any(row[0] == topic for page in fetch("Metadata", "names", _names(view)) for row in page.rows)


def _names(view: ClusterView) -> Iterator[Chain]:
    return iter(node_chains(walk_named("Metadata", "names"), view))
