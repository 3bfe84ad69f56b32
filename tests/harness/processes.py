"""Child processes that never outlive their parent, their folders, and free loopback ports.

A child is killed by the kernel when the thread that started it ends (PR_SET_PDEATHSIG), so a
pytest killed by SIGKILL leaves no broker behind; children of a short-lived thread end with the thread,
so start them from the main thread.
"""

import contextlib
import ctypes
import itertools
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

LOOPBACK = "127.0.0.1"
_FOLDERS = "kafka-census-brokers"
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)
_NEXT_PORT = itertools.count(os.getpid() * 997)


def _die_with_parent() -> None:
    """Ask the kernel for SIGKILL when the parent ends (Linux); on other systems only atexit ends it."""
    if hasattr(_LIBC, "prctl"):
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def start(command: Sequence[str], log: Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a child in its own process group, with its output appended to `log`."""
    with log.open("ab") as output:
        return subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - this call is safe: it touches no Python state
        )


def stop(process: subprocess.Popen[bytes]) -> None:
    """SIGTERM, then SIGKILL after 20 seconds; returns when the child is gone."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def await_line(process: subprocess.Popen[bytes], log: Path, line: str, timeout_s: float) -> None:
    """Wait until a child has written a line that the regex `line` matches from end to end.

    Raises RuntimeError, with the log's end, when the child ends or exceeds `timeout_s`.
    """
    deadline = time.monotonic() + timeout_s
    while not re.search(f"^(?:{line})$", log.read_text(errors="replace"), re.MULTILINE):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"no {line!r} from {process.args}\n{tail(log)}")
        time.sleep(0.1)


def running() -> Iterator[tuple[int, list[str], bytes]]:
    """Of each process of this machine its id, what its `stat` has behind its name, and its command line."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat, words = (entry / "stat").read_text(), (entry / "cmdline").read_bytes()
        except OSError:
            continue  # the process ended meanwhile
        yield int(entry.name), stat.rpartition(")")[2].split(), words


def peak_memory(process: int | str = "self") -> float:
    """The most memory that a process has had resident, MB. (Linux' `ru_maxrss` begins with what its parent had.)"""
    return memory(process, "VmHWM")


def memory(process: int | str, what: str) -> float:
    """MB: VmRSS, the memory of a process now, or VmHWM, the most that it ever had."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(f"{what}:")) / 1000


def own_folder() -> Path:
    """A new temporary folder, named after this process; folders of killed processes are deleted."""
    for left in Path(tempfile.gettempdir()).glob(f"{_FOLDERS}.*.*"):
        owner = left.name.split(".")[1]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{_FOLDERS}.{os.getpid()}."))


def free_ports(count: int) -> list[int]:
    """Free ports, all different.

    Taken below the range the kernel hands to clients, so that no outgoing connection takes one
    between here and the broker's bind. The start is spread by process id, for parallel test runs;
    within a process no port is returned twice, so that a stopped broker's ports stay free.
    """
    found: list[int] = []
    while len(found) < count:
        port = 10_000 + next(_NEXT_PORT) % 20_000
        with socket.socket() as listener:
            try:
                listener.bind((LOOPBACK, port))
            except OSError:
                continue
        found.append(port)
    return found


def tail(log: Path, lines: int = 40) -> str:
    if not log.exists():
        return ""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
