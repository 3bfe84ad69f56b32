"""The command: one line when ready, until interrupted, and an exit code."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.listing import pages
from emulator.commanding import ROOT, ended, running
from kafka_emulator.__main__ import main
from kafka_emulator.truth import read


def test_without_re2_it_says_so_before_it_listens() -> None:
    """In one line that says what to install; nothing else of the product needs it."""
    without = "import sys; sys.modules['re2'] = None\n"
    ask = without + "import kafka_emulator.__main__ as it; sys.exit(it.main(['--scenario', 'calm']))"
    done = subprocess.run(
        [sys.executable, "-c", ask], cwd=ROOT, capture_output=True, text=True, timeout=20, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "kafka-emulator: the emulator needs google-re2: pip install google-re2\n"


def test_it_serves_until_interrupted(tmp_path: Path) -> None:
    """From any folder, which is left as it was: its scenarios come with it."""
    truth, folder = tmp_path / "truth.jsonl", tmp_path / "empty"
    folder.mkdir()
    arguments = ("--scenario", "calm", "--brokers", "2", "--groups", "30", "--seed", "3", "--truth", str(truth))
    with running(*arguments, folder=folder) as (process, servers):
        assert len(servers) == 2
        listed = sorted(row[0] for page in pages(",".join(servers), "ListGroups", "groups") for row in page.rows)
        assert len(listed) == 34
        assert ended(process) == (0, "")
    assert sorted(fact.key for fact in read(truth) if fact.kind == "group") == listed
    assert list(folder.iterdir()) == []


def test_a_fault_that_was_never_hit_is_an_error() -> None:
    with running("--scenario", "rolling_restart") as (process, _):
        code, error = ended(process, signal.SIGTERM)
    assert code == 1
    assert error.startswith(
        "kafka-emulator: declared faults were never hit: restart on ListGroups of broker 1 at page 1, "
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--scenario", "quiet"), "quiet: no such scenario; there are calm, "),
        (("--brokers", "0"), "brokers.count"),
        (("--as-version", "1.0"), "invalid choice"),
        (("--truth", "/nowhere/truth"), "/nowhere/truth: No such file or directory"),
    ],
)
def test_bad_usage_is_one_line_and_code_2(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = main(list(arguments))
    except SystemExit as left:
        code = left.code
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert says in said.err
    assert said.err.count("\n") == 1 or "usage:" in said.err
