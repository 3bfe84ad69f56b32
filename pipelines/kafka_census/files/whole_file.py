"""Files at names that others can foresee, in folders that others may write to: read and replaced without their traps.

A pipe or a device in the place of such a file is not waited for, and a link is not followed to what would be written.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A regular file. Raises OSError, also where the file is a pipe, a device or a folder."""
    descriptor = os.open(path, _FLAGS)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        yield file


def read(path: Path) -> bytes:
    """The bytes of a regular file. Raises OSError as `opened` does."""
    with opened(path) as file:
        return file.read()


def replace(path: Path, content: bytes) -> None:
    """Replace a file atomically: write a new file of a random name next to it, then rename. Raises OSError.

    A link in the place of the file is replaced, too. The file has the rights of a new one.
    """
    made = None
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            made = Path(file.name)
            file.write(content)
            os.fchmod(file.fileno(), 0o666 & ~_umask())
        made.replace(path)
    except BaseException:
        if made is not None:
            with suppress(OSError):
                made.unlink()
        raise


def _umask() -> int:
    """The umask of the process, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
