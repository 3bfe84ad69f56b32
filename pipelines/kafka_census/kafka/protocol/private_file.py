"""A file for a moment, that nobody else can read: OpenSSL reads keys from files alone."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def private_file(content: bytes) -> Iterator[str]:
    """The path of a file with this content, of mode 0600, which is gone at the end."""
    descriptor, path = tempfile.mkstemp(suffix=".pem")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        yield path
    finally:
        Path(path).unlink()
