"""Files that are only there to be locked: opened so that nothing else can be changed through them.

Whoever can write to the folder of a lock may put a symbolic link, a pipe or a device in its place. Such a file is
refused: a link is not followed, a pipe is not waited for, and nothing is truncated by opening it.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka_census.errors import LockUnusable

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER_MODE = 0o750
"""A lake is made with its first lock. Its pages hold hosts, ACLs, users and configurations."""


@contextmanager
def lock_file(path: Path) -> Iterator[int]:
    """The descriptor of a lock's file, which is made with its folder where it is not there; an flock ends with it.

    Raises LockUnusable.
    """
    if path.is_symlink():
        raise LockUnusable(f"the lock {path} is a symbolic link; remove it")
    try:
        _make(path.parent)
        descriptor = os.open(path, _FLAGS, 0o666)
    except OSError as error:
        raise LockUnusable(f"the lock {path} cannot be opened for writing: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise LockUnusable(f"the lock {path} is no regular file; remove it")
        yield descriptor
    finally:
        os.close(descriptor)


def _make(folder: Path) -> None:
    """Make a folder, and those above it that are missing, closed to others."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.is_dir()]):
        missing.mkdir(mode=_FOLDER_MODE, exist_ok=True)
