"""Lock files, opened so that no other file can be changed through them.

A user who can write to the folder of a lock may replace it by a symbolic link, a pipe or a device. Such a file is
refused: a link is not followed, a pipe is not waited for, and opening truncates nothing.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka_census.errors import LockUnusable

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER_MODE = 0o750
"""The mode of a new lake, which its first lock creates: its pages hold hosts, ACLs, users and configurations."""


@contextmanager
def lock_file(path: Path) -> Iterator[int]:
    """The descriptor of a lock's file, created with its folder where missing; closing it releases the flock.

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
    """Create a folder and its missing parents, closed to others."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.is_dir()]):
        missing.mkdir(mode=_FOLDER_MODE, exist_ok=True)
