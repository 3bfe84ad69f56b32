"""Changes of what a broker has during a walk of KIP-1062's RPCs, and what a walk then still owes."""

from collections.abc import Callable
from typing import Any

from harness.paging_broker import Item, Paged, Pages, paging_broker
from kafka_census.paging.page import Page
from kafka_census.rpc import rpc as rpc_named
from unit.cursor_cases import Case, linked

Change = Callable[[Case, list[Item], Any], list[Item]]


def walk_while(case: Case, page: int, change: Change, items: list[Item] | None = None) -> tuple[list[Page], Pages]:
    """A walk in pages of one during which the broker's items change just before this page is answered."""
    pages = Pages({case.paged: case.items if items is None else items})

    def changing(number: int, request: Any, answer: Callable[[], Any]) -> Any:
        if number == page:
            pages.state[case.paged] = change(case, pages.state[case.paged], request)
        return answer()

    pages.on_page = changing
    with paging_broker(pages) as broker:
        return case.walk(broker, limit=1), pages


def whole(case: Case, items: list[Item], first: Item) -> list[Item]:
    """Items without this one; of Metadata without its topic, since a topic does not lose a partition."""
    lost = {item for item in items if item.place[0] == first.place[0]} if case.rpc == "Metadata" else {first}
    return [item for item in items if item not in lost]


def from_the_cursor(paged: Paged, items: list[Item], request: Any) -> list[Item]:
    """What is not told yet, in order."""
    place = paged.order(tuple(request.cursor))
    left = [item for item in items if paged.order(item.place) >= place]
    return sorted(left, key=lambda item: paged.order(item.place))


def next_goes(case: Case, items: list[Item], request: Any) -> list[Item]:
    """The item that the cursor names vanishes."""
    left = from_the_cursor(case.paged, items, request)
    return whole(case, items, left[0]) if left else items


def rest_goes(case: Case, items: list[Item], request: Any) -> list[Item]:
    """All that is not told yet vanishes."""
    for item in from_the_cursor(case.paged, items, request):
        items = whole(case, items, item)
    return items


def told_goes(case: Case, items: list[Item], request: Any) -> list[Item]:
    """All that is told vanishes."""
    left = from_the_cursor(case.paged, items, request)
    return [item for item in items if item in left]


def half_goes(_case: Case, items: list[Item], _request: Any) -> list[Item]:
    """Every other item vanishes."""
    return items[::2]


def all_come(case: Case, _items: list[Item], _request: Any) -> list[Item]:
    """Items appear, before the cursor and after it."""
    return case.items


def answered_once(case: Case, pages: list[Page]) -> None:
    """Each key has rows, and one that has a row with an error has no other."""
    linked(pages)
    key, column = key_and_error(case)
    codes: dict[str, list[int]] = {}
    for row in (row for page in pages for row in page.rows):
        codes.setdefault(key(row), []).append(row[column])
    assert sorted(codes) == sorted(case.keys), f"not answered: {set(case.keys) - set(codes)}"
    twice = {key: some for key, some in codes.items() if any(some) and len(some) > 1}
    assert not twice, f"answered and refused: {twice}"


def key_and_error(case: Case) -> tuple[Callable[[Any], str], int]:
    """What says which key a row answers, and the column of its error."""
    rpc = rpc_named(case.rpc, case.scope)
    assert rpc.error_column is not None
    return rpc.apis[0].key, rpc.error_column
