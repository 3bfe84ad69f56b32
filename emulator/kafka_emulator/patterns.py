"""Patterns of transactional ids, by RE2 as in Kafka: the cost is at most the pattern's length times the id's.

`google-re2` is the only package that the emulator needs and the census does not.
"""

from collections.abc import Callable

from kafka_census.errors import ConfigError

try:
    import re2
except ModuleNotFoundError:
    re2 = None


class InvalidPattern(Exception):
    """A pattern that RE2 cannot read."""


def available() -> None:
    """Raises ConfigError where RE2 is not installed: before a broker listens, rather than during an answer."""
    if re2 is None:
        raise ConfigError("the emulator needs google-re2: pip install google-re2")


def whole(pattern: str) -> Callable[[str], bool]:
    """A function that says whether the pattern matches all of a text. Raises InvalidPattern."""
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        raise InvalidPattern(pattern) from error
    return lambda text: compiled.fullmatch(text) is not None
