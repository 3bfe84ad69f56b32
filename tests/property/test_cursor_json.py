"""Cursors in the tables: what is landed as JSON is read back as it was, and is not larger than what it says."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kafka_census.kafka.paging import cursor as cursors
from kafka_census.kafka.paging.cursor import Cursor, Position, from_json, position_of, to_json

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
def test_a_cursor_is_read_back_as_it_was(cursor: Cursor | None) -> None:
    """However deep; as tuples, since it is looked up among those that were seen. Any reader takes the text."""
    text = to_json(cursor)
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


def test_an_empty_name_is_a_position_and_not_the_end() -> None:
    assert to_json(None) is None
    assert from_json(None) is None
    assert from_json(to_json(("",))) == ("",)


def test_a_cursor_grows_by_the_same_for_each_position_in_it() -> None:
    """Keys that went to many brokers are a long cursor, not an enormous one: quotes are not escaped again."""
    sizes, then = [], None
    for _ in range(20):
        then = cursors.at(Position(('group "a"', "b"), ("c", 0), 1, then))
        sizes.append(len(str(to_json(then))))
    steps = {after - before for before, after in pairwise(sizes[1:])}
    assert len(steps) == 1
    assert max(steps) < 2 * sizes[0]
