"""A cursor: where a walk goes on, as a tuple of names and numbers; JSON in the tables.

A walk ends at None and only there: `("",)` and `("t", 0)` are positions. A cursor that a broker
gave begins with a name and is opaque outside the file of its RPC. The pager's own begin
with a number that says what they are: the first key of a window, or the keys that are left,
such as those that a broker said are elsewhere, with the position where the walk goes on after.
"""

import json
from dataclasses import dataclass
from typing import Any

Cursor = tuple[Any, ...]

_WINDOW, _KEYS = 0, 1


@dataclass(frozen=True)
class Position:
    """Where a walk is.

    keys    what is asked for; none: everything
    cursor  where in them; None at their start
    moves   how often these keys were found to be elsewhere; 0 on the walk's own way
    then    where the walk goes on after them
    """

    keys: tuple[str, ...]
    cursor: Cursor | None
    moves: int = 0
    then: Cursor | None = None


def window(first_key: str) -> Cursor:
    """The window that begins with this key."""
    return (_WINDOW, first_key)


def first_key(cursor: Cursor) -> str:
    """The inverse of `window`."""
    return str(cursor[1])


def at(position: Position) -> Cursor:
    """A position that names its keys, since they are not all of the walk's."""
    return (_KEYS, position.moves, position.keys, position.cursor, position.then)


def position_of(cursor: Cursor | None, keys: tuple[str, ...]) -> Position:
    """Where a walk of these keys is at a cursor."""
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
    """Arrays as tuples, all the way down: a cursor is looked up among those that were seen."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
