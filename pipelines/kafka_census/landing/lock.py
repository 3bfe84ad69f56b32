"""One process a cluster: the run lock, which names its holder.

On a lake that is a local folder the lock is an flock on `<lake>/locks/<cluster>.lock`,
held by the kernel, so that it is free the moment its holder is dead, kill -9
included. The file says who holds it. A holder whose Spark JVM is already dead is
on its way out and is waited for; any other ends the second run at once.

A lake in an object store or a catalog has no such lock: there the scheduler must
start one census a cluster at a time (`max_concurrent_runs: 1`), or brokers are asked
twice. What two of them publish is whole all the same (`tables/turns.py`).
"""

import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from kafka_census.errors import LockHeld
from kafka_census.tables.lake import Lake

DYING_SECONDS = 15.0


@contextmanager
def hold(lake: Lake, cluster: str, work: str) -> Iterator[None]:
    """Hold the cluster's lock while the block runs, for that work. Raises LockHeld, naming the holder and its work."""
    if lake.folder is None:
        yield
        return
    path = lake.folder / "locks" / f"{cluster}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as file:
        _lock(file.fileno(), path, cluster)
        file.truncate(0)
        holder = {
            "pid": os.getpid(),
            "parent_pid": os.getppid(),
            "host": socket.gethostname(),
            "work": work,
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        file.write(json.dumps(holder))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _lock(descriptor: int, path: Path, cluster: str) -> None:
    deadline = time.monotonic() + DYING_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(path)
            if time.monotonic() < deadline and _is_dying(holder):
                time.sleep(0.1)
                continue
            who = (
                f"process {holder['pid']} on {holder['host']} since {holder['since']} ({holder['work']})"
                if holder
                else "another process"
            )
            raise LockHeld(
                f"cluster '{cluster}' is in use by {who}; wait for it to end, or stop it "
                f"(the lock is {path.name} in the lake's folder locks)"
            ) from None
        else:
            return


def _holder(path: Path) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    try:
        found = json.loads(text)
    except json.JSONDecodeError:  # the holder is just writing, or gone
        return {}
    # Release 0.1.0 did not say what it was at.
    return {"work": "a census"} | {key: str(value) for key, value in found.items()}


def _is_dying(holder: dict[str, str]) -> bool:
    """A driver that has lost the JVM which started it (its parent changed) ends by itself."""
    if not holder:
        return True
    if holder["host"] != socket.gethostname():
        return False
    try:
        stat = Path(f"/proc/{holder['pid']}/stat").read_text(encoding="ascii")
    except OSError:
        return not Path("/proc").is_dir()
    state, parent = stat.rpartition(")")[2].split()[:2]
    return state in "ZX" or parent != holder["parent_pid"]
