"""An error as one line of text."""

from collections.abc import Callable

from kafka_census.errors.causes import deepest, explained

_LONGEST = 500


def one_line(error: BaseException, hide: Callable[[str], str]) -> str:
    """An error in one line: the message of a CensusError, or else the first line of the deepest message.

    `hide` removes secrets before white space is collapsed, because a secret may contain white space.
    """
    ours = explained(error, hide)
    text = hide(str(ours)) if ours else deepest(error, hide)
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    if ours:
        return " ".join(lines)
    said = lines[0] if lines else type(error).__name__
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
