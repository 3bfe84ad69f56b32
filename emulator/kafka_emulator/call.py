"""One request as its handler sees it: the broker, the listener, the version, and how the request pages."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from kafka_emulator import paging
from kafka_emulator.features import Speaks
from kafka_emulator.paging import Listing, Page
from kafka_emulator.world import World

DEFAULT_LIMIT = 2000


@dataclass(frozen=True)
class Call:
    """The context of a request.

    world         the cluster now
    broker        the id of the broker that received the request
    listener      the name of the listener that received the request
    speaks        the version and the features of that broker
    offers        the lowest and highest version of each API that the broker offers, by key
    version       the version of the request and the response
    paged         whether this version has KIP-1062's limit and cursor
    server_limit  the broker's limit: max.request.pagination.size.limit, or that of the RPC; a fault may lower it
    """

    world: World
    broker: int
    listener: str
    speaks: Speaks
    offers: Mapping[int, tuple[int, int]]
    version: int
    paged: bool = False
    server_limit: int = DEFAULT_LIMIT

    def page(self, listing: Listing, request: Any) -> Page:
        """The part of a listing that answers this request: a page by its cursor and limit, or everything."""
        if not self.paged:
            return paging.page(listing)
        limit = paging.clamp(request.response_pagination_limit, self.server_limit)
        return paging.page(listing, position_of(request.cursor), limit)

    def follows(self, response_class: Any, page: Page) -> dict[str, Any]:
        """NextCursor as a field of a response; empty at versions that have no cursor."""
        return {"next_cursor": cursor_of(response_class, page.next_cursor)} if self.paged else {}

    def limited(self, limit: int) -> "Call":
        """The same call at a broker whose limit is at most this."""
        return self.with_limit(min(limit, self.server_limit))

    def with_limit(self, limit: int) -> "Call":
        """The same call at a broker with this limit."""
        return replace(self, server_limit=limit)

    def without_paging(self) -> "Call":
        """The same call without pages: everything is answered."""
        return replace(self, paged=False)


def position_of(cursor: Any) -> paging.Cursor | None:
    """A cursor of a request as a tuple, in the order of its fields."""
    return None if cursor is None else tuple(getattr(cursor, name) for name in type(cursor).fields)


def cursor_of(message: Any, position: paging.Cursor | None) -> Any:
    """A tuple as the cursor of a message class."""
    return None if position is None else message.Cursor(**dict(zip(message.Cursor.fields, position, strict=True)))
