"""A file that an operator wrote, up to a size: parsers need minutes and gigabytes for some that are larger."""

import errno
import os
import select
import time
from pathlib import Path

from kafka_census.files import whole_file

LARGEST = 1 << 20
"""Bytes; ten thousand topics with a desired config each need half of them."""

PATIENCE_S = 10.0
"""The time in which a pipe must end."""

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def content(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, or of a pipe as a shell makes for `<(command)`.

    Raises OSError, also where there are more than LARGEST, and for a pipe that does not end in time. Raises ValueError
    for a name that no file system takes.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        return _to_its_end(descriptor)
    finally:
        os.close(descriptor)


def regular(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a regular file, which is read more than once. Raises OSError and ValueError as `content` does."""
    with whole_file.opened(Path(path)) as file:
        return _limited(file.read(LARGEST + 1))


def _to_its_end(descriptor: int) -> bytes:
    until = time.monotonic() + PATIENCE_S
    ready = select.poll()
    ready.register(descriptor, select.POLLIN)
    found = b""
    while ready.poll(max(0.0, until - time.monotonic()) * 1000):
        try:
            piece = os.read(descriptor, LARGEST + 1 - len(found))
        except BlockingIOError:  # another reader was faster
            continue
        found = _limited(found + piece)
        if not piece:
            return found
    raise OSError(errno.ETIMEDOUT, f"it is a pipe that did not end within {PATIENCE_S:g} s")


def _limited(found: bytes) -> bytes:
    if len(found) > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST:,} bytes; is it the right file?")
    return found
