"""The pager: walks one chain at one node, page by page, to its end or its error.

- Which API is used is decided by the node's ApiVersions, before each page.
- A request is sent again, after a backoff, while its error is retriable, attempts are
  left and the chain's deadline has not passed. The cursor stays.
- A window that times out or whose answer is too large is halved, and grows back;
  a cursor's limit likewise.
- A cursor seen before in its chain is an error, not a loop.
- What cannot be had ends the chain in an error page. No chain hangs, none is short
  without a page that says so.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

from kafka.net.selector import NetworkSelector

from kafka_census.clock import Clock
from kafka_census.paging.cursor import Cursor
from kafka_census.paging.page import Chain, Page
from kafka_census.paging.rpc import Api, Ask, Row, Rpc
from kafka_census.protocol import error_codes
from kafka_census.protocol.connection import Connection
from kafka_census.protocol.error_codes import WireError, error_name
from kafka_census.protocol.retry import Backoff, is_retriable
from kafka_census.protocol.settings import CollectSettings

ITEM_ROUNDS = 3
"""How often keys without a settled answer are asked before their error stands."""

Emit = Callable[[Page], Awaitable[None]]


@dataclass
class _Tally:
    """What one page cost so far."""

    requested_at: datetime
    attempts: int = 0
    response_bytes: int = 0
    throttle_time_ms: int = 0


@dataclass(frozen=True)
class _Reply:
    """What one step brought: the API that was used, its rows, the broker's cursor."""

    api: Api
    version: int
    rows: Callable[[], Iterator[Row]]
    next_cursor: Cursor | None


@dataclass(frozen=True)
class Pager:
    """Walks chains of one RPC at one node; `emit` takes each page as it comes."""

    net: NetworkSelector
    rpc: Rpc
    connection: Connection
    collect: CollectSettings
    clock: Clock
    emit: Emit

    async def walk(self, chain: Chain) -> None:
        """Emit the pages of a chain until it ends, fails, or has filled its wave."""
        await _Walk(self, chain).run()


