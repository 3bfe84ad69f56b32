"""A chain is one walk at one node; a page is what one step of it brought back.

A page holds two values that never change: the cursor that asked for it and the
cursor it returned. A refusal is a page too, with its error and no rows.
"""

from dataclasses import dataclass
from datetime import datetime

from kafka_census.paging.cursor import Cursor
from kafka_census.paging.rpc import Row
from kafka_census.protocol.connection import Endpoint


@dataclass(frozen=True)
class Chain:
    """One walk to take, from `cursor` on.

    endpoint   where the node listens; None when it cannot be asked: the chain then
               ends at once in `refusal` (an error code and why).
    page_no    number of the page that `cursor` asks for.
    """

    node_id: int
    chain_id: str
    endpoint: Endpoint | None
    keys: tuple[str, ...] = ()
    page_no: int = 0
    try_no: int = 0
    cursor: Cursor | None = None
    refusal: tuple[int, str] | None = None


@dataclass(frozen=True)
class Page:
    """One row of a landing table, but for what the whole wave has in common."""

    chain: Chain
    page_no: int
    request_cursor: Cursor | None
    requested_at: datetime
    received_at: datetime
    api: str | None = None
    api_version: int | None = None
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
