"""Errors as one line of text."""

from kafka_census.errors import CensusError

_LONGEST = 500


def one_line(error: BaseException) -> str:
    """What an error says, in one line: its own words when it is ours, else type and first line."""
    lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
    if isinstance(error, CensusError):
        return " ".join(lines)
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
