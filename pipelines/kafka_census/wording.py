"""Errors as one line of text, paths as they are typed."""

import os
from collections.abc import Callable

from kafka_census.causes import deepest, explained

_LONGEST = 500


def one_line(error: BaseException, hide: Callable[[str], str]) -> str:
    """What an error says, in one line: its own words when it is ours, else the first line of its deepest words.

    `hide` takes secrets out while the text is whole: a secret may hold the white space that is collapsed here.
    """
    ours = explained(error, hide)
    text = hide(str(ours)) if ours else deepest(error, hide)
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if ours:
        return " ".join(lines)
    said = lines[0] if lines else type(error).__name__
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"


def short_path(path: str) -> str:
    """The path from here, where that is shorter."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(path) and not relative.startswith("..") else path
