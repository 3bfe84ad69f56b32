"""The limits of a statement: its time, DuckDB's memory, and that of the process, which DuckDB's limit does not bound.

DuckDB counts its buffers, but not what a function such as `repeat` allocates for one value, which cannot be interrupted
either. On Linux the process may therefore grow only by the statement's memory and by what reading files takes.
"""

import re
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Timer
from time import monotonic

import duckdb

from kafka_census.errors import ConfigError, OutOfResources

_BASES = {"": 1000, "i": 1024}

_READING_FILES = 1_000_000_000
"""Bytes outside of DuckDB's limit: Arrow's buffers, and rows as Python's objects."""


_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,3})?) ?([kmgt]i?)?b", re.IGNORECASE | re.ASCII)
_UNITS = {"": 1} | {f"{unit}{i}": base**power for power, unit in enumerate("kmgt", 1) for i, base in _BASES.items()}


@dataclass(frozen=True)
class Limits:
    """The limits of one statement.

    seconds  the longest time in which DuckDB computes its rows
    memory   the most memory that DuckDB uses, such as 2GB or 512MiB
    """

    seconds: float = 600
    memory: str = "2GB"

    @property
    def memory_bytes(self) -> int:
        """Raises ConfigError for what is no size."""
        match = _SIZE.fullmatch(self.memory)
        size = int(float(match[1]) * _UNITS[(match[2] or "").lower()]) if match else 0
        if not size:
            raise ConfigError(f"--memory-limit {self.memory!r} is no size; one looks like 2GB or 512MiB")
        return size


@dataclass
class Watch:
    """Holds one statement to its limits. Only DuckDB's work counts, not the time of a reader of its rows."""

    connection: duckdb.DuckDBPyConnection
    seconds: float
    memory_bytes: int
    _spent: float = field(default=0, init=False)

    @contextmanager
    def running(self) -> Iterator[None]:
        """While the block runs DuckDB. Raises OutOfResources for a statement that takes too long."""
        late = Event()

        def stop() -> None:
            late.set()
            self.connection.interrupt()

        began, timer = monotonic(), Timer(max(self.seconds - self._spent, 0), stop)
        timer.start()
        try:
            with _grows_by(self.memory_bytes + _READING_FILES):
                yield
        except duckdb.InterruptException:
            if not late.is_set():
                raise
        finally:
            timer.cancel()
            timer.join()
            self._spent += monotonic() - began
        if late.is_set():
            raise OutOfResources(f"the query took longer than {self.seconds:g} s: ask for less, or raise --timeout")


@contextmanager
def _grows_by(size: int) -> Iterator[None]:
    """Let this process allocate at most that many bytes more; without effect where there is no /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except OSError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = pages * resource.getpagesize() + size
    within = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(wanted, *within) if within else wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
