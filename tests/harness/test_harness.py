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


def _await_end(folder: Path | str) -> None:
    deadline = time.monotonic() + 20
    while _is_running(folder):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_kafka_prints_one_line_when_ready_and_leaves_nothing_when_it_is_interrupted() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "harness.kafka", "--brokers", "1"], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("bootstrap.servers=127.0.0.1:")
        folder = f"kafka-census-brokers.{process.pid}."
        assert _is_running(folder)
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == ""
        assert process.wait(20) == 0
        _await_end(folder)


def test_what_a_process_has_started_ends_with_it_when_it_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    starts = f"start(['tail', '-f', '{log}'], Path('{log}')); print('started', flush=True); input()"
    code = f"from pathlib import Path; from harness.processes import start; {starts}"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert _is_running(f"-f\0{log}")
        process.kill()
    _await_end(log)


def test_a_broker_that_cannot_start_shows_the_end_of_its_log() -> None:
    with pytest.raises(BrokerFailed, match="ConfigException"), KafkaCluster(1, properties={"log.segment.bytes": 1}):
        pass


def test_an_unknown_jar_set_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"no jars named 'kafka-1'; there are delta-4\.4\.0-spark-4\.0, "):
        jars.folder("kafka-1")
