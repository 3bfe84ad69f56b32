"""The harness itself: brokers really run, and really end; and what their jars are named."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.processes import running
from kafka_census.errors import ConfigError
from kafka_census.jars import ivy as jars

TESTS = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent / "pipelines")])}


def _is_running(folder: str) -> bool:
    return any(folder.encode() in words for _, _, words in running())


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
    deadline = time.monotonic() + 20
    while _is_running(folder):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_unknown_jar_set_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"no jars named 'kafka-1'; there are delta-4\.4\.0-spark-4\.0, "):
        jars.folder("kafka-1")
