"""A cursor: the position at which a walk continues, as a tuple of names and numbers; JSON in the tables.

A walk ends at None only: `("",)` and `("t", 0)` are positions. A cursor from a broker
begins with a name and is opaque outside the file of its RPC. A cursor from the pager begins
with a number that says its kind: the first key of a window, or the keys that are left,
such as keys that another broker answers, with the position at which the walk continues after them.
"""

import json
from dataclasses import dataclass
from typing import Any

Cursor = tuple[Any, ...]

_WINDOW, _KEYS = 0, 1


@dataclass(frozen=True)
class Position:
    """The position of a walk.

    keys    the keys to ask for; empty: everything
    cursor  the position within these keys; None at their start
    moves   how often brokers said that another broker answers these keys; 0 on the regular walk
    then    the cursor at which the walk continues after these keys
    """

    keys: tuple[str, ...]
    cursor: Cursor | None
    moves: int = 0
    then: Cursor | None = None


def window(first_key: str) -> Cursor:
    """The cursor of the window that begins with this key."""
    return (_WINDOW, first_key)


def first_key(cursor: Cursor) -> str:
    """The first key of a window, from its cursor: the inverse of `window`."""
    return str(cursor[1])


def at(position: Position) -> Cursor:
    """A cursor for a position that does not have all keys of the walk: it names the keys."""
    return (_KEYS, position.moves, position.keys, position.cursor, position.then)


def position_of(cursor: Cursor | None, keys: tuple[str, ...]) -> Position:
    """The position that a cursor stands for in a walk of these keys."""
    if cursor is None or cursor[0] != _KEYS:
        return Position(keys, cursor)
    _, moves, named, inner, then = cursor
    return Position(named, inner, moves, then)


def paging_of(cursor: Cursor) -> str:
    """Who gave a cursor: `cursor` (the broker) or `window` (the pager)."""
    return "window" if cursor[0] == _WINDOW else "cursor"


def to_json(cursor: Cursor | None) -> str | None:
    """The cursor as a JSON array; None stays None. Lone surrogates survive as escapes."""
    return None if cursor is None else json.dumps(cursor)


def from_json(text: str | None) -> Cursor | None:
    """The inverse of `to_json`."""
    return None if text is None else _tuples(json.loads(text))


def _tuples(value: Any) -> Any:
    """Arrays as tuples, recursively: cursors are kept in a set, so they must be hashable."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
