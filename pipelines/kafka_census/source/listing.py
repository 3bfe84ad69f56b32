"""Chains of one walk without a lake: keys are listed from the cluster as they are needed.

For ad-hoc reads. Landing plans from landed tables instead, which can be resumed and
is spread over tasks. A listing that failed becomes a refused chain, so that a short
answer shows.
"""

from collections.abc import Callable, Iterator

from kafka_census.paging.page import Chain, Page
from kafka_census.protocol import error_codes
from kafka_census.protocol.cluster import ClusterView
from kafka_census.protocol.connection import Endpoint
from kafka_census.rpc import rpc as rpc_named
from kafka_census.tables.landed import LANDED, OFFSETS_TOPIC, Landed

Fetch = Callable[[str, str, Iterator[Chain]], Iterator[Page]]
"""Walks chains of an (rpc, scope)."""


def walk_named(rpc: str, scope: str) -> Landed:
    """The walk of that name."""
    return next(walk for walk in LANDED if (walk.rpc, walk.scope) == (rpc, scope))


def node_chains(walk: Landed, view: ClusterView) -> list[Chain]:
    """Chains of a walk that needs no listing: one a broker, or one for all."""
    if not walk.every_node:
        return [Chain(view.brokers[0].node_id, walk.scope, view.brokers[0])]
    return [
        Chain(
            broker.node_id,
            f"{walk.scope}-{broker.node_id}",
            broker,
            keys=(str(broker.node_id),) if walk.scope == "brokers" else (),
        )
        for broker in view.brokers
    ]


def keyed_chains(walk: Landed, view: ClusterView, keys_per_request: int, fetch: Fetch) -> Iterator[Chain]:
    """Windows of listed keys, each made when the walk before it has room."""
    if walk.keys is None:
        raise ValueError(f"{walk.rpc} has no keys")
    if walk.rpc == "FindCoordinator" and not _offsets_topic_is_seen(view, fetch):
        why = f"{OFFSETS_TOPIC} was not seen, and asking would create it"
        yield Chain(view.brokers[0].node_id, walk.scope, None, refusal=(error_codes.NOT_ASKED, why))
        return
    window: dict[str, None] = {}
    number = 0
    for page in _listing(walk.keys.rpc, walk.keys.scope, view, fetch):
        if page.error_code:
            text = f"the keys could not be listed: {page.error_message}"
            yield Chain(page.chain.node_id, f"{walk.scope}-unlisted-{number}", None, refusal=(page.error_code, text))
            number += 1
            continue
        column = [field.name for field in rpc_named(walk.keys.rpc, walk.keys.scope).item].index(walk.keys.column)
        for row in page.rows:
            window[row[column]] = None
            if len(window) == keys_per_request:
                yield _window(walk, view.brokers, number, window)
                window, number = {}, number + 1
    if window:
        yield _window(walk, view.brokers, number, window)


def _window(walk: Landed, brokers: tuple[Endpoint, ...], number: int, keys: dict[str, None]) -> Chain:
    broker = brokers[number % len(brokers)]
    return Chain(broker.node_id, f"{walk.scope}-{number:06d}", broker, keys=tuple(sorted(keys)))


def _listing(rpc: str, scope: str, view: ClusterView, fetch: Fetch) -> Iterator[Page]:
    return fetch(rpc, scope, iter(node_chains(walk_named(rpc, scope), view)))


def _offsets_topic_is_seen(view: ClusterView, fetch: Fetch) -> bool:
    return any(row[0] == OFFSETS_TOPIC for page in _listing("Metadata", "names", view, fetch) for row in page.rows)
