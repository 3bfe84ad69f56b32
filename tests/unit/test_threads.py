"""What a process loads, and that none of its threads is alive at its end; independent work at the same time."""

import re
import subprocess
import sys
import threading
import time
from graphlib import CycleError
from pathlib import Path
from unittest.mock import Mock

import pytest

from harness.doctored import written
from harness.documented import ROOT
from kafka_census.spark.side_by_side import side_by_side

WIRE = ("kafka", "kafka_messages")
WIRE += tuple(f"kafka_census.{name}" for name in ("kafka.rpc", "kafka.paging", "landing.fetch", "deletion.writing"))

STEPS = """
import importlib, pkgutil, sys
import kafka_census.cli.doctor, kafka_census.upkeep.doctor
for found in pkgutil.walk_packages(kafka_census.upkeep.doctor.__path__, "kafka_census.upkeep.doctor."):
    importlib.import_module(found.name)
print(*sorted(sys.modules))
for name in [name for name in sys.modules if name.partition(".")[0] in ("kafka", "kafka_census", "kafka_messages")]:
    del sys.modules[name]
import kafka_census.cli.job, kafka_census.census.gate.gate, kafka_census.tables.suites
import kafka_census.data_source, kafka_census.lake.run_lock
print(*sorted(sys.modules))
"""


def test_the_doctor_loads_neither_spark_nor_what_reads_a_lake_and_a_job_only_what_it_needs() -> None:
    """Importing Great Expectations takes as long as the JVM's start; only who collects needs the wire."""
    done = subprocess.run([sys.executable, "-c", STEPS], capture_output=True, text=True, timeout=240, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    doctor, job = (set(line.split()) for line in done.stdout.splitlines())
    assert {name.partition(".")[0] for name in doctor}.isdisjoint({"pyspark", "pyarrow", "deltalake", "pandas"})
    assert {"pyspark", "kafka_census.census.gate.gate", "kafka_census.tables.suites"} <= job
    assert "great_expectations" not in job
    assert [name for name in job if name in WIRE or name.startswith(tuple(f"{one}." for one in WIRE))] == []


AFTER = {"b": ["a"], "d": ["b", "c"], "e": ["elsewhere"]}


@pytest.mark.parametrize("at_once", [1, 2, 3, 9])
def test_each_runs_once_after_what_it_is_made_of(at_once: int) -> None:
    """No more at a time than were asked for."""
    ended: list[str] = []
    places = threading.Semaphore(at_once)

    def run(name: str) -> None:
        assert places.acquire(blocking=False)
        assert set(AFTER.get(name, ())) - {"elsewhere"} <= set(ended)
        threading.Event().wait(0.02)
        ended.append(name)
        places.release()

    side_by_side(Mock(), {name: lambda one=name: run(one) for name in "abcde"}, AFTER, at_once)
    assert sorted(ended) == list("abcde")


def test_two_that_wait_for_nothing_run_at_the_same_time_and_two_that_wait_for_each_other_are_an_error() -> None:
    both = threading.Barrier(2)
    work = {name: lambda: both.wait(10) for name in "ab"}
    side_by_side(Mock(), work, {}, 2)
    with pytest.raises(CycleError):
        side_by_side(Mock(), work, {"a": ["b"], "b": ["a"]}, 2)


def test_a_failure_ends_the_step_with_that_failure() -> None:
    spark, begun, interrupted, later = Mock(), threading.Event(), threading.Event(), Mock()
    spark.interruptAll = interrupted.set

    def fails() -> None:
        begun.wait(10)
        raise ValueError("a table is broken")

    def runs() -> None:
        begun.set()
        interrupted.wait(10)

    with pytest.raises(ValueError, match="a table is broken"):
        side_by_side(spark, {"fails": fails, "runs": runs, "later": later}, {}, 2)
    assert (begun.is_set(), interrupted.is_set(), later.called) == (True, True, False)


ALIVE_AT_EXIT = """
import atexit, threading
atexit.register(lambda: print("the interpreter ends with", threading.active_count(), "threads", flush=True))
"""
HANGING = """
import socket, time
resolved = socket.getaddrinfo
def hangs(host, *rest, **more):
    return time.sleep(60) if host == "hangs.invalid" else resolved(host, *rest, **more)
socket.getaddrinfo = hangs
from kafka_census.upkeep.doctor import cluster
cluster.TIMEOUT_S = 0.5
"""
ENDS = "the interpreter ends with 1 threads\n"


def ran(script: str, *arguments: str) -> tuple[int, str, str, float]:
    began = time.monotonic()
    command = [sys.executable, "-c", ALIVE_AT_EXIT + script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=50)
    return done.returncode, done.stdout, done.stderr, time.monotonic() - began


@pytest.mark.parametrize(
    ("work", "said"),
    [
        *(("begin(lambda: None)", ENDS), ("begin(lambda: time.sleep(0.4))", ENDS)),
        ("begin(lambda: time.sleep(60))", ""),
        # Arrow's threads may call Python, which aborts a process whose interpreter ends: nobody waits for them.
        ("import deltalake", ""),
    ],
    ids=["ended", "about to end", "never ends", "Arrow's"],
)
def test_a_command_ends_without_its_threads(work: str, said: str) -> None:
    script = f"import time; from kafka_census.threads import begin, leave; {work}; print('done'); leave(3)"
    code, out, errors, seconds = ran(script)
    assert (code, out, errors) == (3, f"done\n{said}", "")
    assert seconds < 40


def test_doctor_ends_without_its_threads(tmp_path: Path) -> None:
    """After a whole report, where a name server never answers."""
    script = f"{HANGING}\nfrom kafka_census.cli.command import main; main()"
    code, out, errors, seconds = ran(script, "doctor", "--config", str(written(tmp_path, "hangs.invalid:1")))
    assert (code, errors) == (1, "")
    assert re.search(r"1 failed \(names of prod\).*, in [0-9.]+ s$", out.strip())
    assert seconds < 40


def test_every_thread_is_begun_in_one_place() -> None:
    """Where its end is seen to; pools join their threads."""
    package = ROOT / "pipelines" / "kafka_census"
    found = {path.name for path in package.rglob("*.py") if re.search(r"\bThread\(|daemon=True", path.read_text())}
    assert found == {"threads.py"}
