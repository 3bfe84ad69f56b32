"""The pager: walks one chain at one node, page by page, to its end or its error.

- Keys that another broker answers are left out of the page, located again, and asked for
  there next, from the same cursor; after some rounds the broker's error stands. The same holds for
  keys that a broker pages in an order of its own, and that moved behind its cursor meanwhile.
- A node that pages in another way than before (it was upgraded or downgraded) is asked
  from the start: a page without a request cursor restarts its chain, and readers ignore
  the pages before it.
- A cursor seen before in its chain is an error, not a loop; so is a page that repeats
  an item of the previous page.
- A chain without an end (ever new cursors, empty pages) becomes an error at one of two limits.
- What cannot be read ends the chain in an error page. No chain hangs, and no chain is
  incomplete without a page that says so.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice

from kafka.net.selector import NetworkSelector

from kafka_census.clock import Clock
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.lookup import KeyLookup, LookupStrategy
from kafka_census.kafka.paging import cursor as cursors
from kafka_census.kafka.paging.cursor import Cursor, Position
from kafka_census.kafka.paging.nodes import Nodes
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.paging.retries import Exchange, PagingChanged, Tally
from kafka_census.kafka.paging.rpc import Row, Rpc
from kafka_census.kafka.paging.step import Reply, Steps
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.wire_error import WireError

SLOWER = 2
"""The next page may take this many times as long as the slowest page of the wave."""

Emit = Callable[[Page], Awaitable[None]]


@dataclass(frozen=True)
class Pager:
    """Walks chains of one RPC; `lookup` decides which node answers, `emit` receives each page as it arrives."""

    net: NetworkSelector
    rpc: Rpc
    lookup: LookupStrategy
    nodes: Nodes
    collect: CollectSettings
    clock: Clock
    emit: Emit

    async def walk(self, chain: Chain) -> None:
        """Emit the pages of a chain until it ends, fails, or has filled its wave."""
        if chain.endpoint is None:
            await self.emit(refused(chain, self.clock))
        elif chain.waves >= self.collect.max_waves:
            text = f"{chain.endpoint}: {self.rpc.name}: the walk did not end in {chain.waves} waves (collect.max_waves)"
            await self.emit(refused(replace(chain, refusal=(ErrorCode.ENDLESS_WALK, text)), self.clock))
        else:
            await _Walk(self, chain, chain.endpoint).run()


class _Walk:
    """One chain while it is walked: its position, and how much it asks for at a time."""

    def __init__(self, pager: Pager, chain: Chain, endpoint: Endpoint) -> None:
        self._rpc = pager.rpc
        self._collect = pager.collect
        self._clock = pager.clock
        self._emit = pager.emit
        self._redacted = pager.nodes.redacted
        self._message = next((at for at, field in enumerate(pager.rpc.item) if field.name == "error_message"), None)
        self._chain = chain
        self._exchange = Exchange(pager.net, pager.rpc, pager.lookup, pager.nodes, endpoint, pager.collect, pager.clock)
        self._steps = Steps(self._exchange, pager.rpc, pager.collect, len(chain.keys))
        self._seen: set[tuple[int, int, Cursor | None]] = set()
        self._saw(cursors.position_of(chain.cursor, chain.keys))
        self._last_row: Row | None = None
        self._empty_pages = chain.empty_pages

    async def run(self) -> None:
        cursor, page_no = self._chain.cursor, self._chain.page_no
        landed = changes = 0
        took = 0.0
        tally, before = Tally(self._clock.now()), self._exchange.time_left
        while True:
            try:
                position = await self._turn(cursors.position_of(cursor, self._chain.keys))
                reply = await self._steps.take(position, tally)
                rows = () if reply.api.paging == "whole" else tuple(reply.rows())
                follows = self._follows(position, reply, rows)
                self._prove(position, reply, rows)
            except PagingChanged:
                changes += 1
                if changes <= self._collect.max_attempts:
                    cursor, self._last_row, self._exchange.api = None, None, None
                    self._seen.clear()
                    continue
                error = WireError(ErrorCode.INCONSISTENT_PAGES, f"{self._where}: pages in another way each time")
                await self._emit(self._error_page(page_no, cursor, tally, error))
                return
            except WireError as error:
                await self._emit(self._error_page(page_no, cursor, tally, error))
                return
            landed += 1
            took = max(took, before - self._exchange.time_left)
            # A walk continues in the next wave unless one more slow page fits before its deadline.
            full = landed == self._collect.pages_per_wave or self._exchange.time_left < SLOWER * took
            page = replace(
                self._page(page_no, cursor, tally),
                api=reply.api.name,
                api_version=reply.version,
                paging=reply.api.paging,
                page_limit=reply.page_limit,
                next_cursor=follows,
                open_keys=self._chain.keys if full and follows is not None else (),
                empty_pages=self._empty_pages,
            )
            if reply.api.paging == "whole":
                await self._emit_parts(page, reply)
            else:
                await self._emit(replace(page, rows=self._landable(rows)))
            if follows is None or full:
                return
            self._last_row = rows[-1] if rows else self._last_row
            self._saw(replace(position, cursor=reply.next_cursor))
            cursor, page_no = follows, page_no + 1
            tally, before = Tally(self._clock.now()), self._exchange.time_left
            self._steps.grow()

    async def _turn(self, position: Position) -> Position:
        """Turn to the node of the position's first key; keys of other nodes move from `keys` to `then`."""
        if not position.moves:
            self._exchange.turn(None)
            return position
        if position.moves > 1:
            await self._exchange.pause(position.moves - 1)
        if position.cursor is not None and cursors.paging_of(position.cursor) == "window":
            # Keys before the cursor are reported already: their present broker does not matter.
            first = position.keys.index(cursors.first_key(position.cursor))
            position = replace(position, keys=position.keys[first:], cursor=None)
        found = await self._exchange.locate(position.keys)
        endpoint = found.get(position.keys[0])
        self._exchange.turn(endpoint)
        here = tuple(key for key in position.keys if found.get(key) == endpoint)
        others = tuple(key for key in position.keys if found.get(key) != endpoint)
        then = cursors.at(replace(position, keys=others)) if others else position.then
        return replace(position, keys=here, then=then)

    def _prove(self, position: Position, reply: Reply, rows: tuple[Row, ...]) -> None:
        """Raise WireError where this page cannot follow the previous page."""
        broken = reply.api.check(reply.ask, self._last_row, rows)
        if broken is not None:
            raise WireError(ErrorCode.INCONSISTENT_PAGES, f"{self._where}: {broken}")
        if reply.next_cursor is not None and self._named(replace(position, cursor=reply.next_cursor)) in self._seen:
            raise WireError(ErrorCode.CURSOR_REPEATED, f"{self._where} returned the cursor {reply.next_cursor} twice")
        # Windows end with their last key, and keys that moved are followed for some rounds only.
        is_empty = reply.api.paging == "cursor" and not rows and not reply.unmapped
        self._empty_pages = self._empty_pages + 1 if is_empty else 0
        if reply.next_cursor is not None and self._empty_pages >= self._collect.max_empty_pages:
            text = f"{self._where}: {self._empty_pages} pages in a row without an item (collect.max_empty_pages)"
            raise WireError(ErrorCode.ENDLESS_WALK, text)
        if self._last_row is not None and not self._rpc.failed(self._last_row) and self._last_row in rows:
            text = f"{self._where}: an item of the page before comes again: {self._last_row}"
            raise WireError(ErrorCode.INCONSISTENT_PAGES, text)

    def _saw(self, position: Position) -> None:
        if position.cursor is not None:
            self._seen.add(self._named(position))

    def _named(self, position: Position) -> tuple[int, int, Cursor | None]:
        """The identity of a cursor: the moves, the node and the cursor, since keys that moved may be walked again."""
        return position.moves, self._exchange.connection.endpoint.node_id, position.cursor

    def _follows(self, position: Position, reply: Reply, rows: tuple[Row, ...]) -> Cursor | None:
        """The cursor of the next page: first keys left at this node, then keys that moved, then the regular walk."""
        left, then = self._left_here(position, reply, rows), position.then
        if reply.unmapped:
            # Where a page may end inside a key, one key may have been reported in part: the cursor says how far.
            cursor, cut_key = reply.ask.cursor, reply.api.cut_key
            is_cut = cursor is not None and cut_key is not None and cut_key(cursor) in reply.unmapped
            elsewhere = Position(reply.unmapped, cursor if is_cut else None, position.moves + 1, then)
            if not position.moves:
                return cursors.at(replace(elsewhere, then=None if left is None else self._cursor_of(left)))
            then = cursors.at(elsewhere)
        return then if left is None else self._cursor_of(replace(left, then=then))

    def _left_here(self, position: Position, reply: Reply, rows: tuple[Row, ...]) -> Position | None:
        """The next position at this node; None where no key is left. Raises WireError where it leaves keys out."""
        follows, api = reply.next_cursor, reply.api
        by_key = isinstance(self._exchange.lookup, KeyLookup) and api.paging == "cursor"
        if not by_key or (api.cut_key is not None and (follows is None or not position.moves)):
            return None if follows is None else replace(position, cursor=follows, then=None)
        # Keys are answered in the broker's order: the pager's cursor names those that are not answered yet. Keys that
        # may be cut need that once they moved: their next node may page in another way, and be asked for all of them.
        cut = {api.cut_key(follows)} if api.cut_key is not None and follows is not None else set()
        answered = {*map(api.key, rows), *reply.unmapped} - cut
        keys = tuple(key for key in position.keys if key not in answered)
        if follows is None and position.moves >= self._collect.max_attempts:
            self._exchange.refuse_silence(api, keys)
        if not keys:
            return None
        # Keys that are left at the end of the broker's order moved behind its cursor meanwhile.
        return Position(keys, follows, position.moves if follows is not None else position.moves + 1)

    def _cursor_of(self, position: Position) -> Cursor | None:
        """A position as a cursor: on the regular walk, with all of its keys, the broker's cursor or the window's."""
        is_own = not position.moves and position.then is None and position.keys == self._chain.keys
        return position.cursor if is_own else cursors.at(position)

    async def _emit_parts(self, page: Page, reply: Reply) -> None:
        """Emit a whole answer as parts of at most page_limit items, built one at a time."""
        slice_size = self._collect.page_limit_of(self._rpc.name)
        parts = max(1, -(-reply.count // slice_size))
        rows = iter(reply.rows())
        for part_no in range(parts):
            part = self._landable(islice(rows, slice_size))
            await self._emit(replace(page, part_no=part_no, parts=parts, rows=part))
            # Only the first part reports the cost of the page.
            page = replace(page, throttle_time_ms=0, attempts=0, response_bytes=0)

    def _landable(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        """The rows with redacted error messages: a broker's message may echo a secret of ours."""
        at = self._message
        if at is None:
            return tuple(rows)
        return tuple((*row[:at], self._redacted(row[at]), *row[at + 1 :]) if row[at] else row for row in rows)

    @property
    def _where(self) -> str:
        return f"{self._exchange.connection.endpoint}: {self._rpc.name}"

    def _page(self, page_no: int, cursor: Cursor | None, tally: Tally) -> Page:
        return Page(
            chain=replace(self._chain, node_id=self._exchange.connection.endpoint.node_id),
            page_no=page_no,
            request_cursor=cursor,
            requested_at=tally.requested_at,
            received_at=self._clock.now(),
            release_at_least=self._exchange.connection.release_at_least,
            throttle_time_ms=tally.throttle_time_ms,
            attempts=tally.attempts,
            response_bytes=tally.response_bytes,
        )

    def _error_page(self, page_no: int, cursor: Cursor | None, tally: Tally, error: WireError) -> Page:
        api, version = self._exchange.api or (None, None)
        return replace(
            self._page(page_no, cursor, tally),
            api=api.name if api else None,
            api_version=version,
            paging=api.paging if api else None,
            error_code=error.code,
            error_message=self._redacted(error.message),
            open_keys=self._chain.keys,
        )


def refused(chain: Chain, clock: Clock) -> Page:
    """The error page of a chain whose node is not asked at all."""
    code, message = chain.refusal or (ErrorCode.BROKER_NOT_ALIVE, f"broker {chain.node_id} is not alive")
    now = clock.now()
    return Page(
        chain=chain,
        page_no=chain.page_no,
        request_cursor=chain.cursor,
        requested_at=now,
        received_at=now,
        error_code=code,
        error_message=message,
        open_keys=chain.keys,
    )
