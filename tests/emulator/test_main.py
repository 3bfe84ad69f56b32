"""The command: one line when ready, until interrupted, and an exit code."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from emulator.commanding import PACKAGES, ROOT, running
from kafka_census.paging.page import Chain
from kafka_census.protocol.endpoint import Endpoint
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.source.fetch import Fetcher
from kafka_emulator.truth import read


def ended(process: subprocess.Popen[str], how: int = signal.SIGINT) -> tuple[int, str]:
    """Exit code and standard error after an interrupt."""
    process.send_signal(how)
    _, error = process.communicate(timeout=10)
    return process.returncode, error


def groups(server: str) -> list[str]:
    host, _, port = server.rpartition(":")
    chain = Chain(1, "chain", Endpoint(1, host, int(port)))
    fetcher = Fetcher("ListGroups", "groups", ClusterSettings("c", (server,)), CollectSettings())
    return [row[0] for page in fetcher.pages(iter([chain])) for row in page.rows]


def test_without_re2_it_says_so_before_it_listens() -> None:
    """In one line that says what to install; nothing else of the product needs it."""
    without = "import sys; sys.modules['re2'] = None\n"
    ask = without + "import kafka_emulator.__main__ as it; sys.exit(it.main(['--scenario', 'calm']))"
    done = subprocess.run(
        [sys.executable, "-c", ask], cwd=ROOT, capture_output=True, text=True, timeout=20, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "kafka-emulator: the emulator needs google-re2: pip install google-re2\n"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_interrupted(how: int, tmp_path: Path) -> None:
    truth = tmp_path / "truth.jsonl"
    arguments = ("--brokers", "2", "--groups", "30", "--partitions", "12", "--seed", "3", "--truth", str(truth))
    with running(*arguments) as (process, servers):
        assert len(servers) == 2
        listed = sorted(name for server in servers for name in groups(server))
        assert len(listed) == 34
        assert ended(process, how) == (0, "")
    assert sorted(fact.key for fact in read(truth) if fact.kind == "group") == listed


def test_it_runs_from_any_folder(tmp_path: Path) -> None:
    """Its scenarios come with it; a folder that has none of ours is left as it was."""
    with running("--scenario", "calm", folder=tmp_path) as (process, servers):
        assert len(servers) == 3
        assert ended(process) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_a_fault_that_was_never_hit_is_an_error() -> None:
    with running("--scenario", "rolling_restart") as (process, _):
        code, error = ended(process)
    assert code == 1
    assert error.startswith(
        "kafka-emulator: declared faults were never hit: restart on ListGroups of broker 1 at page 1, "
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--scenario", "quiet"), "no such scenario"),
        (("--brokers", "0"), "brokers.count"),
        (
            ("--scenario", "one_broker_down", "--brokers", "2"),
            "brokers.stopped: brokers are 1 to 2; there is no broker 3",
        ),
        (("--as-version", "1.0"), "invalid choice"),
        (("--truth", "/nowhere/truth"), "/nowhere/truth: No such file or directory"),
    ],
)
def test_bad_usage_is_one_line_and_code_2(arguments: tuple[str, ...], says: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kafka_emulator", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": PACKAGES},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1 or "usage:" in done.stderr
