"""What only `make test-all` runs is there; what a machine lacks for it is said first."""

import subprocess
import sys
from pathlib import Path

import pytest

from platforms import PACKAGES, PLATFORM_TESTS

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("path", [*PLATFORM_TESTS, *(tests for _, tests in PACKAGES.values())])
def test_what_is_declared_is_there(path: str) -> None:
    """A file that was renamed would come back into `make test` in silence."""
    assert (ROOT / path).exists()


def test_missing_packages_are_named_with_the_command_and_what_is_not_run() -> None:
    bare = {"PATH": "/nonexistent"}
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "platforms.py"], env=bare, capture_output=True, text=True, check=False
    )
    said, command = done.stdout.splitlines()
    assert done.returncode == 1
    assert all(path in said for _, path in PACKAGES.values())
    assert command.startswith("apt-get install --no-install-recommends chromium-headless-shell gcc ")
