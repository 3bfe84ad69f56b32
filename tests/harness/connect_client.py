"""Processes with PySpark as `pip install pyspark-client` installs it, and the server of Spark Connect they talk to.

pyspark-client is PySpark of the same release without its core, its classic session, its jars and scripts; all other
files are equal (4.1.1 was compared). So it is linked from the installed PySpark, without the parts that only a JVM
needs. It does not need py4j.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark

from harness.connect_server import READY

ROOT = Path(__file__).parents[2]
CLIENT = "the-client"
"""The name of the client's host, for its landed pages; the server's is that of the machine."""

CLASSIC = ("core", "jars", "bin", "sbin", "examples", "data", "licenses", "python", "sql")
"""The folders of the package that the client does not have; of `sql` only the folder `classic`."""

NO_PY4J = "raise ModuleNotFoundError(\"No module named 'py4j'\", name='py4j')\n"
_PACKAGES = tuple(str(ROOT / folder) for folder in ("pipelines", "emulator", "tests", ""))


@dataclass(frozen=True)
class Client:
    """Processes with pyspark-client; `server` is the address of Spark, `warehouse` and `log` are its own."""

    packages: Path
    server: str
    warehouse: Path
    log: Path
    folder: Path

    def jobs(
        self, work: Sequence[Sequence[str]], codes: Sequence[int] | None = None
    ) -> tuple[list[Mapping[str, Any]], list[str]]:
        """Run jobs and notebooks in one process: what each did (harness.client_jobs), and the stderr of all.

        codes  their exit codes, if not all of them succeed
        """
        ran = self.run("-m", "harness.client_jobs", *map(json.dumps, work), SPARK_LOCAL_HOSTNAME=CLIENT)
        ended = [json.loads(line) for line in ran.stdout.splitlines()]
        assert [one["code"] for one in ended] == list(codes or [0] * len(work)), ran.stderr[-3000:]
        return ended, ran.stderr.splitlines()

    def run(self, *command: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        ours = ("SPARK_", "PYSPARK_", "KAFKA_CENSUS_", "PYTEST_XDIST")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        path = os.pathsep.join((str(self.packages), *_PACKAGES))
        reported = {"PYTHONPATH": path, "SPARK_REMOTE": self.server, "PYARROW_IGNORE_TIMEZONE": "1"}
        return subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env=inherited | reported | environment,
            capture_output=True,
            text=True,
            check=False,
        )


@contextmanager
def connected(folder: Path) -> Iterator[Client]:
    log, here = folder / "server.log", folder / "here"
    here.mkdir()
    command = [sys.executable, "-m", "harness.connect_server", str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(_PACKAGES)}
    environment.pop("SPARK_REMOTE", None)
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        line = next((line for line in server.stdout if line.startswith(READY)), None)
        assert line is not None, log.read_text()[-3000:]
        packages = _client_alone(folder / "client")
        yield Client(packages, line.removeprefix(READY).strip(), folder / "warehouse", log, here)
        server.stdin.close()


def _client_alone(folder: Path) -> Path:
    (installed,) = pyspark.__path__
    _link(Path(installed), folder / "pyspark", CLASSIC)
    _link(Path(installed, "sql"), folder / "pyspark" / "sql", ("classic",))
    (folder / "py4j").mkdir()
    (folder / "py4j" / "__init__.py").write_text(NO_PY4J)
    return folder


def _link(source: Path, target: Path, without: tuple[str, ...]) -> None:
    target.mkdir(parents=True)
    for path in source.iterdir():
        if path.name not in without:
            (target / path.name).symlink_to(path)
