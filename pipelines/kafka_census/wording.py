"""Errors as one line of text, and times as a few words."""

from datetime import timedelta

from kafka_census.errors import CensusError

_LONGEST = 500


def one_line(error: BaseException) -> str:
    """What an error says, in one line: its own words when it is ours, else type and first line."""
    lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
    if isinstance(error, CensusError):
        return " ".join(lines)
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def span(of: timedelta) -> str:
    """`2h 5min`, `45s`: two units are enough."""
    seconds = int(of.total_seconds())
    units = [(seconds // 86400, "d"), (seconds // 3600 % 24, "h"), (seconds // 60 % 60, "min"), (seconds % 60, "s")]
    return " ".join([f"{number}{unit}" for number, unit in units if number][:2]) or "0s"
