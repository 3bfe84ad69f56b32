"""A temporary file that only this user can read, for keys: OpenSSL reads keys from files alone."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def private_file(content: bytes) -> Iterator[str]:
    """Write a file of mode 0600 with this content, and give its path; the file is deleted at the end."""
    descriptor, path = tempfile.mkstemp(suffix=".pem")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        yield path
    finally:
        Path(path).unlink()
