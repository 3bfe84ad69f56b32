"""A file in Java's .properties format, as Kafka's tools read it: ISO-8859-1, with escapes, and the last of equal keys.

No message quotes a value, because it may be a password.
"""

import os
import re
from dataclasses import dataclass, field

from javaproperties import InvalidUEscapeError, KeyValue, parse

from kafka_census.errors import ConfigError
from kafka_census.files import operator_file

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Property:
    """The value of a key, and the line at which the key stands."""

    value: str = field(repr=False)
    line: int


def read_properties(path: str | os.PathLike[str]) -> dict[str, Property]:
    """The properties of a file, or of a pipe as a shell makes for `<(command)`. Raises ConfigError."""
    name = os.fspath(path)
    try:
        content = operator_file.content(name)
    except (OSError, ValueError) as error:  # ValueError: no file system takes such a name
        raise ConfigError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return properties_in(content, name)


def properties_in(content: bytes, name: str) -> dict[str, Property]:
    """The properties of a file with this content. Raises ConfigError, which names the file and the line."""
    found: dict[str, Property] = {}
    line = 1
    try:
        for each in parse(content):
            if isinstance(each, KeyValue):
                found[each.key] = Property(each.value, line)
            line += len(_LINE_END.findall(each.source))
    except InvalidUEscapeError:
        raise ConfigError(f"{name}: is no .properties file: \\u without four hexadecimal digits") from None
    return found
