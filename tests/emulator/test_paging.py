"""The laws of paging, of the one paging function."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_emulator.paging import Cursor, Flat, Indexes, Listing, Nested, Page, Sorted, by_fields, clamp, page

NAMES = st.lists(st.text("ab\uffee\U0001f600", max_size=3), unique=True, max_size=8)


class Members:
    """The members m0 … of a group, as an inner listing."""

    def __init__(self, count: int) -> None:
        self._ids = Sorted(f"m{number}" for number in range(count))

    def at(self, cursor: Cursor) -> int:
        """By id."""
        return self._ids.at(cursor[0])

    def cursor(self, position: int) -> Cursor:
        """The id."""
        return (self._ids[position],)


@st.composite
def groups(draw: st.DrawFn) -> Nested:
    """Groups with some members, without any, or with an error."""
    holders = Sorted(draw(NAMES))
    sizes = [draw(st.integers(0, 4)) for _ in holders]
    failed = [draw(st.booleans()) for _ in holders]
    columns = np.array(sizes, np.int64), np.array(failed, np.bool_)
    return Nested(
        holders, columns[0], lambda holder: Members(sizes[holder]), ("",), failed=columns[1], free=draw(st.booleans())
    )


def pages(listing: Listing, limit: int) -> Iterator[Page]:
    cursor = None
    while True:
        one = page(listing, cursor, limit)
        yield one
        if one.next_cursor is None:
            return
        cursor = one.next_cursor


def reported(listing: Nested, one: Page) -> list[tuple[str, Any]]:
    """The items of a page; None stands for a holder without items or with an error."""
    found: list[tuple[str, Any]] = []
    for part in listing.parts(one):
        items = range(part.begin, part.end) if part.end else (None,)
        found += [(listing.holders[part.holder], item) for item in items]
    return found


def cost(listing: Nested, item: tuple[str, Any]) -> int:
    """Everything costs one, errors too, unless they are free."""
    assert listing.failed is not None
    return 0 if listing.free and listing.failed[listing.holders.at(item[0])] else 1


@given(groups(), st.integers(1, 7))
def test_any_limit_gives_the_same_items_as_no_limit(listing: Nested, limit: int) -> None:
    """Each once, in order; no page is over its limit, and none but the last could have held more."""
    whole = reported(listing, page(listing))
    walked = list(pages(listing, limit))
    assert [item for one in walked for item in reported(listing, one)] == whole
    assert len(set(whole)) == len(whole)
    for one in walked[:-1]:
        assert sum(cost(listing, item) for item in reported(listing, one)) == limit
    assert sum(cost(listing, item) for item in reported(listing, walked[-1])) <= limit


@given(groups(), st.integers(1, 7))
def test_cursors_go_up_and_begin_where_they_say(listing: Nested, limit: int) -> None:
    """A cursor names the first item of its page, or the beginning of its holder."""
    cursors = [one.next_cursor for one in pages(listing, limit) if one.next_cursor is not None]
    assert [by_fields(one) for one in cursors] == sorted({by_fields(one) for one in cursors})
    for cursor in cursors:
        assert listing.cursor(listing.at(cursor)) == cursor


@given(groups(), st.text("ab\uffee", max_size=3), st.text("m0123", max_size=2))
def test_a_cursor_whose_item_is_gone_begins_at_the_next_one(listing: Nested, name: str, member: str) -> None:
    """And an error of the group of the cursor is reported, whatever the position."""
    assert listing.failed is not None
    rest = reported(listing, page(listing, (name, member)))
    expected = []
    for item in reported(listing, page(listing)):
        holder = listing.holders.at(item[0])
        position = (item[0], "" if item[1] is None else f"m{item[1]}")
        within_failed = bool(listing.failed[holder]) and item[0] == name
        if within_failed or by_fields(position) >= by_fields((name, member)):
            expected.append(item)
    assert rest == expected


def test_an_exactly_full_last_page_ends_the_walk() -> None:
    """As Kafka's own handler does."""
    assert list(pages(Flat(6, lambda cursor: int(cursor[0]), lambda position: (position,)), 3)) == [
        Page(0, 3, (3,)),
        Page(3, 6, None),
    ]


@pytest.mark.parametrize(("asked", "given"), [(-1, 1), (0, 1), (1, 1), (1999, 1999), (2000, 2000), (2**31 - 1, 2000)])
def test_a_limit_is_clamped(asked: int, given: int) -> None:
    """To 1 .. the broker's own."""
    assert clamp(asked, 2000) == given


def test_pages_of_a_million_cost_what_a_page_costs() -> None:
    sizes = np.full(1000, 1000, np.int64)
    listing = Nested(Sorted(f"t{number:04d}" for number in range(1000)), sizes, lambda _: Indexes(), (0,))
    assert page(listing, ("t0500", 999), 3) == Page(500_999, 501_002, ("t0501", 2))
