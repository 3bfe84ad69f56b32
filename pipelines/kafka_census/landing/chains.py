"""Requests that a wave makes besides windows of keys: unfinished chains, and chains without keys.

Pure: headers of landed pages in, requests out. A chain that did not end continues from its last page; a chain
that ended in a retriable error is retried from that page's cursor with the next `try_no`. A chain whose broker
returned a cursor twice is a loop: it ends in an error, even if the two pages are in different waves. Each request
carries the number of waves and of empty pages that its chain has had so far, which the pager limits.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from kafka_census.declarations.walk import Walk
from kafka_census.kafka import error_codes
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.landing.request import Brokers, Request, to_node
from kafka_census.landing.route import Node
from kafka_census.pages.header import Header, WalkName, latest


@dataclass(frozen=True)
class Chains:
    """The landed chains of some walks, from their headers; `last` gives the last page of each chain that counts."""

    headers: Sequence[Header]
    walks: Mapping[WalkName, Walk]

    def last(self) -> Iterator[tuple[Walk, list[Header], Header]]:
        """Each chain: its walk, its pages that count, and the first part of its last page."""
        for (walk, _), pages in latest(self.headers).items():
            if walk in self.walks:
                last = pages[-1]
                yield self.walks[walk], pages, next(page for page in pages if page.page_no == last.page_no)

    @property
    def open(self) -> frozenset[WalkName]:
        """Walks with a chain whose last page has a next cursor."""
        return frozenset(walk.name for walk, _, page in self.last() if is_open(page))

    @property
    def retriable(self) -> frozenset[WalkName]:
        """Walks with a chain that ended in an error that a retry or a smaller request may resolve."""
        return frozenset(walk.name for walk, _, page in self.last() if is_retriable(walk, page))


@dataclass(frozen=True)
class Continuation:
    """A chain that continues.

    page        the landed page that it continues from; its `open_keys` are the request's keys
    in_windows  whether it is retried in windows of the keys of its walk's `fallback`
    """

    request: Request
    page: Header
    in_windows: bool


def is_open(page: Header) -> bool:
    """Whether a chain's last page has a next cursor."""
    return not page.failed and page.next_cursor is not None


def is_retriable(walk: Walk, page: Header) -> bool:
    """Whether a chain's last page holds an error that a retry or a smaller request may resolve."""
    return page.error_code in error_codes.RETRIABLE or (
        walk.fallback is not None and page.error_code in error_codes.SHRINKABLE
    )


def first_requests(
    walks: Iterable[Walk], brokers: Brokers, begun: Collection[tuple[WalkName, str]]
) -> Iterator[Request]:
    """The first requests of walks without keys, one chain per node or one at any node, except those in `begun`."""
    for walk in walks:
        if walk.keys is not None:
            continue
        # Where no node is alive, the first one owes a page that says so.
        controller = brokers.controller if walk.asks_controller else None
        anyone = controller or next(iter(brokers.alive), brokers.nodes[0])
        for node in brokers.nodes if walk.asks_all_brokers else (anyone,):
            chain_id, keys = walk.first_chain(node.node_id)
            if (walk.name, chain_id) not in begun:
                yield to_node(walk.name, node, chain_id, keys)


def continuations(chains: Chains, brokers: Brokers, retry: Collection[WalkName]) -> Iterator[Continuation]:
    """Chains that continue: open chains and, for the walks in `retry`, chains that ended in a retriable error."""
    waves: dict[tuple[WalkName, str], set[int]] = {}
    for header in chains.headers:
        waves.setdefault((header.walk, header.chain_id), set()).add(header.wave)
    for walk, pages, page in chains.last():
        failed = page.failed
        if not is_open(page) and not (walk.name in retry and is_retriable(walk, page)):
            continue
        try_no = page.try_no + 1 if failed else page.try_no
        node = _node(walk, page, try_no, brokers)
        if node is None or node.endpoint is None:
            continue
        goes_round = _goes_round(pages)
        request = Request(
            0,
            0,
            *walk.name,
            node.node_id,
            node.endpoint.host,
            node.endpoint.port,
            page.chain_id,
            page_no=page.page_no if failed else page.page_no + 1,
            try_no=try_no,
            cursor=page.request_cursor if failed else page.next_cursor,
            refusal_code=ErrorCode.CURSOR_REPEATED if goes_round else None,
            refusal="a cursor was given twice in this walk" if goes_round else None,
            waves=len(waves[walk.name, page.chain_id]),
            empty_pages=_empty_pages(pages),
        )
        asks_less = page.error_code in error_codes.SHRINKABLE
        yield Continuation(request, page, walk.fallback is not None and asks_less and not page.open_key_count)


def _node(walk: Walk, page: Header, try_no: int, brokers: Brokers) -> Node | None:
    """The node that continues a chain; None where no node can.

    Each node continues its own chains. A walk that any broker can answer moves to another broker after a failure. Keys
    with a coordinator or leader stay there while that broker is alive. In KRaft mode brokers name any broker as the
    controller: if that broker fails, except because the answer was too large or too late, another broker is asked.
    """
    alive = {node.node_id: node for node in brokers.alive}
    here = None if page.node_id is None else alive.get(page.node_id)
    if walk.asks_all_brokers:
        return here
    controller = brokers.controller if walk.asks_controller else None
    if controller is not None:
        failed_there = page.failed and here is controller and page.error_code not in error_codes.SHRINKABLE
        others = [node for node in brokers.alive if node is not controller]
        return others[0] if failed_there and others else controller
    if walk.located is not None and here is not None:
        return here
    if not alive:
        return None
    return brokers.alive_at(crc32(page.chain_id.encode()) + try_no)


def _goes_round(pages: Sequence[Header]) -> bool:
    """Whether two pages returned the same cursor."""
    given = Counter(page.next_cursor for page in pages if not page.failed and page.part_no == 0)
    return any(count > 1 for cursor, count in given.items() if cursor is not None)


def _empty_pages(pages: Sequence[Header]) -> int:
    """The number of pages by cursor after the last page that has an item."""
    full = max((page.page_no for page in pages if page.item_count or page.paging in ("window", "whole")), default=-1)
    empty = max((page.page_no for page in pages if not page.failed and page.paging == "cursor"), default=-1)
    return max(empty - full, 0)
