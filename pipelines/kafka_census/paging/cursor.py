"""A cursor: where a walk goes on, as a tuple of names and numbers; JSON in the tables.

A walk ends at None and only there: `("",)` and `("t", 0)` are places. A cursor is
opaque outside the file of its RPC; the pager only asks whether it has seen it before.
"""

import json

Cursor = tuple[str | int, ...]


def to_json(cursor: Cursor | None) -> str | None:
    """The cursor as a JSON array; None stays None. Lone surrogates survive as escapes."""
    return None if cursor is None else json.dumps(cursor)


def from_json(text: str | None) -> Cursor | None:
    """The inverse of `to_json`."""
    return None if text is None else tuple(json.loads(text))
