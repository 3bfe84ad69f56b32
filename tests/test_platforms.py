"""`make test` and the rest of `make test-all` run all tests, each once; what a machine lacks is said first."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.collected import COLLECTED
from platforms import MARK, PACKAGES, PLATFORM_TESTS, of_a_platform

ROOT = Path(__file__).parents[1]
MAKEFILE = ROOT / "Makefile"


def test_both_commands_together_run_every_test_once(request: pytest.FixtureRequest) -> None:
    """The Makefile selects by one mark and by its absence, and the mark is on the declared tests alone."""
    chosen = re.findall(
        r"-m pytest \$\(PYTEST\) .*-m (\w+|\".*?\")\)?(?:;|$)", MAKEFILE.read_text("utf-8"), re.MULTILINE
    )
    assert chosen == [f'"not {MARK}"', MARK]
    collected = request.config.stash[COLLECTED]
    marked = {nodeid for nodeid, is_marked in collected.items() if is_marked}
    assert marked == {nodeid for nodeid in collected if of_a_platform(nodeid)}
    counts = {f"not {MARK}": len(collected) - len(marked), MARK: len(marked), "": len(collected)}
    assert len(request.session.items) == counts[request.config.option.markexpr]


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
