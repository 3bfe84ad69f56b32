"""Prometheus' own `promtool`: the installed one, or else Debian's, unpacked once into the cache of the jars.

Nothing is installed, and no root is needed: apt downloads its lists and the package into folders of ours.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from kafka_census.jars.ivy import cache_folder

_MINUTES = 5 * 60


def promtool(*arguments: str, reported: str = "") -> subprocess.CompletedProcess[str]:
    """Run promtool, with a text on its stdin."""
    return subprocess.run(
        [_program(), *arguments], input=reported, capture_output=True, text=True, timeout=_MINUTES, check=False
    )


def _program() -> str:
    found = shutil.which("promtool")
    if found:
        return found
    kept = cache_folder() / "promtool" / "promtool"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            _unpacked(Path(folder)).replace(kept)
    return str(kept)


def _unpacked(folder: Path) -> Path:
    """The program of Debian's package `prometheus`, in that folder; apt checks the package by its signatures."""
    for name in ("lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True)
    ours = [f"Dir::State::Lists={folder}/lists", f"Dir::Cache={folder}", "APT::Sandbox::User="]
    apt = ["apt-get", "-q", *(word for option in ours for word in ("-o", option))]
    for command in ([*apt, "update"], [*apt, "download", "prometheus"]):
        subprocess.run(command, cwd=folder, timeout=_MINUTES, check=True)
    [package] = folder.glob("prometheus_*.deb")
    subprocess.run(["dpkg", "--extract", package.name, "unpacked"], cwd=folder, check=True)
    return folder / "unpacked" / "usr" / "bin" / "promtool"
