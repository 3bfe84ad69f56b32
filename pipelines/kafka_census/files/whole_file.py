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
from typing import BinaryIO, cast

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


@contextmanager
def replaced(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file to write to, which replaces the one at the path when the block ends without an error. Raises OSError.

    mode  its rights; None: those of a new file

    It is written beside the path under a random name, and renamed. A link in the place of the file is replaced, too.
    """
    made = None
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            made = Path(file.name)
            yield cast("BinaryIO", file)
            file.flush()
            os.fchmod(file.fileno(), 0o666 & ~_umask() if mode is None else mode)
        made.replace(path)
    except BaseException:
        if made is not None:
            with suppress(OSError):
                made.unlink()
        raise


def replace(path: Path, content: bytes, mode: int | None = None) -> None:
    """Replace a file by another content, as `replaced` does. Raises OSError."""
    with replaced(path, mode) as file:
        file.write(content)


def _umask() -> int:
    """The umask of the process, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
