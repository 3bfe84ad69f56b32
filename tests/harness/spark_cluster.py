"""A standalone Spark cluster on loopback: a master and workers of one core, without this project's packages.

    with SparkCluster(folder, workers=2) as cluster:
        run = cluster.submit(where, "kafka-census.py", "run", ...)
        cluster.kill(1)

Spark sees each worker as a separate machine: 127.0.0.1, 127.0.0.2, and so on. Their environments contain PATH, Java
and Spark, and so does that of a driver, to which `environment` is added. What they send each other is authenticated and
encrypted, as docs/spark-cluster.md says.
"""

import secrets
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Self

from harness import processes
from harness.submitted import HANGS_S
from kafka_census.jars.ivy import java, spark_jars

_CLASSES = "org.apache.spark.deploy"
MEMORY = "512m"
ENCRYPTED = ("spark.authenticate", "spark.network.crypto.enabled", "spark.io.encryption.enabled")
"""Settings without which whoever reads Spark's traffic reads the secrets in tasks."""


class SparkCluster:
    """A master and its workers, whose logs and working folders are below `folder`."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = folder
        self.hosts = tuple(f"127.0.0.{number}" for number in range(1, workers + 1))
        self.secret = secrets.token_hex(32)
        self._properties = folder / "spark.properties"
        (port,) = processes.free_ports(1)
        self.master = f"spark://{processes.LOOPBACK}:{port}"
        self._port = port
        self._master: subprocess.Popen[bytes] | None = None
        self._workers: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True)
        self._write_properties()
        try:
            self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        for process in (*self._workers.values(), *([self._master] if self._master else [])):
            processes.kill(process)

    @property
    def sessions(self) -> tuple[int, ...]:
        """The sessions of the workers, and of the executors that they start."""
        return tuple(worker.pid for worker in self._workers.values())

    def kill(self, host: str) -> None:
        """SIGKILL a worker and the executors on it."""
        processes.kill(self._workers.pop(host))

    def logs(self) -> Iterator[str]:
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
        given |= {
            "spark.ui.enabled": "false",
            "spark.executor.memory": MEMORY,
            "spark.cores.max": f"{len(self._workers)}",
        }
        # The first tasks wait for all executors.
        given |= {"spark.scheduler.minRegisteredResourcesRatio": "1.0", **conf}
        options = [word for name, value in given.items() for word in ("--conf", f"{name}={value}")]
        own = ("--master", self.master, "--properties-file", str(self._properties), "--load-spark-defaults")
        command = [str(spark_jars().parent / "bin" / "spark-submit"), *own, *options, *words]
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

    def _write_properties(self) -> None:
        """The settings of every process; workers hand the secret to executors."""
        self._properties.touch(mode=0o600)
        settings = {**dict.fromkeys(ENCRYPTED, "true"), "spark.authenticate.secret": self.secret}
        # A master's REST server cannot authenticate, and a master with both ends at once.
        settings["spark.master.rest.enabled"] = "false"
        self._properties.write_text("".join(f"{name} {value}\n" for name, value in settings.items()), encoding="ascii")

    def _start(self) -> None:
        """Start master and workers; returns when every worker is registered."""
        log = self.folder / "master.log"
        where = ("--host", processes.LOOPBACK, "--port", str(self._port), "--webui-port", "0")
        self._master = processes.start(self._command(processes.LOOPBACK, "master.Master", *where), log)
        for host in self.hosts:
            own = ("--host", host, "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", MEMORY)
            work = ("--work-dir", str(self.folder / host))
            command = self._command(host, "worker.Worker", *own, *work, self.master)
            self._workers[host] = processes.start(command, self.folder / f"{host}.log")
        for host, worker in self._workers.items():
            processes.await_line(worker, self.folder / f"{host}.log", ".*Successfully registered.*", HANGS_S)

    def _command(self, host: str, name: str, *words: str) -> list[str]:
        options = ("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
        environment = [f"{key}={value}" for key, value in _bare(host).items()]
        options += ("-cp", f"{spark_jars()}/*", f"{_CLASSES}.{name}", "--properties-file", str(self._properties))
        return ["env", "-i", *environment, java(), *options, *words]


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
