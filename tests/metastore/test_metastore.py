"""A lake lives in a catalog, and in an object store, as in a folder: in a process with a metastore and a bucket."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.timeout(1800)
def test_a_lake_lives_in_a_catalog_and_in_a_bucket() -> None:
    """In a process of its own: one has one session, and the other tests' keeps its catalog in memory."""
    files = [str(HERE / name) for name in ("in_a_catalog.py", "in_a_bucket.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "--durations=8", *files]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    done = subprocess.run(command, cwd=HERE.parents[1], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
