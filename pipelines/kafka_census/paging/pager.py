"""The pager: walks one chain at one node, page by page, to its end or its error.

- A window that times out or whose answer is too large is halved, and grows back;
  a cursor's limit likewise. No page is asked larger than the broker's own limit.
- Keys that a broker says are elsewhere are left out of the page, located again, and
  asked there next, from the same cursor; after some rounds its answer stands. So are
  keys that a broker pages by an order of its own, and that went behind its cursor meanwhile.
- A node that pages in another way than before (it was upgraded or downgraded) is asked
  from the start: a page without a request cursor starts its chain over, and readers leave
  out what came before it.
- A cursor seen before in its chain is an error, not a loop.
- What cannot be had ends the chain in an error page. No chain hangs, none is short
  without a page that says so.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from kafka.net.selector import NetworkSelector

from kafka_census.clock import Clock
from kafka_census.paging import cursor as cursors
from kafka_census.paging.cursor import Cursor, Place
from kafka_census.paging.exchange import Exchange, PagingChanged, Tally
from kafka_census.paging.nodes import Nodes
from kafka_census.paging.page import Chain, Page
from kafka_census.paging.rpc import Api, Ask, Row, Rpc
from kafka_census.protocol import error_codes
from kafka_census.protocol.connection import Endpoint
from kafka_census.protocol.error_codes import WireError
from kafka_census.protocol.settings import CollectSettings

ITEM_ROUNDS = 3
"""How often keys without a settled answer are asked before their error stands."""

Emit = Callable[[Page], Awaitable[None]]


@dataclass(frozen=True)
class _Reply:
    """What one step brought: what was answered by which API, its rows, the cursor after it, keys that are elsewhere."""

    ask: Ask
    api: Api
    version: int
    rows: Callable[[], Iterator[Row]]
    next_cursor: Cursor | None
    misplaced: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pager:
    """Walks chains of one RPC; `emit` takes each page as it comes."""

    net: NetworkSelector
    rpc: Rpc
    nodes: Nodes
    collect: CollectSettings
    clock: Clock
    emit: Emit

    async def walk(self, chain: Chain) -> None:
        """Emit the pages of a chain until it ends, fails, or has filled its wave."""
        if chain.endpoint is None:
            await self.emit(refused(chain, self.clock))
        else:
            await _Walk(self, chain, chain.endpoint).run()


class _Walk:
    """One chain while it is walked: where it is, and how much it asks for at a time."""

    def __init__(self, pager: Pager, chain: Chain, endpoint: Endpoint) -> None:
        self._rpc = pager.rpc
        self._collect = pager.collect
        self._clock = pager.clock
        self._emit = pager.emit
        self._chain = chain
        self._exchange = Exchange(pager.net, pager.rpc, pager.nodes, endpoint, pager.collect, pager.clock)
        self._size = max(1, len(chain.keys))
        self._page_limit = pager.collect.page_limit_of(pager.rpc.name)
        self._limit = self._page_limit
        self._seen = {chain.cursor}
        self._last_row: Row | None = None
        self._asked_limit = self._limit
        self._told: set[str] = set()
        self._knows_told = chain.cursor is None

    async def run(self) -> None:
        cursor, page_no = self._chain.cursor, self._chain.page_no
        landed = changes = 0
        while landed < self._collect.pages_per_wave:
            tally = Tally(self._clock.now())
            try:
                place = await self._turn(cursors.place_of(cursor, self._chain.keys))
                reply = await self._largest_answer(place, tally)
                rows = () if reply.api.paging == "whole" else tuple(reply.rows())
                follows = self._follows(place, reply, rows)
                self._prove(reply, rows, follows)
            except PagingChanged:
                changes += 1
                if changes <= self._collect.max_attempts:
                    cursor = None
                    self._start_over()
                    continue
                error = WireError(error_codes.INCONSISTENT_PAGES, f"{self._where}: pages in another way each time")
                await self._emit(self._error_page(page_no, cursor, tally, error))
                return
            except WireError as error:
                await self._emit(self._error_page(page_no, cursor, tally, error))
                return
            landed += 1
            stays_open = follows is not None and landed == self._collect.pages_per_wave
            page = replace(
                self._page(page_no, cursor, tally),
                api=reply.api.name,
                api_version=reply.version,
                paging=reply.api.paging,
                page_limit=_size_of(reply),
                next_cursor=follows,
                open_keys=self._chain.keys if stays_open else (),
            )
            if reply.api.paging == "whole":
                await self._emit_parts(page, reply)
            else:
                await self._emit(replace(page, rows=rows))
            if follows is None:
                return
            self._last_row = rows[-1] if rows else self._last_row
            self._seen.add(follows)
            cursor, page_no = follows, page_no + 1
            self._size = min(max(1, len(self._chain.keys)), self._size * 2)
            self._limit = min(self._page_limit, self._limit * 2)

    def _start_over(self) -> None:
        self._seen, self._last_row, self._exchange.api = {None}, None, None
        self._told, self._knows_told = set(), True

    async def _turn(self, place: Place) -> Place:
        """Turn to the node where the place's keys are; of keys at several nodes, those of the first stay in it."""
        if not place.moves:
            self._exchange.turn(None)
            return place
        if place.moves > 1:
            await self._exchange.pause(place.moves - 1)
        found = await self._exchange.locate(place.keys)
        endpoint = found.get(place.keys[0])
        self._exchange.turn(endpoint)
        here = tuple(key for key in place.keys if found.get(key) == endpoint)
        others = tuple(key for key in place.keys if found.get(key) != endpoint)
        then = cursors.moved(replace(place, keys=others)) if others else place.then
        return replace(place, keys=here, then=then)

    async def _largest_answer(self, place: Place, tally: Tally) -> _Reply:
        """One page, asked for in smaller windows until its answer fits and is in time."""
        while True:
            try:
                return await self._step(place, tally)
            except WireError as error:
                if not self._shrink(error, place):
                    raise
                # What does not answer in time may not be the right one any more.
                await self._exchange.follow(place.keys[:1])

    def _shrink(self, error: WireError, place: Place) -> bool:
        """Halve what is asked for, where that can help."""
        if error.code not in error_codes.SHRINKABLE or self._exchange.api is None or self._exchange.is_late:
            return False
        paging = self._exchange.api[0].paging
        if paging == "window" and len(self._window(place)) > 1:
            self._size = len(self._window(place)) // 2
            return True
        if paging == "cursor" and self._asked_limit > 1:
            self._limit = self._asked_limit // 2
            return True
        return False

    def _prove(self, reply: _Reply, rows: tuple[Row, ...], follows: Cursor | None) -> None:
        """Raise where this page cannot be the one that follows the page before."""
        broken = reply.api.check(reply.ask, self._last_row, rows)
        if broken is not None:
            raise WireError(error_codes.INCONSISTENT_PAGES, f"{self._where}: {broken}")
        if follows is not None and follows in self._seen:
            raise WireError(error_codes.CURSOR_REPEATED, f"{self._where} returned the cursor {follows} twice")

    def _window(self, place: Place) -> tuple[str, ...]:
        start = place.keys.index(cursors.first_key(place.cursor)) if place.cursor is not None else 0
        return place.keys[start : start + self._size]

    def _follows(self, place: Place, reply: _Reply, rows: tuple[Row, ...]) -> Cursor | None:
        """The cursor of the page that follows: what is left here, then what is elsewhere, then the walk's own way."""
        here = reply.next_cursor
        away = reply.misplaced
        if self._is_told_by_key(reply.api):
            self._told.update(map(reply.api.key, rows))
            left = tuple(key for key in place.keys if key not in self._told and key not in away)
            if here is None and place.moves < self._collect.max_attempts:
                away += left
            elif not left:
                here = None
        then = place.then
        if away:
            # Where the broker cuts keys, one of them may have been told in part: the cursor says how far.
            cursor = reply.ask.cursor if reply.api.cuts_keys else None
            elsewhere = Place(away, cursor, place.moves + 1, then)
            if not place.moves:
                return cursors.moved(replace(elsewhere, then=here))
            then = cursors.moved(elsewhere)
        if here is None or not place.moves:
            return then if place.moves else here
        return cursors.moved(replace(place, cursor=here, then=then))

    def _is_told_by_key(self, api: Api) -> bool:
        """Whether each key of this walk is answered as a whole, and it is known which ones were."""
        by_key = self._rpc.located_by is not None and not api.cuts_keys
        return by_key and api.paging == "cursor" and self._knows_told

    async def _step(self, place: Place, tally: Tally) -> _Reply:
        """One page: negotiate, ask, ask unsettled keys again."""
        api, _ = await self._exchange.offered(place.keys, tally)
        if place.cursor is not None and api.paging != cursors.paging_of(place.cursor):
            raise PagingChanged
        final = place.moves >= self._collect.max_attempts
        if api.paging == "window" and place.keys:
            return await self._window_step(place, api, tally, final=final)
        if api.paging == "cursor":
            return await self._cursor_step(place, api, tally, final=final)
        ask = Ask(place.keys, None, self._limit)
        api, version, response = await self._exchange.send(ask, api, tally, shrinkable=False)
        return _Reply(ask, api, version, lambda: iter(api.rows(response, ask)), None)

    async def _cursor_step(self, place: Place, api: Api, tally: Tally, *, final: bool) -> _Reply:
        self._asked_limit = min(self._limit, await self._exchange.limit(api) or self._limit)
        ask = Ask(tuple(key for key in place.keys if key not in self._told), place.cursor, self._asked_limit)
        for round_no in range(1, ITEM_ROUNDS + 1):
            api, version, response = await self._exchange.send(ask, api, tally, shrinkable=ask.limit > 1)
            rows = list(api.rows(response, ask))
            unsettled, misplaced = self._sorted_out(api, rows)
            if not unsettled or round_no == ITEM_ROUNDS:
                break
            await self._exchange.pause(round_no)
        away = frozenset() if final else misplaced
        return _reply(ask, api, version, rows, api.next_cursor(response), away)

    async def _window_step(self, place: Place, api: Api, tally: Tally, *, final: bool) -> _Reply:
        window = Ask(self._window(place), None, self._limit)
        rows: list[Row] = []
        away: frozenset[str] = frozenset()
        pending = window.keys
        for round_no in range(1, ITEM_ROUNDS + 1):
            again: frozenset[str] = frozenset()
            for part in [(key,) for key in pending] if api.one_key else [pending]:
                ask = Ask(part, None, self._limit)
                api, version, response = await self._exchange.send(ask, api, tally, shrinkable=len(part) > 1)
                answered = list(api.rows(response, ask))
                unsettled, misplaced = self._sorted_out(api, answered)
                held = (unsettled if round_no < ITEM_ROUNDS else frozenset()) | (frozenset() if final else misplaced)
                again |= unsettled & held
                away |= misplaced & held
                rows += [row for row in answered if api.key(row) not in held] if held else answered
            if not again:
                break
            pending = tuple(key for key in pending if key in again)
            await self._exchange.pause(round_no)
        after = place.keys.index(window.keys[-1]) + 1
        follows = cursors.window(place.keys[after]) if after < len(place.keys) else None
        return _reply(window, api, version, rows, follows, away)

    def _sorted_out(self, api: Api, rows: list[Row]) -> tuple[frozenset[str], frozenset[str]]:
        """Keys to ask again here, and keys to ask elsewhere."""
        column = self._rpc.error_column
        if column is None or not (api.unsettled or api.misplaced):
            return frozenset(), frozenset()
        failed = [(row[column], api.key(row)) for row in rows if row[column]]
        return (
            frozenset(key for code, key in failed if code in api.unsettled),
            frozenset(key for code, key in failed if code in api.misplaced),
        )

    async def _emit_parts(self, page: Page, reply: _Reply) -> None:
        """Land a whole answer as parts of at most page_limit items, made one at a time."""
        slice_size = self._page_limit
        count = sum(1 for _ in reply.rows())
        parts = max(1, -(-count // slice_size))
        rows = reply.rows()
        for part_no in range(parts):
            await self._emit(replace(page, part_no=part_no, parts=parts, rows=tuple(islice(rows, slice_size))))
            # What the page cost is told once.
            page = replace(page, throttle_time_ms=0, attempts=0, response_bytes=0)

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
            error_message=error.message,
            open_keys=self._chain.keys,
        )


def _reply(ask: Ask, api: Api, version: int, rows: list[Row], follows: Cursor | None, away: frozenset[str]) -> _Reply:
    """A reply without the rows of keys that are elsewhere, these in the order in which they were asked."""
    here = [row for row in rows if api.key(row) not in away] if away else rows
    return _Reply(ask, api, version, lambda: iter(here), follows, tuple(key for key in ask.keys if key in away))


def _size_of(reply: _Reply) -> int | None:
    """What the page was asked for at most: items of a cursor, keys of a window."""
    return {"cursor": reply.ask.limit, "window": len(reply.ask.keys) or None}.get(reply.api.paging)


def refused(chain: Chain, clock: Clock) -> Page:
    """The error page of a chain whose node cannot be asked at all."""
    code, message = chain.refusal or (error_codes.BROKER_NOT_ALIVE, f"broker {chain.node_id} is not alive")
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
