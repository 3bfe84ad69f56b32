"""Check that a census is complete: every walk that was owed has one unbroken chain of pages.

Pure, and without Spark: headers of landed pages (all columns but the items), the
routes and the counted keys in, one `MissingRead` per missing answer out. An empty result means that every
expected answer was landed. The rule of `pages.header` says which tries of a page
count: nothing is missing from a chain that failed and then succeeded on a retry.

    error_page        the chain stopped at a page that holds an error
    missing_chain     a broker owes a chain and no page of it was landed
    broken_chain      a page is missing, or was asked for with another cursor than the previous page returned
    not_ended         the last page has a next cursor
    duplicate_end     a page follows the page that ended the chain
    missing_part      a page landed in parts lacks a part, or has a part twice
    cursor_repeated   a page returned a cursor that another page of its chain returned
    unanswered_keys   keys were listed, and no answer names them
    leaderless        a partition that holds what the walk reads has no leader (`leaderless`)
    item_errors       items of pages without an error hold an error that is no ordinary answer (`item_errors`)

The last two have modules of their own; the gate judges all kinds alike.

`FindCoordinator` is not asked where `__consumer_offsets` does not exist (asking would
create it); its page says NOT_ASKED, which counts as missing only if groups were listed.
Headers are few, one per page of up to thousands of items; an equivalent Spark query
read every landing table seven times.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kafka_census.declarations.walk import Walk
from kafka_census.pages.header import Header, WalkName, latest
from kafka_census.pages.missing_read import MissingRead, unexplained

NOT_ASKED = -106

Owing = tuple[str, str, int | None]
"""A chain that is owed: RPC, scope, and the broker that owes it, None for any."""


@dataclass(frozen=True)
class Keys:
    """Keys of one keyed walk: how many were listed, how many have no answer, and up to three of the latter."""

    listed: int
    lost: int
    examples: tuple[str, ...]


def missing_reads(
    headers: Iterable[Header],
    routes: Iterable[Owing],
    keys: Mapping[WalkName, Keys],
    walks: tuple[Walk, ...],
) -> list[MissingRead]:
    """Everything that is missing from one census, in the order of its walks.

    headers  every landed row of these walks, all tries
    routes   the chains of `audit/routes`
    keys     by keyed walk; `lost` leaves out keys that a failed page still holds open
    walks    the walks that this census had to take
    """
    chains = latest(headers)
    routed = set(routes)
    found: list[MissingRead] = []
    for walk in walks:
        name = (walk.rpc, walk.scope)
        here = {chain: pages for (each, chain), pages in chains.items() if each == name}
        counted = keys.get(name, Keys(0, 0, ()))
        for pages in here.values():
            found += _in_chain(pages, asked=counted.listed > 0)
        found += _missing(walk, here.values(), routed, counted)
        not_asked = any(page.error_code == NOT_ASKED for pages in here.values() for page in pages)
        if counted.lost and here and not not_asked:
            such_as = ", ".join(counted.examples)
            message = f"{counted.lost} listed keys were not answered, such as {such_as}"
            found.append(unexplained(name, None, "unanswered_keys", message))
    return found


def _in_chain(rows: Sequence[Header], *, asked: bool) -> Iterator[MissingRead]:
    """Defects that the pages of one chain show by themselves."""
    by_number: defaultdict[int, list[Header]] = defaultdict(list)
    for row in rows:
        by_number[row.page_no].append(row)
    pages = [parts[0] for parts in by_number.values()]
    yield from _of_pages(pages, by_number, asked)
    first, last = pages[0], pages[-1]
    if not first.starts and (first.page_no != 0 or first.request_cursor is not None):
        message = f"the first landed page is page {first.page_no}, which does not start the walk"
        yield _broken(first, "broken_chain", message)
    for before, page in pairwise(pages):
        yield from _of_neighbours(before, page)
    if not last.failed and not last.ended:
        yield _broken(last, "not_ended", f"the last landed page, page {last.page_no}, names a next one")


def _of_pages(pages: Sequence[Header], by_number: Mapping[int, Sequence[Header]], asked: bool) -> Iterator[MissingRead]:
    """Defects of single pages: errors, parts, cursors returned twice."""
    given = Counter(page.next_cursor for page in pages if not page.failed and page.next_cursor is not None)
    for page in pages:
        rows = by_number[page.page_no]
        if page.failed and (asked or page.error_code != NOT_ASKED):
            error = page.error or f"ERROR_{page.error_code}"
            message = page.error_message or error
            yield MissingRead(
                page.rpc, page.node_id, error, message, page.scope, error_code=page.error_code, chain_id=page.chain_id
            )
        if sorted(row.part_no for row in rows) != list(range(page.parts)):
            message = f"page {page.page_no} has {len(rows)} rows for {page.parts} parts"
            yield _broken(page, "missing_part", message)
        if not page.failed and page.next_cursor is not None and given[page.next_cursor] > 1:
            yield _broken(page, "cursor_repeated", f"page {page.page_no} gives a cursor that was given before")


def _of_neighbours(before: Header, page: Header) -> Iterator[MissingRead]:
    """Defects between a page and the previous one; a failed page reports what is missing after it."""
    if before.ended:
        yield _broken(page, "duplicate_end", f"page {page.page_no} follows the page that ended the walk")
    elif page.page_no != before.page_no + 1:
        yield _broken(page, "broken_chain", f"page {page.page_no} follows page {before.page_no}")
    elif not before.failed and page.request_cursor != before.next_cursor:
        message = f"page {page.page_no} was asked with another cursor than the page before gave"
        yield _broken(page, "broken_chain", message)


def _missing(
    walk: Walk, chains: Iterable[Sequence[Header]], routed: set[tuple[str, str, int | None]], keys: Keys
) -> Iterator[MissingRead]:
    """Brokers that owe a chain and have none; walks without any page."""
    asked = {page.node_id for pages in chains for page in pages if page.node_id is not None}
    if walk.asks_all_brokers:
        nodes = {node for rpc, scope, node in routed if (rpc, scope) == (walk.rpc, walk.scope) and node is not None}
        silent: list[int | None] = [*sorted(nodes - asked)] if nodes or asked else [None]
    else:
        due = walk.keys is None or keys.listed > 0
        silent = [None] if due and not asked else []
    for node in silent:
        who = "some broker" if node is None else f"broker {node}"
        message = f"{who} owes an answer to {walk.rpc} and none was landed"
        yield unexplained((walk.rpc, walk.scope), node, "missing_chain", message)


def _broken(page: Header, kind: str, message: str) -> MissingRead:
    return unexplained(page.walk, page.node_id, kind, message, page.chain_id)
