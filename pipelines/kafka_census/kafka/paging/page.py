"""A chain is one walk at one node; a page is the result of one of its steps.

A page holds two values that never change: the cursor that requested it and the
cursor that it returned. A refusal is a page too, with its error and no rows.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Row
from kafka_census.kafka.protocol.endpoint import Endpoint


@dataclass(frozen=True)
class Chain:
    """One walk to take, from `cursor` on.

    endpoint   host and port of the node; None when it cannot be asked: the chain then
               ends at once in `refusal` (an error code and the reason).
    page_no    number of the page that `cursor` asks for.
    waves        number of waves that the chain has filled so far
    empty_pages  number of pages by cursor without an item at the end of the landed chain
    """

    node_id: int
    chain_id: str
    endpoint: Endpoint | None
    keys: tuple[str, ...] = ()
    page_no: int = 0
    try_no: int = 0
    cursor: Cursor | None = None
    refusal: tuple[int, str] | None = None
    waves: int = 0
    empty_pages: int = 0


@dataclass(frozen=True)
class Page:
    """One row of `landing/pages` without the columns that the whole wave shares. `empty_pages` is not landed."""

    chain: Chain
    page_no: int
    request_cursor: Cursor | None
    requested_at: datetime
    received_at: datetime
    api: str | None = None
    api_version: int | None = None
    release_at_least: str | None = None
    paging: str | None = None
    part_no: int = 0
    parts: int = 1
    next_cursor: Cursor | None = None
    page_limit: int | None = None
    error_code: int = 0
    error_message: str | None = None
    throttle_time_ms: int = 0
    attempts: int = 0
    response_bytes: int = 0
    open_keys: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    empty_pages: int = 0

    @property
    def goes_on(self) -> bool:
        """Whether the page has a next cursor, and no error."""
        return not self.error_code and self.next_cursor is not None

    def next_wave(self) -> Chain:
        """The chain that continues after this page in the next wave."""
        chain, following = self.chain, self.page_no + 1
        return replace(
            chain, cursor=self.next_cursor, page_no=following, waves=chain.waves + 1, empty_pages=self.empty_pages
        )