class _Walk:
    """One chain while it is walked: where it is, and how much it asks for at a time."""

    def __init__(self, pager: Pager, chain: Chain) -> None:
        self._net = pager.net
        self._rpc = pager.rpc
        self._connection = pager.connection
        self._collect = pager.collect
        self._clock = pager.clock
        self._emit = pager.emit
        self._chain = chain
        self._backoff = Backoff(pager.collect.retry_backoff_ms, pager.collect.retry_backoff_max_ms)
        self._deadline = pager.clock.monotonic() + pager.collect.chain_deadline_ms / 1000
        self._api: tuple[Api, int] | None = None
        self._size = max(1, len(chain.keys))
        self._page_limit = pager.collect.page_limit_of(pager.rpc.name)
        self._limit = self._page_limit
        self._seen = {chain.cursor}
        self._last_row: Row | None = None

    async def run(self) -> None:
        cursor, page_no = self._chain.cursor, self._chain.page_no
        for landed in range(1, self._collect.pages_per_wave + 1):
            tally = _Tally(self._clock.now())
            try:
                ask, reply = await self._largest_answer(cursor, tally)
                follows = self._follows(ask, reply)
                rows = () if reply.api.paging == "whole" else tuple(reply.rows())
                self._prove(ask, reply, rows, follows)
            except WireError as error:
                await self._emit(self._error_page(page_no, cursor, tally, error))
                return
            page = replace(
                self._page(page_no, cursor, tally),
                api=reply.api.name,
                api_version=reply.version,
                paging=reply.api.paging,
                page_limit=ask.limit if reply.api.paging == "cursor" else None,
                next_cursor=follows,
                open_keys=self._chain.keys if follows is not None and landed == self._collect.pages_per_wave else (),
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

    async def _largest_answer(self, cursor: Cursor | None, tally: _Tally) -> tuple[Ask, _Reply]:
        """One page, asked for in smaller windows until its answer fits and is in time."""
        while True:
            ask = Ask(self._chain.keys, cursor, self._limit)
            try:
                return await self._step(ask, tally)
            except WireError as error:
                if not self._shrink(error, ask):
                    raise

    def _shrink(self, error: WireError, ask: Ask) -> bool:
        """Halve what is asked for, where that can help."""
        if error.code not in error_codes.SHRINKABLE or self._api is None or self._clock.monotonic() >= self._deadline:
            return False
        paging = self._api[0].paging
        if paging == "window" and len(self._window(ask)) > 1:
            self._size = len(self._window(ask)) // 2
            return True
        if paging == "cursor" and self._limit > 1 and error.code == error_codes.FRAME_TOO_LARGE:
            self._limit //= 2
            return True
        return False

    def _prove(self, ask: Ask, reply: _Reply, rows: tuple[Row, ...], follows: Cursor | None) -> None:
        """Raise where this page cannot be the one that follows the page before."""
        where = f"{self._connection.endpoint}: {self._rpc.name}"
        broken = reply.api.check(ask, self._last_row, rows)
        if broken is not None:
            raise WireError(error_codes.INCONSISTENT_PAGES, f"{where}: {broken}")
        if follows is not None and follows in self._seen:
            raise WireError(error_codes.CURSOR_REPEATED, f"{where} returned the cursor {follows} twice")

    def _window(self, ask: Ask) -> tuple[str, ...]:
        start = ask.keys.index(str(ask.cursor[0])) if ask.cursor is not None else 0
        return ask.keys[start : start + self._size]

    def _follows(self, ask: Ask, reply: _Reply) -> Cursor | None:
        """The cursor of the page that follows: the broker's, or the first key not yet asked."""
        if reply.api.paging != "window" or not ask.keys:
            return reply.next_cursor
        keys = self._chain.keys
        after = keys.index(ask.keys[-1]) + 1
        return (keys[after],) if after < len(keys) else None

    async def _step(self, ask: Ask, tally: _Tally) -> tuple[Ask, _Reply]:
        """One page: negotiate, ask, ask unsettled keys again. The Ask that is returned is what was answered."""
        api, version = await self._persist(self._offered, tally, retry_timeouts=True)
        if api.paging != "window" or not ask.keys:
            response = await self._exchange(ask, tally, shrinkable=False)
            api, version = self._api or (api, version)
            return ask, _Reply(api, version, lambda: iter(api.rows(response, ask)), api.next_cursor(response))
        window = Ask(self._window(ask), None, ask.limit)
        rows: list[Row] = []
        pending = window.keys
        for round_no in range(1, ITEM_ROUNDS + 1):
            again: set[str] = set()
            for part in [(key,) for key in pending] if api.one_key else [pending]:
                question = Ask(part, None, ask.limit)
                response = await self._exchange(question, tally, shrinkable=len(part) > 1)
                api, version = self._api or (api, version)
                unsettled = api.unsettled(response, question) if round_no < ITEM_ROUNDS else frozenset()
                again |= unsettled
                rows.extend(row for row in api.rows(response, question) if not unsettled or row[0] not in unsettled)
            if not again:
                break
            pending = tuple(key for key in pending if key in again)
            await self._net.sleep(self._backoff.delay(round_no))
        return window, _Reply(api, version, lambda: iter(rows), None)

    async def _offered(self) -> tuple[Api, int]:
        """The first of the RPC's APIs that this node offers now, and its version."""
        for api in self._rpc.apis:
            if api.paging == "whole" and self._chain.keys:
                continue  # its keys came with a fall-back to windows
            version = await self._connection.version(api.request.API_KEY, api.min_version, api.max_version)
            if version is not None:
                self._api = api, version
                return self._api
        raise WireError(error_codes.UNSUPPORTED_VERSION, f"{self._connection.endpoint} does not offer {self._rpc.name}")

    async def _exchange(self, ask: Ask, tally: _Tally, *, shrinkable: bool) -> Any:
        """One question until it has an answer; raises WireError when it will have none."""

        async def once() -> Any:
            api, version = self._api or await self._offered()
            left = self._deadline - self._clock.monotonic()
            timeout = max(0.001, min(self._collect.request_timeout_ms / 1000, left))
            tally.attempts += 1
            answer = await self._connection.send(api.build(version, ask), timeout)
            tally.response_bytes += answer.size
            tally.throttle_time_ms += getattr(answer.response, "throttle_time_ms", 0) or 0
            code, message = api.error(answer.response)
            if code:
                detail = f": {message}" if message else ""
                raise WireError(code, f"{self._connection.endpoint}: {api.name} v{version}: {error_name(code)}{detail}")
            return answer.response

        return await self._persist(once, tally, retry_timeouts=not shrinkable)

    async def _persist(self, action: Callable[[], Awaitable[Any]], tally: _Tally, *, retry_timeouts: bool) -> Any:
        """Repeat an action while its error may pass."""
        failures = 0
        while True:
            try:
                return await action()
            except WireError as error:
                failures += 1
                hopeless = not is_retriable(error.code) or failures >= self._collect.max_attempts
                if hopeless or (error.code == error_codes.DEADLINE_EXCEEDED and not retry_timeouts):
                    raise
                delay = self._backoff.delay(failures)
                if self._clock.monotonic() + delay >= self._deadline:
                    raise WireError(
                        error_codes.DEADLINE_EXCEEDED,
                        f"gave up after collect.chain_deadline_ms "
                        f"({self._collect.chain_deadline_ms} ms, {tally.attempts} requests): {error.message}",
                    ) from None
                self._api = None
                await self._net.sleep(delay)

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

    def _page(self, page_no: int, cursor: Cursor | None, tally: _Tally) -> Page:
        return Page(
            chain=self._chain,
            page_no=page_no,
            request_cursor=cursor,
            requested_at=tally.requested_at,
            received_at=self._clock.now(),
            throttle_time_ms=tally.throttle_time_ms,
            attempts=tally.attempts,
            response_bytes=tally.response_bytes,
        )

    def _error_page(self, page_no: int, cursor: Cursor | None, tally: _Tally, error: WireError) -> Page:
        api, version = self._api or (None, None)
        return replace(
            self._page(page_no, cursor, tally),
            api=api.name if api else None,
            api_version=version,
            paging=api.paging if api else None,
            error_code=error.code,
            error_message=error.message,
            open_keys=self._chain.keys,
        )


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
