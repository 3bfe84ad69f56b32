"""Answers page by page: what any limit gives is compared with the whole answer."""

from collections.abc import Callable
from typing import Any

from emulator.asking import ask
from kafka_emulator.server import Server


def pages(server: Server, make: Callable[[], Any], version: int, limit: int, broker: int = 1) -> list[Any]:
    """The responses of one walk from the first page to a null cursor."""
    found: list[Any] = []
    cursor = None
    while True:
        response = one_page(server, make(), version, limit, cursor, broker)
        found.append(response)
        if response.next_cursor is None:
            return found
        following = tuple(getattr(response.next_cursor, name) for name in type(response.next_cursor).fields)
        assert following != cursor, "a walk must go on"
        cursor = following


def one_page(
    server: Server, request: Any, version: int, limit: int, cursor: tuple[Any, ...] | None = None, broker: int = 1
) -> Any:
    """The response to one request with a limit and a cursor."""
    request.response_pagination_limit = limit
    kind = type(request).Cursor
    request.cursor = None if cursor is None else kind(**dict(zip(kind.fields, cursor, strict=True)))
    return ask(server, request, version, broker)


def fields(item: Any, *names: str) -> tuple[Any, ...]:
    """Some fields of a decoded struct."""
    return tuple(getattr(item, name) for name in names)
