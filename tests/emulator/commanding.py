"""The emulator as its users start it: a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = os.pathsep.join(str(ROOT / folder) for folder in ("pipelines", "emulator"))
"""Where a process of its own finds the emulator and what it needs of ours."""


@contextmanager
def running(*arguments: str, folder: Path = ROOT) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The command, once it is ready, and where its brokers listen. It is started in the folder."""
    command = [sys.executable, "-m", "kafka_emulator", *arguments]
    environment = os.environ | {"PYTHONPATH": PACKAGES}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("bootstrap.servers=")
        yield process, line.strip().partition("=")[2].split(",")
    finally:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str], how: int = signal.SIGINT) -> tuple[int, str]:
    """The exit code of the command after a signal, and what it said on stderr."""
    process.send_signal(how)
    _, error = process.communicate(timeout=10)
    return process.returncode, error
