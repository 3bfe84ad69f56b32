"""Values of conf/census.yaml as pydantic types: each accepts values of YAML and texts of environment variables."""

import re
from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from kafka_census.lake.lake import HOLDS_CREDENTIALS, holds_credentials

_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST = timedelta(days=36500)
"""A hundred years: dates much further back cannot be represented."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_WORD = re.compile(r"\s*,\s*")


def _integer(value: object) -> object:
    """Digits (an environment variable) become a number; true and 1.0 are not integers."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value):
        return int(value)
    if isinstance(value, bool | float | str):
        raise ValueError("must be an integer")  # noqa: TRY004 - pydantic collects ValueErrors
    return value


def _words(value: object) -> object:
    """Comma separated text becomes a tuple."""
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return value


def _pairs(what: str, example: str) -> BeforeValidator:
    """Text such as `example` (an environment variable) becomes a mapping; `what` is the word for its values."""

    def parsed(value: object) -> object:
        if value is None:
            return {}
        if isinstance(value, str):
            pairs = [word.partition("=") for word in _WORD.split(value.strip())]
            if not all(name and equals for name, equals, _ in pairs):
                raise ValueError(f"must be {what} such as {example}")
            return {name.strip(): given.strip() for name, _, given in pairs}
        return value

    return BeforeValidator(parsed)


def _number(value: object) -> object:
    """Digits (an environment variable) become a number; true is not a number."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
        return float(value)
    if isinstance(value, bool | str):
        raise ValueError("must be a number")  # noqa: TRY004 - pydantic collects ValueErrors
    return value


def _duration(value: object) -> object:
    """`90s`, `1h30m`, `2d` become a timedelta."""
    parts = re.findall(r"([0-9]{1,9})(ms|s|m|h|d)", value) if isinstance(value, str) else []
    if not parts or "".join(number + unit for number, unit in parts) != value:
        raise ValueError("must be a duration such as 90s, 30m, 1h or 1h30m")
    seconds = sum(int(number) * _UNITS[unit] for number, unit in parts)
    if seconds > _LONGEST.total_seconds():
        raise ValueError(f"must be at most {_LONGEST.days}d")
    return timedelta(seconds=seconds)


def duration_text(duration: timedelta) -> str:
    """A duration as the file writes it: `1h30m`."""
    left, words = round(duration / timedelta(milliseconds=1)), []
    for unit, seconds in reversed(_UNITS.items()):
        number, left = divmod(left, round(seconds * 1000))
        words += [f"{number}{unit}"] if number else []
    return "".join(words) or "0s"


def _switch(value: object) -> object:
    """Accepts only true and false; other spellings of YAML and pydantic (on, yes, 1) are usually mistakes."""
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise ValueError("must be true or false")  # noqa: TRY004 - pydantic collects ValueErrors
    return value


def _printable(value: str) -> str:
    """Refuses control characters, which no path, id or name contains; opening a path with a NUL raises ValueError."""
    if _CONTROL.search(value):
        raise ValueError("must not hold control characters")
    return value


def _no_credentials(value: str) -> str:
    """Refuses the credentials of a URI, which may stand in any address and path, and which no message may quote."""
    if holds_credentials(value):
        raise ValueError(HOLDS_CREDENTIALS)
    return value


Count = Annotated[int, BeforeValidator(_integer), Field(ge=1, le=2**31 - 1)]
Text = Annotated[str, Field(min_length=1), AfterValidator(_printable), AfterValidator(_no_credentials)]
Words = Annotated[tuple[str, ...], BeforeValidator(_words), Field(min_length=1)]
Names = Annotated[tuple[str, ...], BeforeValidator(_words)]
Patterns = Annotated[tuple[str, ...], BeforeValidator(_words)]
Limits = Annotated[dict[str, Count], _pairs("limits", "ListGroups=500, DescribeAcls=100")]
Share = Annotated[float, BeforeValidator(_number), Field(ge=0, le=1)]
Shares = Annotated[dict[str, Share], _pairs("shares", "consumer_lag=0.8, quotas=0")]
Factor = Annotated[float, BeforeValidator(_number), Field(ge=1)]
Duration = Annotated[timedelta, BeforeValidator(_duration)]
Switch = Annotated[bool, BeforeValidator(_switch)]
