"""What one JVM has loaded and verified of a class path, the next ones of this process map into memory.

A test run starts a hundred JVMs for seconds or minutes each. A broker that finds Kafka's classes in an archive is up
after two thirds of the CPU time; the archive is written by the first short-lived program of the same class path.
"""

import atexit
import functools
import hashlib
import shutil
from pathlib import Path

from harness.processes import own_folder

_SILENT = ("-Xlog:disable", "-Xlog:all=error:stderr")
"""An archive that does not fit is silently not used; errors of the JVM itself are reported."""


def shared_classes(class_path: str, *, write: bool) -> tuple[str, ...]:
    """Options for a JVM of that class path: to use the archive; to `write` it at its end where there is none yet."""
    archive = _folder() / f"{hashlib.sha256(class_path.encode()).hexdigest()[:16]}.jsa"
    if archive.exists():
        return (f"-XX:SharedArchiveFile={archive}", *_SILENT)
    return (f"-XX:ArchiveClassesAtExit={archive}", *_SILENT) if write else ()


@functools.cache
def _folder() -> Path:
    """Of this process, until it ends."""
    folder = own_folder()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
