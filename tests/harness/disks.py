"""Disks that fill up or become read-only while a test runs.

As root on a Linux that lets root mount, by real mounts; elsewhere by limits and rights of the process.
"""

import os
import resource
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


@contextmanager
def disk(folder: Path, size: str = "64m") -> Iterator[bool]:
    """The folder is a disk of that size, or, where that may not be mounted, a folder like any other: then False."""
    folder.mkdir(parents=True, exist_ok=True)
    mounted = _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def full(folder: Path, spark: SparkSession, *, is_disk: bool) -> Iterator[None]:
    """No byte fits on that disk; on a folder, the JVM of the session can write no file."""
    if is_disk:
        ballast = folder / "ballast"
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass  # full
        try:
            yield
        finally:
            ballast.unlink()
        return
    context: Any = spark.sparkContext
    jvm = int(context._jvm.java.lang.ProcessHandle.current().pid())
    before = resource.prlimit(jvm, resource.RLIMIT_FSIZE)
    resource.prlimit(jvm, resource.RLIMIT_FSIZE, (1, before[1]))
    try:
        yield
    finally:
        resource.prlimit(jvm, resource.RLIMIT_FSIZE, before)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing below the folder can be written, whatever is open already: mounted again, else by its rights.

    Raises AssertionError where neither is possible: for root, rights do not count.
    """
    if _mount("--bind", str(folder), str(folder)):
        # Linux refuses as long as a file is open for writing through the new mount.
        deadline = time.monotonic() + 10
        while not _mount("-o", "remount,bind,ro", str(folder)):
            assert time.monotonic() < deadline, "a file below it stays open for writing"
            time.sleep(0.01)
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        return
    assert os.geteuid(), "root, and not allowed to mount: give the container CAP_SYS_ADMIN, or run as another user"
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for each in folders:
        each.chmod(0o555)
    try:
        yield
    finally:
        for each in folders:
            each.chmod(0o755)


def _mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0
