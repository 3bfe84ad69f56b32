"""Jobs under plain spark-submit, in separate processes that a test may kill."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from harness.processes import peak_memory, running

ROOT = Path(__file__).parents[2]
HANGS_S = 600.0
"""After so long a process hangs: on a busy machine a start alone has taken a minute. Tests have longer limits."""


def write_spark_conf(folder: Path, events: Path | None = None) -> Path:
    """Spark's configuration; with a new folder for the event log, which has the plans."""
    subprocess.run([sys.executable, "-m", "kafka_census.jars", "--spark-conf", str(folder)], cwd=ROOT, check=True)
    if events:
        events.mkdir(parents=True)
        with (folder / "spark-defaults.conf").open("a", encoding="utf-8") as defaults:
            defaults.writelines(f"{name} {value}\n" for name, value in event_log(events).items())
    return folder


def event_log(folder: Path) -> dict[str, str]:
    """The settings of an event log that can be read."""
    settings = {"enabled": "true", "dir": folder.as_uri(), "compress": "false"}
    return {f"spark.eventLog.{name}": value for name, value in settings.items()}


def submit(conf: Path, job: str, *arguments: str) -> "subprocess.Popen[str]":
    """Run spark-submit as in README; the process is the JVM, the driver is its child.

    job  the name of a job, or the path of a script without its `.py`
    """
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_CONF_DIR": str(conf)}
    submit = str(Path(sys.executable).with_name("spark-submit"))
    command = [submit, str(ROOT / "jobs" / f"{job}.py"), *arguments]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def await_moment(reached: Callable[[], bool], run: "subprocess.Popen[str]") -> None:
    """Wait until `reached` is true. Raises AssertionError when the run ended before, or hangs: it is killed."""
    deadline = time.monotonic() + HANGS_S
    while not reached():
        if run.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(f"it ended, or hung: {kill_all(run)[-3000:]}")
        time.sleep(0.01)


def kill_all(run: "subprocess.Popen[str]") -> str:
    """kill -9 the JVM and its driver, if they still run; returns their output."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    return "".join(run.communicate(timeout=60))


def driver_of(jvm: int, job: str) -> int:
    """The Python of a driver. A command that the JVM starts is, until its exec, the JVM's own words and memory."""
    for process, stat, words in running():
        if int(stat[1]) == jvm and b"python" in words.split(b"\0")[0] and f"{job}.py".encode() in words:
            return process
    raise AssertionError(f"JVM {jvm} has no driver")


def peak_of_driver(run: "subprocess.Popen[str]", job: str, every_s: float = 0.2) -> tuple[float, float]:
    """The most memory that the JVM of a driver and its Python have had resident, MB; returns when both have ended."""
    jvm = python = 0.0
    while run.poll() is None:
        with contextlib.suppress(AssertionError, OSError, StopIteration):  # not started yet, or just ended
            jvm = peak_memory(run.pid)
            python = peak_memory(driver_of(run.pid, job))
        time.sleep(every_s)
    return jvm, python
