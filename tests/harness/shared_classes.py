"""Archives of classes: later JVMs of this process map the classes that the first JVM of a class path has loaded.

A test run starts a hundred JVMs for seconds or minutes each. A broker that finds Kafka's classes in an archive starts
in two thirds of the CPU time; the first short-lived program of the same class path writes the archive.
"""

import atexit
import functools
import hashlib
import shutil
from pathlib import Path

from harness.processes import own_folder

_SILENT = ("-Xlog:disable", "-Xlog:all=error:stderr")
"""An archive that does not match is ignored silently; errors of the JVM itself are reported."""


def shared_classes(class_path: str, *, write: bool) -> tuple[str, ...]:
    """Options for a JVM of that class path: to use the archive, or to `write` it at the end where none exists."""
    archive = _folder() / f"{hashlib.sha256(class_path.encode()).hexdigest()[:16]}.jsa"
    if archive.exists():
        return (f"-XX:SharedArchiveFile={archive}", *_SILENT)
    return (f"-XX:ArchiveClassesAtExit={archive}", *_SILENT) if write else ()


@functools.cache
def _folder() -> Path:
    folder = own_folder()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
