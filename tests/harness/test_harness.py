"""The harness itself: brokers really run, and really end."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.kafka_cluster import BrokerFailed, KafkaCluster
from kafka_census.errors import ConfigError
from kafka_census.jars import ivy as jars

TESTS = Path(__file__).parents[1]


def _is_running(folder: str) -> bool:
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if folder.encode() in process.read_bytes():
                return True
    return False


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_no_broker_outlives_the_command_that_started_it(ending: signal.Signals) -> None:
    """`make kafka` prints one line when ready; however it ends, its brokers end with it."""
    command = [sys.executable, "-m", "harness.kafka", "--brokers", "1"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "pipelines")])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("bootstrap.servers=127.0.0.1:")
        folder = f"kafka-census-brokers.{process.pid}."
        assert _is_running(folder)
        process.send_signal(ending)
        assert process.stdout.read() == ""
        assert process.wait(20) == (-signal.SIGKILL if ending == signal.SIGKILL else 0)
        deadline = time.monotonic() + 20
        while _is_running(folder):
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_broker_that_cannot_start_shows_the_end_of_its_log() -> None:
    with pytest.raises(BrokerFailed, match="ConfigException"), KafkaCluster(1, properties={"log.segment.bytes": 1}):
        pass


def test_an_unknown_jar_set_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"no jars named 'kafka-1'; there are delta-4\.4\.0"):
        jars.folder("kafka-1")
