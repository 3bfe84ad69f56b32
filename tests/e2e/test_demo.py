"""`make demo`, as a newcomer runs it, and the commands that it prints."""

import os
import shlex
import subprocess
import sys

import pytest

from harness import demo
from kafka_census.cli.command import command
from kafka_census.terminal.log import Redactor


@pytest.mark.timeout(1200)
def test_the_commands_that_it_prints_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Brokers, and two censuses of all tables in JVMs of their own; the lake is build/demo/lake of this checkout."""
    words = [sys.executable, "-m", "harness.demo"]
    path = os.pathsep.join(str(demo.ROOT / folder) for folder in ("tests", "pipelines", "emulator", ""))
    ran = subprocess.run(
        words, cwd=demo.ROOT, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    monkeypatch.chdir(demo.ROOT)
    lines = dict(line.split(": ", 1) for line in ran.stdout.splitlines() if ": kafka-census " in line)
    assert {"Next", "All of it"} <= set(lines)
    for line in lines.values():
        assert command(shlex.split(line)[1:], Redactor()) == 0
        assert "audit" in capsys.readouterr().out, line
