"""Processes with another PySpark than the installed one: another release of it, or its client alone."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kafka_census.jars.ivy import cache_folder

ROOT = Path(__file__).parents[2]
PACKAGES = tuple(str(ROOT / folder) for folder in ("pipelines", "emulator", "tests", ""))

RELEASES = {
    "4.0.1": "9d1f22d994f60369228397e3479003ffe2dd736ba79165003246ff7bd48e2c73",
    "4.1.1": "77f78984aa84fbe865c717dd37b49913b4e5c97d76ef6824f932f1aefa6621ec",
}
"""Releases beside that of requirements.lock, with the SHA-256 of what pip installs; it installs the same Delta."""


@dataclass(frozen=True)
class WithPySpark:
    """Processes that run in a folder.

    packages     the folder that has PySpark
    environment  what they have in addition
    """

    packages: Path
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def jobs(
        self, work: Sequence[Sequence[str]], codes: Sequence[int] | None = None
    ) -> tuple[list[Mapping[str, Any]], list[str]]:
        """Run jobs and notebooks in one process: what each did (harness.client_jobs), and the stderr of all.

        codes  their exit codes, if not all of them succeed
        """
        ran = self.run("-m", "harness.client_jobs", *map(json.dumps, work))
        ended = [json.loads(line) for line in ran.stdout.splitlines()]
        assert [one["code"] for one in ended] == list(codes or [0] * len(work)), ran.stderr[-3000:]
        return ended, ran.stderr.splitlines()

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """Run Python with these arguments, without the environment of this test's process."""
        ours = ("SPARK_", "PYSPARK_", "KAFKA_CENSUS_", "PYTEST_XDIST")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        path = os.pathsep.join((str(self.packages), *PACKAGES))
        reported = {"PYTHONPATH": path, "PYARROW_IGNORE_TIMEZONE": "1", "KAFKA_CENSUS_CACHE": str(cache_folder())}
        return subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env=inherited | reported | self.environment,
            capture_output=True,
            text=True,
            check=False,
        )


def release(version: str) -> Path:
    """The folder with that release of PySpark, which pip puts once into the cache of the jars."""
    kept = cache_folder() / "pyspark" / version
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept.parent) as name:
            pinned, made = Path(name, "requirements"), Path(name, "made")
            pinned.write_text(f"pyspark=={version} --hash=sha256:{RELEASES[version]}\n", encoding="utf-8")
            pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps"]
            command = [*pip, "--no-compile", "--require-hashes", "--target", str(made), "-r", str(pinned)]
            subprocess.run(command, check=True)
            made.rename(kept)
    return kept
