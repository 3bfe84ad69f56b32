"""No thread of ours is alive when the interpreter ends: it was joined, or the process ends without it."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.doctored import written
from harness.documented import ROOT

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
    [("lambda: None", ENDS), ("lambda: time.sleep(0.4)", ENDS), ("lambda: time.sleep(60)", "")],
    ids=["ended", "about to end", "never ends"],
)
def test_a_command_ends_without_its_threads(work: str, said: str) -> None:
    script = f"import time; from kafka_census.threads import begin, leave; begin({work}); print('done'); leave(3)"
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
