"""A lake lives in a catalog as in a folder: tests/metastore/in_a_catalog.py in a process with a metastore."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.timeout(600)
def test_a_lake_lives_in_a_catalog() -> None:
    """In a process of its own: one has one session, and the other tests' keeps its catalog in memory."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", str(HERE / "in_a_catalog.py")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    done = subprocess.run(command, cwd=HERE.parents[1], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
