"""One page: shrink requests whose answer is too large or too late, and retry keys with a retriable error.

- A window that times out or whose answer is too large is halved, and grows back some pages
  later; a cursor's limit likewise. No request exceeds the broker's own limit. Where the answer
  for one key is too large, or any is too late, what can be left out is left out (`Api.brief`).
- Keys with a retriable error are asked again for some rounds before the error stands.
- A page that does not begin with the item that its cursor names, or that has no request
  cursor, is verified: a page of one item from the same position must begin with the same item. Else
  the page is asked for again, until it has that item, which may be new, or no item is before it.
- Keys that another node answers are left out of the rows and listed in `Reply.unmapped`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from kafka_census.kafka import error_codes
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.lookup import KeyLookup
from kafka_census.kafka.paging import cursor as cursors
from kafka_census.kafka.paging.cursor import Cursor, Position
from kafka_census.kafka.paging.retries import Exchange, PagingChanged, Tally
from kafka_census.kafka.paging.rpc import Api, Ask, Row, Rpc
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.wire_error import WireError

ITEM_ROUNDS = 3
"""How often keys with a retriable error are asked before the error stands."""

PROOF_ROUNDS = 5
"""How often a page that lacks its first item is asked for before it is refused. A change of the cluster
between a page and its verification costs a round.
"""

MOST_HELD = 64
"""The largest number of pages before a reduced request size grows again."""


@dataclass(frozen=True)
class Reply:
    """An answer: the question, the API and version, the rows, the next cursor, and keys that another node answers.

    `rows` decodes the rows of a whole answer one at a time, and may be called more than once.
    """

    ask: Ask
    api: Api
    version: int
    rows: Callable[[], Iterable[Row]]
    count: int
    next_cursor: Cursor | None
    unmapped: tuple[str, ...] = ()

    @property
    def page_limit(self) -> int | None:
        """The limit of the request: items for a cursor, keys for a window; None for a whole answer."""
        return {"cursor": self.ask.limit, "window": len(self.ask.keys) or None}.get(self.api.paging)


class Steps:
    """The pages of one chain, one after the other, and the size of each request."""

    def __init__(self, exchange: Exchange, rpc: Rpc, collect: CollectSettings, keys: int) -> None:
        """At first a window holds all keys of the chain, and a page the limit of the RPC."""
        self._exchange = exchange
        self._rpc = rpc
        self._collect = collect
        self._keys = self._size = max(1, keys)
        self._page_limit = self._limit = self._asked_limit = collect.page_limit_of(rpc.name)
        self._hold = self._held = 0
        self._brief = False

    def grow(self) -> None:
        """Double the request size, some pages after a request that was too large; the wait doubles each time."""
        if self._held:
            self._held -= 1
            return
        self._size = min(self._keys, self._size * 2)
        self._limit = min(self._page_limit, self._limit * 2)

    async def take(self, position: Position, tally: Tally) -> Reply:
        """The page at a position; the request shrinks until its answer fits and is in time.

        Raises WireError, and PagingChanged where the node no longer pages in the way of the position's cursor.
        """
        self._brief = False
        while True:
            try:
                return await self._step(position, tally)
            except WireError as error:
                if not self._shrink(error, position):
                    raise
                self._held, self._hold = self._hold, min(MOST_HELD, self._hold * 2 or 1)
                # A node that does not answer in time may no longer be the coordinator or leader.
                await self._exchange.follow(position.keys[:1])

    def _shrink(self, error: WireError, position: Position) -> bool:
        """Halve the request size where that may help; False where it cannot."""
        if error.code not in error_codes.SHRINKABLE or self._exchange.api is None or self._exchange.time_left <= 0:
            return False
        api, version = self._exchange.api
        keys = len(self._window(position)) if api.paging == "window" else 0
        can_be_brief = api.brief is not None and version >= api.brief and not self._brief
        if can_be_brief and (keys == 1 or error.code == ErrorCode.DEADLINE_EXCEEDED):
            self._brief = True
            return True
        if api.paging == "window" and keys > 1:
            self._size = keys // 2
            return True
        if api.paging == "cursor" and self._asked_limit > 1:
            self._limit = self._asked_limit // 2
            return True
        return False

    def _window(self, position: Position) -> tuple[str, ...]:
        start = position.keys.index(cursors.first_key(position.cursor)) if position.cursor is not None else 0
        return position.keys[start : start + self._size]

    async def _step(self, position: Position, tally: Tally) -> Reply:
        """One page: negotiate the API, ask, and retry keys with a retriable error."""
        api, _ = await self._exchange.offered(position.keys, tally)
        if position.cursor is not None and api.paging != cursors.paging_of(position.cursor):
            if not position.moves or not self._begins_a_key(position.cursor):
                raise PagingChanged
            # No row of keys that moved is reported yet: their new node may page in another way.
            position = replace(position, cursor=None)
        final = position.moves >= self._collect.max_attempts
        if api.paging == "window" and position.keys:
            return await self._window_step(position, api, tally, final=final)
        if api.paging == "cursor":
            return await self._cursor_step(position, api, tally, final=final)
        ask = Ask(position.keys, None, self._limit)
        api, version, response = await self._exchange.send(ask, api, tally, shrinkable=False)
        count = self._exchange.rows(api, response, ask, lambda rows: sum(1 for _ in rows))
        return Reply(ask, api, version, lambda: api.rows(response, ask), count, None)

    def _begins_a_key(self, cursor: Cursor) -> bool:
        """Whether a broker's cursor is at the start of a key, not inside the answer to a key."""
        starts = (one.key_start for one in self._rpc.apis if one.key_start)
        return any(cursor[-len(start) :] == start for start in starts)

    async def _cursor_step(self, position: Position, api: Api, tally: Tally, *, final: bool) -> Reply:
        self._asked_limit = min(self._limit, await self._exchange.limit(api) or self._limit)
        ask = Ask(position.keys, position.cursor, self._asked_limit)
        lost: Cursor | None = None
        for round_no in range(1, PROOF_ROUNDS + 1):
            api, version, response = await self._exchange.send(ask, api, tally, shrinkable=ask.limit > 1)
            rows = self._exchange.rows(api, response, ask, list)
            retriable, unmapped = self._sorted_out(api, rows)
            lost = await self._lost(api, response, ask, lost, tally)
            if lost is None and (not retriable or round_no >= ITEM_ROUNDS):
                break
            await self._exchange.pause(round_no)
        else:
            text = f"{self._exchange.connection.endpoint}: {api.name}: a page lacks its first item, {lost}"
            raise WireError(ErrorCode.INCONSISTENT_PAGES, text)
        away = frozenset() if final else unmapped
        return _reply(ask, api, version, rows, api.next_cursor(response), away)

    async def _lost(self, api: Api, response: Any, ask: Ask, known: Cursor | None, tally: Tally) -> Cursor | None:
        """The cursor of an item that a page lacks at its beginning; `known` is an item found missing a moment ago."""
        positions = self._exchange.read(api, lambda: list(islice(api.positions(response), None if known else 1)))
        if not positions or positions[0] == ask.cursor or known in positions:
            return None
        # Where a page may end inside a key, only the first key is in doubt: a key without any row is noticed later.
        keys = (api.cut_key(positions[0]),) if api.cut_key is not None and ask.keys else ask.keys
        api, _, response = await self._exchange.send(Ask(keys, ask.cursor, 1), api, tally, shrinkable=False)
        found = self._exchange.read(api, lambda: next(api.positions(response), None))
        return None if found == positions[0] else found

    async def _window_step(self, position: Position, api: Api, tally: Tally, *, final: bool) -> Reply:
        window = Ask(self._window(position), None, self._limit)
        rows: list[Row] = []
        away: frozenset[str] = frozenset()
        pending = window.keys
        for round_no in range(1, ITEM_ROUNDS + 1):
            again: frozenset[str] = frozenset()
            for part in [(key,) for key in pending] if api.one_key else [pending]:
                ask = Ask(part, None, self._limit, self._brief)
                api, version, response = await self._exchange.send(ask, api, tally, shrinkable=len(part) > 1)
                answered = self._exchange.rows(api, response, ask, list)
                retriable, unmapped = self._sorted_out(api, answered)
                held = (retriable if round_no < ITEM_ROUNDS else frozenset()) | (frozenset() if final else unmapped)
                again |= retriable & held
                away |= unmapped & held
                rows += [row for row in answered if api.key(row) not in held] if held else answered
            if not again:
                break
            pending = tuple(key for key in pending if key in again)
            await self._exchange.pause(round_no)
        if isinstance(self._exchange.lookup, KeyLookup):
            keys = {api.key(row) for row in rows} | away
            self._exchange.refuse_silence(api, [key for key in window.keys if key not in keys])
        after = position.keys.index(window.keys[-1]) + 1
        follows = cursors.window(position.keys[after]) if after < len(position.keys) else None
        return _reply(window, api, version, rows, follows, away)

    def _sorted_out(self, api: Api, rows: list[Row]) -> tuple[frozenset[str], frozenset[str]]:
        """Keys to ask for again at this node, and keys that another node answers."""
        column = self._rpc.error_column
        if column is None or not (api.retriable or api.unmapped):
            return frozenset(), frozenset()
        failed = [(row[column], api.key(row)) for row in rows if row[column]]
        return (
            frozenset(key for code, key in failed if code in api.retriable),
            frozenset(key for code, key in failed if code in api.unmapped),
        )


def _reply(ask: Ask, api: Api, version: int, rows: list[Row], follows: Cursor | None, away: frozenset[str]) -> Reply:
    """A reply without the rows of the keys in `away`, which `unmapped` lists in the order of the request."""
    here = [row for row in rows if api.key(row) not in away] if away else rows
    return Reply(ask, api, version, lambda: here, len(here), follows, tuple(key for key in ask.keys if key in away))
