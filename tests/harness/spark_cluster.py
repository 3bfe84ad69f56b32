"""A standalone Spark cluster on loopback: a master and workers of one core, without this project's packages.

    with SparkCluster(folder, workers=2) as cluster:
        run = cluster.submit(where, "kafka-census.py", "run", ...)
        cluster.kill(1)

Spark sees each worker as a separate machine: 127.0.0.1, 127.0.0.2, and so on. Their environments contain PATH, Java
and Spark, and so does that of a driver, to which `environment` is added.
"""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from harness import processes
from kafka_census.jars import java, spark_jars

_CLASSES = "org.apache.spark.deploy"
_TIMEOUT_S = 60.0
MEMORY = "512m"


class SparkCluster:
    """A master and its workers, whose logs and working folders are below `folder`."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = folder
        self.hosts = tuple(f"127.0.0.{number}" for number in range(1, workers + 1))
        (port,) = processes.free_ports(1)
        self.master = f"spark://{processes.LOOPBACK}:{port}"
        self._port = port
        self._master: subprocess.Popen[bytes] | None = None
        self._workers: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        """Start master and workers; returns when every worker is registered."""
        self.folder.mkdir(parents=True)
        log = self.folder / "master.log"
        where = ("--host", processes.LOOPBACK, "--port", str(self._port), "--webui-port", "0")
        self._master = processes.start(self._command(processes.LOOPBACK, "master.Master", *where), log)
        for host in self.hosts:
            own = ("--host", host, "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", MEMORY)
            work = ("--work-dir", str(self.folder / host))
            command = self._command(host, "worker.Worker", *own, *work, self.master)
            self._workers[host] = processes.start(command, self.folder / f"{host}.log")
        for host, worker in self._workers.items():
            processes.await_line(worker, self.folder / f"{host}.log", ".*Successfully registered.*", _TIMEOUT_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop all processes."""
        for process in (*self._workers.values(), *([self._master] if self._master else [])):
            processes.kill(process)

    def kill(self, host: str) -> None:
        """SIGKILL a worker and the executors on it."""
        processes.kill(self._workers.pop(host))

    def logs(self) -> Iterator[str]:
        """The logs of master, workers and executors."""
        for path in self.folder.rglob("*"):
            if path.name in ("stdout", "stderr") or path.suffix == ".log":
                yield path.read_text(encoding="utf-8", errors="replace")

    def submit(
        self,
        where: Path,
        conf: Mapping[str, str],
        environment: Mapping[str, str],
        words: Sequence[str],
        output: int | IO[str] = subprocess.PIPE,
    ) -> "subprocess.Popen[str]":
        """Run spark-submit from a folder, with a minimal environment and these variables."""
        given = {"spark.driver.host": processes.LOOPBACK, "spark.driver.bindAddress": processes.LOOPBACK}
        given |= {"spark.ui.enabled": "false", "spark.executor.memory": MEMORY, "spark.cores.max": str(len(self.hosts))}
        # The first tasks wait for all executors.
        given |= {"spark.scheduler.minRegisteredResourcesRatio": "1.0", **conf}
        options = [word for name, value in given.items() for word in ("--conf", f"{name}={value}")]
        command = [str(spark_jars().parent / "bin" / "spark-submit"), "--master", self.master, *options, *words]
        return subprocess.Popen(
            command,
            cwd=where,
            env={**_bare(processes.LOOPBACK), **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            text=True,
            start_new_session=True,
        )

    @staticmethod
    def _command(host: str, name: str, *words: str) -> list[str]:
        options = ("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
        environment = [f"{key}={value}" for key, value in _bare(host).items()]
        return ["env", "-i", *environment, java(), *options, "-cp", f"{spark_jars()}/*", f"{_CLASSES}.{name}", *words]


def _bare(host: str) -> dict[str, str]:
    """The environment of every machine with Spark."""
    return {
        "PATH": "/usr/bin:/bin",
        "JAVA_HOME": str(Path(java()).resolve().parents[1]),
        "SPARK_HOME": str(spark_jars().parent),
        # As in load-spark-env.sh of a distribution.
        "SPARK_SCALA_VERSION": "2.13",
        "SPARK_LOCAL_IP": host,
        "SPARK_LOCAL_HOSTNAME": host,
    }
