"""Numbers and paths for people: sizes, durations, counts, in the same form in all output."""

import os
from datetime import timedelta

_STEP = 1000
_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


def human_bytes(count: float | None) -> str:
    """`1.5 MB`; units of 1000. Null is `?`."""
    if count is None:
        return "?"
    size, unit = float(count), 0
    while round(size, 1) >= _STEP and unit < len(_UNITS) - 1:
        size, unit = size / _STEP, unit + 1
    return f"{size:.0f} B" if unit == 0 else f"{size:.1f} {_UNITS[unit]}"


def human_time(duration: timedelta | float | None) -> str:
    """`3h 5m`, `45s`: at most two units. A number is seconds; null is `?`."""
    if duration is None:
        return "?"
    whole = int(duration.total_seconds() if isinstance(duration, timedelta) else duration)
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "m"), (whole % 60, "s")]
    return " ".join([f"{number}{unit}" for number, unit in parts if number][:2]) or "0s"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 group`, `2,000 groups`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def short_path(path: str) -> str:
    """The path relative to the current directory, where that is shorter."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(path) and not relative.startswith("..") else path
