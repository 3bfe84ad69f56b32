"""Processes with another PySpark than the installed one, such as its client alone."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kafka_census.jars.ivy import cache_folder

ROOT = Path(__file__).parents[2]
PACKAGES = tuple(str(ROOT / folder) for folder in ("pipelines", "emulator", "tests", ""))


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
