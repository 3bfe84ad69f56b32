"""`make demo`, as a newcomer runs it: the commands that it prints, and every question and notebook on its lake."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import Row, SparkSession

from harness import demo
from harness.documented import QUESTIONS, blocks
from kafka_census.cli.command import command
from kafka_census.reading.sql.session import Session
from kafka_census.terminal.log import Redactor
from tools import notebook

LAKE = str(demo.ROOT / demo.LAKE)
NOTEBOOKS = sorted((demo.ROOT / "notebooks").glob("0*.py"))
EMPTY = {4, 5, 7, 21, 27, 28, 30, 34}
"""Questions whose answer is that there is none: of a group `connect`, of what the bad day does not break."""

pytestmark = pytest.mark.timeout(1200)
"""Brokers, and two censuses of all tables in JVMs of their own."""


@pytest.fixture(scope="module")
def printed() -> str:
    """What it prints; the lake is build/demo/lake of this checkout."""
    words = [sys.executable, "-m", "harness.demo"]
    path = os.pathsep.join(str(demo.ROOT / folder) for folder in ("tests", "pipelines", "emulator", ""))
    ran = subprocess.run(
        words, cwd=demo.ROOT, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return ran.stdout


def test_the_commands_that_it_prints_run(
    printed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(demo.ROOT)
    lines = dict(line.split(": ", 1) for line in printed.splitlines() if ": kafka-census " in line)
    assert {"Next", "All of it"} <= set(lines)
    for line in lines.values():
        assert command(shlex.split(line)[1:], Redactor()) == 0
        assert "audit" in capsys.readouterr().out, line


@pytest.mark.usefixtures("printed")
def test_each_question_is_answered() -> None:
    asked = [block.text for block in blocks(QUESTIONS) if block.language == "sql"]
    found = {number: list(result.rows) for number, result in enumerate(Session(LAKE).results(";\n".join(asked)), 1)}
    assert len(found) == len(asked) >= 35
    assert {number for number, rows in found.items() if not rows} <= EMPTY
    assert ("audit", 2, "OK", "OFFLINE") in {row[:4] for row in found[3]}, "changed between the two censuses"


@pytest.mark.usefixtures("printed")
def test_each_notebook_shows_something(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown: Mapping[str, list[list[Row]]] = {path.stem: [] for path in NOTEBOOKS}
    for path in NOTEBOOKS:
        frames = shown[path.stem]
        plots = notebook.run(path, spark, {"lake": LAKE}, lambda frame, frames=frames: frames.append(frame.collect()))
        assert list(plots.iterdir()) or path.stem == "03_why_was_it_refused"
    assert [frames[0][0].cluster for frames in shown.values()] == ["demo"] * len(NOTEBOOKS)
    rows = {name: [len(frame) for frame in frames] for name, frames in shown.items()}
    assert {name for name, counts in rows.items() if not any(counts[1:])} <= {"03_why_was_it_refused"}, rows
