"""The harness itself: brokers really run, and really end."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness import oracle, workload
from harness.kafka_cluster import BrokerFailed, KafkaCluster
from harness.proxy import CountingProxy
from kafka_census import jars
from kafka_census.errors import ConfigError
from kafka_census.spark_conf import write_spark_conf

TESTS = Path(__file__).parents[1]
LIST_GROUPS = 16


def _brokers_of(folder: str) -> list[str]:
    """Command lines of processes that run from a cluster's folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.append(process.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [line for line in found if folder in line]


def _soon(condition: Callable[[], bool], timeout_s: float = 20.0) -> bool:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


@contextlib.contextmanager
def _make_kafka() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "harness.kafka", "--brokers", "1"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "pipelines")])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_broker_outlives_the_command_that_started_it(ending: signal.Signals) -> None:
    """`make kafka` prints one line when ready; however it ends, its brokers end with it."""
    with _make_kafka() as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("bootstrap.servers=127.0.0.1:")
        folder = f"kafka-census-brokers.{process.pid}."
        assert len(_brokers_of(folder)) == 1
        process.send_signal(ending)
        assert process.stdout.read() == ""
        assert process.wait(20) == (-signal.SIGKILL if ending == signal.SIGKILL else 0)
        assert _soon(lambda: not _brokers_of(folder))


def test_a_broker_that_cannot_start_shows_the_end_of_its_log() -> None:
    """A wrong property ends in one error with the broker's output."""
    with pytest.raises(BrokerFailed, match="ConfigException"), KafkaCluster(1, properties={"log.segment.bytes": 1}):
        pass


def test_a_stopped_broker_is_gone_and_comes_back_with_its_replicas() -> None:
    """Stopping takes a broker out of every ISR, starting brings it back; the proxy counts requests by broker."""
    with CountingProxy() as proxy, KafkaCluster(3, proxies=proxy) as cluster:
        workload.create_topic(cluster.admin_servers, "t", 1, 3)
        cluster.kill_broker(2)
        assert _isr(cluster) == {1, 3}
        cluster.start_broker(2)
        assert _soon(lambda: _isr(cluster) == {1, 2, 3})
        proxy.clear()
        oracle.ask(cluster.bootstrap_servers, "group", properties={"client.id": "oracle"})
        assert {r.node for r in proxy.requests if r.api_key == LIST_GROUPS and r.client_id == "oracle"} == {1, 2, 3}


def _isr(cluster: KafkaCluster) -> set[int]:
    (row,) = (row for row in oracle.ask(cluster.admin_servers, "partition") if row["topic"] == "t")
    return set(row["isr"])


def test_an_unknown_jar_set_is_refused_by_name() -> None:
    """The error lists the existing jar sets."""
    with pytest.raises(ConfigError, match=r"no jars named 'kafka-1'; there are delta-4\.4\.0"):
        jars.folder("kafka-1")


def test_an_old_java_is_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names Java 11 in JAVA_HOME, and the required version."""
    command = tmp_path / "bin" / "java"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    command.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ConfigError, match=r"Java 17 or newer is needed; .*/bin/java is 11"):
        jars.java()


def test_spark_conf_names_delta_jars_that_exist(tmp_path: Path) -> None:
    """The configuration of `make jars` has no placeholder left."""
    write_spark_conf(tmp_path)
    text = (tmp_path / "spark-defaults.conf").read_text()
    (line,) = (line for line in text.splitlines() if line.startswith("spark.jars "))
    assert all(Path(jar).is_file() for jar in line.split()[1].split(","))
    assert "${delta_jars}" not in text
