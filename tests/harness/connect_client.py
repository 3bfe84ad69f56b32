"""Processes with PySpark as `pip install pyspark-client` installs it, and the server of Spark Connect they talk to.

pyspark-client is PySpark of the same release without its core, its classic session, its jars and scripts; all other
files are equal (4.2.0 was compared). So it is linked from the installed PySpark, without the parts that only a JVM
needs. It does not need py4j.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

from harness.connect_server import READY
from harness.with_pyspark import PACKAGES, WithPySpark

CLIENT = "the-client"
"""The name of the client's host, for its landed pages; the server's is that of the machine."""

CLASSIC = ("core", "jars", "bin", "sbin", "examples", "data", "licenses", "python", "sql")
"""The folders of the package that the client does not have; of `sql` only the folder `classic`."""

NO_PY4J = "raise ModuleNotFoundError(\"No module named 'py4j'\", name='py4j')\n"


@dataclass(frozen=True, kw_only=True)
class Client(WithPySpark):
    """Processes with pyspark-client; `warehouse` and `log` are those of the server of Spark."""

    warehouse: Path
    log: Path


@contextmanager
def connected(folder: Path) -> Iterator[Client]:
    log, here = folder / "server.log", folder / "here"
    here.mkdir()
    command = [sys.executable, "-m", "harness.connect_server", str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(PACKAGES)}
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
        environment = {"SPARK_REMOTE": line.removeprefix(READY).strip(), "SPARK_LOCAL_HOSTNAME": CLIENT}
        yield Client(packages, here, environment, warehouse=folder / "warehouse", log=log)
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
