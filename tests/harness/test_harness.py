"""The harness itself: brokers really run, and really end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.kafka_cluster import BrokerFailed, KafkaCluster
from harness.processes import running
from kafka_census.errors import ConfigError
from kafka_census.jars import ivy as jars

TESTS = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "pipelines")])}


def _is_running(folder: Path | str) -> bool:
    return any(str(folder).encode() in words for _, _, words in running())


def test_no_broker_outlives_the_command_that_started_it() -> None:
    """`make kafka` prints one line when ready; however it ends, its brokers end with it."""
    command = [sys.executable, "-m", "harness.kafka", "--brokers", "1"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "pipelines")])}
    with contextlib.ExitStack() as started:
        # Both at once: a broker takes ten seconds to start.
        commands = {
            ending: started.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env))
            for ending in (signal.SIGINT, signal.SIGKILL)
        }
        for ending, process in commands.items():
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
