"""A file that an operator wrote, up to a size: parsers need minutes and gigabytes for some that are larger."""

import os
from typing import BinaryIO

from kafka_census.errors import ConfigError

LARGEST = 1 << 20
"""Bytes; ten thousand topics with a desired config each need half of them."""


def content(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, which may be a pipe. Raises ConfigError as `limited` does, OSError and ValueError."""
    with open(path, "rb") as file:  # noqa: PTH123 - a path may be what the operator typed
        return limited(file, path)


def limited(file: BinaryIO, path: str | os.PathLike[str]) -> bytes:
    """The bytes of an opened file, which has this path. Raises ConfigError where there are more than LARGEST."""
    found = file.read(LARGEST + 1)
    if len(found) > LARGEST:
        raise ConfigError(f"{os.fspath(path)}: is larger than {LARGEST:,} bytes; is it the right file?")
    return found
