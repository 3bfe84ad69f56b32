"""Lock files: opened so that no other file can be changed through them, and locked at the name that others open.

A user who can write to the folder of a lock may replace it by a link, a pipe or a device. Such a file is refused: a
symbolic link is not followed, a file with a second name (a hard link) is not written, a pipe is not waited for, and
opening truncates nothing.

A lock on a file that was removed meanwhile keeps nobody away, so after locking the file must still be the one at the
path. A process that holds the lock of a removed file is found by Linux' table of locks.
"""

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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
        if os.fstat(descriptor).st_nlink > 1:
            raise LockUnusable(f"the lock {path} is a hard link, a second name of another file; remove it")
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def locked(path: Path, lock: Callable[[int], None]) -> Iterator[int]:
    """The descriptor of a lock's file, which `lock` has locked. Raises LockUnusable, and what `lock` raises."""
    while True:
        with lock_file(path) as descriptor:
            lock(descriptor)
            if _is_at(descriptor, path):
                yield descriptor
                return


@contextmanager
def turn(path: Path) -> Iterator[None]:
    """Wait for a lock, and hold it while the block runs. Raises LockUnusable."""
    with locked(path, lambda descriptor: fcntl.flock(descriptor, fcntl.LOCK_EX)):
        while holder_of_removed(path) is not None:
            time.sleep(0.1)
        yield


def holder_of_removed(path: Path) -> int | None:
    """The id of a process that holds the lock of a file that was removed from this path; None where none is known.

    Known are processes that this one may look at, on this machine, on Linux.
    """
    try:
        locks = Path("/proc/locks").read_text(encoding="ascii")
    except OSError:
        return None
    removed = f"{os.path.realpath(path)} (deleted)"
    for columns in map(str.split, locks.splitlines()):
        if columns[1] == "FLOCK" and removed in _open_files(columns[4]):
            return int(columns[4])
    return None


def _open_files(pid: str) -> Iterator[str]:
    try:
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:  # of another user, or ended
        return
    for descriptor in descriptors:
        with suppress(OSError):
            yield str(descriptor.readlink())


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def _make(folder: Path) -> None:
    """Create a folder and its missing parents, closed to others."""
    for missing in reversed([path for path in (folder, *folder.parents) if not path.is_dir()]):
        missing.mkdir(mode=_FOLDER_MODE, exist_ok=True)
