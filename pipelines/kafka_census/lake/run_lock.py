"""One process per cluster: the run lock, which names its holder.

On a lake that is a local folder the lock is an flock on `<lake>/locks/<cluster>.lock`,
held by the kernel, so that it is free the moment its holder is dead, even after
kill -9. The file names the holder. A holder whose Spark JVM is already dead is
about to end, so the second run waits for it; any other holder ends the second run at once. Where the
locked file names no holder, the holder is reported as an unknown process.

A lake in an object store or a catalog has no such lock: there the scheduler must
start one census per cluster at a time (`max_concurrent_runs: 1`), or brokers are asked
twice. The tables that two jobs publish are complete even then (`lake/commit_retry.py`).
"""

import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from kafka_census.errors import LockHeld
from kafka_census.files.lock_file import holder_of_removed, lock_file, locked
from kafka_census.lake.lake import Lake

DYING_SECONDS = 15.0
_LONGEST = 4096
"""Bytes read from a lock's file, at most; a holder writes about two hundred."""


@contextmanager
def hold(lake: Lake, names: tuple[str, ...], work: str) -> Iterator[None]:
    """Hold the locks of all names of a cluster while the block runs; `work` is shown to other runs.

    Raises LockHeld, which names the holder and its work, and LockUnusable.
    """
    with ExitStack() as locks:
        for path in [lake.folder / "locks" / f"{name}.lock" for name in names] if lake.folder else ():
            locks.enter_context(_held(path, work))
        yield


@contextmanager
def _held(path: Path, work: str) -> Iterator[None]:
    with locked(path, partial(_lock, path)) as descriptor:
        other = _of_removed(path)
        if other is not None:
            raise _in_use(path, other)
        os.ftruncate(descriptor, 0)
        ours = {
            "pid": os.getpid(),
            "parent_pid": os.getppid(),
            "host": socket.gethostname(),
            "work": work,
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        os.pwrite(descriptor, json.dumps(ours).encode(), 0)
        try:
            yield
        finally:
            os.ftruncate(descriptor, 0)


def holder(lake: Lake, cluster: str) -> str | None:
    """The present holder of the cluster's lock, None where it is free; does not wait, and does not create the file.

    Raises LockUnusable.
    """
    if lake.folder is None:
        return None
    path = lake.folder / "locks" / f"{cluster}.lock"
    if not os.path.lexists(path):
        return _of_removed(path)
    with lock_file(path) as descriptor:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _told(_holder(os.pread(descriptor, _LONGEST, 0)))
        return _of_removed(path)


@dataclass(frozen=True)
class _Holder:
    """The holder of a lock, as its file says; release 0.1.0 did not write `work`."""

    pid: int
    parent_pid: int
    host: str
    since: str
    work: str = "a census"


def _told(holder: _Holder | None) -> str:
    if holder is None:
        return "an unknown process"
    return f"process {holder.pid} on {holder.host} since {holder.since} ({holder.work})"


def _of_removed(path: Path) -> str | None:
    """The process that holds the lock of a file that was removed, None without one."""
    pid = holder_of_removed(path)
    return None if pid is None else f"process {pid}, whose lock file was removed"


def _lock(path: Path, descriptor: int) -> None:
    deadline = time.monotonic() + DYING_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = os.pread(descriptor, _LONGEST, 0)
            who = _holder(text)
            # An empty file: the holder is just writing, or has ended.
            dying = _is_dying(who) if who else not text
            if time.monotonic() < deadline and dying:
                time.sleep(0.1)
                continue
            raise _in_use(path, _told(who)) from None
        else:
            return


def _in_use(path: Path, who: str) -> LockHeld:
    return LockHeld(
        f"cluster '{path.stem}' is in use by {who}; wait for it to end, or stop it "
        f"(the lock is {path.name} in the lake's folder locks)"
    )


def _holder(text: bytes) -> _Holder | None:
    """The holder that a lock's file names; None where this project did not write the text."""
    try:
        found = _Holder(**json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return None
    is_ours = all(
        type(value) is int and value >= 0
        if name in ("pid", "parent_pid")
        else isinstance(value, str) and value.isprintable()
        for name, value in vars(found).items()
    )
    return found if is_ours else None


def _is_dying(holder: _Holder) -> bool:
    """Whether a driver has lost the JVM that started it (its parent changed): it then ends by itself."""
    if holder.host != socket.gethostname():
        return False
    try:
        stat = Path(f"/proc/{holder.pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return not Path("/proc").is_dir()
    state, parent = stat.rpartition(")")[2].split()[:2]
    return state in "ZX" or parent != str(holder.parent_pid)
