"""The folder of a lake on a local disk: whether a job may use it.

A missing lake is created with its first lock (`lock_file`), closed to others and readable by the group of
the user who runs the jobs (0750), whatever the umask; the mode of an existing folder is left alone.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kafka_census.errors import ConfigError
from kafka_census.lake.lake import Lake


def require_usable(lake: Lake, *, writes: bool) -> None:
    """Raises ConfigError where the root is no folder, or, for a job that writes, where the job cannot write there.

    Tested by writing, not by permissions: root has all, but cannot write to a read-only disk. Nothing is left behind.
    """
    if lake.folder is None:
        return
    there = _nearest(lake.folder)
    if not there.is_dir():
        raise ConfigError(f"lake.root {lake.root}: {there} is not a folder; name another lake.root, or move it away")
    if not writes:
        return
    try:
        with trial_folder(lake.folder):
            pass
    except OSError as error:
        what = "cannot be written" if there == lake.folder else f"cannot be made in {there}"
        raise ConfigError(
            f"lake.root {lake.root} {what}: {error.strerror}; name another lake.root, or allow this user to write there"
        ) from None


@contextmanager
def trial_folder(folder: Path) -> Iterator[Path]:
    """An empty folder in this one, or in its nearest parent that exists; removed at the end. Raises OSError."""
    with tempfile.TemporaryDirectory(prefix=".kafka-census-", dir=_nearest(folder)) as made:
        yield Path(made)


def _nearest(folder: Path) -> Path:
    """The folder, or its nearest parent that exists; a broken link exists."""
    return next(path for path in (folder, *folder.parents) if os.path.lexists(path))
