"""The page chain refuses every chain that lost, doubled or swapped a page, and no other; cursors come back whole."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from harness.headers import header
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.paging import cursor as cursors
from kafka_census.kafka.paging.cursor import Cursor, Position, from_json, position_of, to_json
from kafka_census.pages.header import Header, latest
from kafka_census.pages.page_chain import missing_reads

RPC, SCOPE, NODE = "ListGroups", "groups", 1
WALK = walk_named(RPC, SCOPE)

Draw = Callable[[st.SearchStrategy[Any]], Any]
HALF = settings(max_examples=max(1, settings().max_examples // 2))
"""A chain has few forms, of which each example has several."""

Chain = list[Header]
"""The landed rows of one chain, in any order."""


def row(page_no: int, request: str | None, following: str | None, **columns: object) -> Header:
    cursors = {"page_no": page_no, "request_cursor": request, "next_cursor": following}
    return header(RPC, SCOPE, **{"node_id": NODE, "chain_id": "chain", **cursors, **columns})


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    """Whole chains: of some pages, each in one part or several, some of which failed before they were healed."""
    cursors = draw(st.lists(st.integers(0, 9).map(lambda name: f'["{name}"]'), unique=True, max_size=6))
    found: Chain = []
    for page_no, (request, following) in enumerate(pairwise([None, *cursors, None])):
        tries, parts = draw(st.integers(0, 2)), draw(st.integers(1, 3))
        found += [row(page_no, request, None, try_no=number, error_code=-101) for number in range(tries)]
        found += [row(page_no, request, following, try_no=tries, part_no=part, parts=parts) for part in range(parts)]
    return draw(st.permutations(found))


def refused(rows: Chain) -> bool:
    return bool(missing_reads(rows, [(RPC, SCOPE, NODE)], {}, (WALK,)))


def last_page(rows: Chain) -> int:
    return max(one.page_no for one in rows)


@HALF
@given(chains())
def test_a_whole_chain_is_not_refused(rows: Chain) -> None:
    """Or else what follows would prove nothing."""
    assert not refused(rows)


def a_page_less(rows: Chain, draw: Draw) -> Chain:
    lost = draw(st.integers(0, last_page(rows)))
    return [one for one in rows if one.page_no != lost]


def a_part_less(rows: Chain, draw: Draw) -> Chain:
    """Or the try that healed a page: rows that count are those without an error."""
    lost = draw(st.sampled_from([one for one in rows if not one.error_code]))
    return [one for one in rows if one is not lost]


def a_part_more(rows: Chain, draw: Draw) -> Chain:
    """Landed twice by one try: its items would count twice."""
    return [*rows, draw(st.sampled_from([one for one in rows if not one.error_code]))]


def two_swapped(rows: Chain, draw: Draw) -> Chain:
    assume(last_page(rows) > 0)
    one, other = draw(st.permutations(range(last_page(rows) + 1)))[:2]
    swapped = {one: other, other: one}
    return [replace(each, page_no=swapped.get(each.page_no, each.page_no)) for each in rows]


@pytest.mark.parametrize("damaged", [a_page_less, a_part_less, a_part_more, two_swapped])
@HALF
@given(rows=chains(), data=st.data())
def test_a_damaged_chain_is_refused(damaged: Callable[[Chain, Draw], Chain], rows: Chain, data: st.DataObject) -> None:
    assert refused(damaged(rows, data.draw))


@HALF
@given(chains(), st.data())
def test_a_page_that_is_landed_again_by_a_later_try_changes_nothing(rows: Chain, data: st.DataObject) -> None:
    again = data.draw(st.integers(0, last_page(rows)))
    counts = [one for one in rows if one.page_no == again and not one.error_code]
    more = [*rows, *(replace(one, try_no=one.try_no + 1) for one in counts)]
    assert not refused(more)
    (before,), (after,) = latest(rows).values(), latest(more).values()
    assert [replace(one, try_no=0) for one in after] == [replace(one, try_no=0) for one in before]


@HALF
@given(chains(), st.data())
def test_a_chain_of_which_a_page_was_reported_twice_is_refused(rows: Chain, data: st.DataObject) -> None:
    """Once more behind itself, as the next page; but a first page that comes again begins the chain anew."""
    doubled = data.draw(st.integers(0, last_page(rows)))
    later = [replace(one, page_no=one.page_no + 1) if one.page_no > doubled else one for one in rows]
    more = [*later, *(replace(one, page_no=doubled + 1) for one in rows if one.page_no == doubled)]
    if doubled == 0 < last_page(rows):
        (anew,) = latest(more).values()
        assert not refused(more)
        assert sorted({one.page_no for one in anew}) == list(range(1, last_page(rows) + 2))
    else:
        assert refused(more)


ODD = st.sampled_from(["\ud800", "a\udfff", '"', "\\", "\0", "\u00e9", "\U00010400"])
NAMES = ODD | st.text(st.characters(exclude_categories=("Cs",)) | st.just("\ud800"), max_size=5)
"""Names of Kafka's, empty ones and those with lone surrogates too (not pairs of them, which no decoder gives)."""

BROKERS = st.tuples(NAMES, st.one_of(NAMES, st.integers(-(2**63), 2**63 - 1)))
INNER = st.one_of(st.none(), BROKERS, NAMES.map(cursors.window))
KEYS = st.lists(NAMES, min_size=1, max_size=3).map(tuple)


def _position(then: st.SearchStrategy[Cursor | None]) -> st.SearchStrategy[Cursor]:
    return st.builds(Position, KEYS, INNER, st.integers(0, 9), then).map(cursors.at)


CURSORS = st.recursive(INNER, _position, max_leaves=6)
"""None, a broker's, a window's, and positions of which each goes on at another."""


@given(cursor=CURSORS)
@example(cursor=("",))
def test_a_cursor_is_read_back_as_it_was(cursor: Cursor | None) -> None:
    """However deep; as tuples, since it is looked up among those that were seen. Any reader takes the text.

    An empty name is a position, and not the end.
    """
    text = to_json(cursor)
    assert (text is None) == (cursor is None)
    assert text is None or text.isascii()
    again = from_json(text)
    assert again == cursor
    assert hash(again) == hash(cursor)


@given(keys=KEYS, inner=INNER, moves=st.integers(0, 9), then=CURSORS)
def test_a_position_is_read_back_as_it_was(
    keys: tuple[str, ...], inner: Cursor | None, moves: int, then: Cursor | None
) -> None:
    position = Position(keys, inner, moves, then)
    assert position_of(from_json(to_json(cursors.at(position))), ("others",)) == position


def test_a_cursor_grows_by_the_same_for_each_position_in_it() -> None:
    """Keys that went to many brokers are a long cursor, not an enormous one: quotes are not escaped again."""
    sizes, then = [], None
    for _ in range(20):
        then = cursors.at(Position(('group "a"', "b"), ("c", 0), 1, then))
        sizes.append(len(str(to_json(then))))
    steps = {after - before for before, after in pairwise(sizes[1:])}
    assert len(steps) == 1
    assert max(steps) < 2 * sizes[0]
