"""Computing runs on Spark Connect: every transform, and some of their tests, pass against a local Connect server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = (
    "test_items.py",
    "test_java_hash.py",
    "test_fair_hash.py",
    "test_every_transform.py",
    "test_group_coordinator_placement.py",
)
"""Every transform runs there; all of their tests would cost CI as much again."""


@pytest.mark.timeout(1500)
def test_transform_tests_pass_on_spark_connect() -> None:
    """The same files in a process of their own, since one process has either a classic or a Connect session."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", *[str(HERE / name) for name in TESTS]]
    done = subprocess.run(
        command,
        cwd=HERE.parents[1],
        env={**_without_xdist(), "SPARK_REMOTE": "local[2]"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def _without_xdist() -> dict[str, str]:
    """The environment, as if pytest was started by hand."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
