"""What tests against stand-ins share."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.standin import StandIn
from kafka_census.workflows import job


@pytest.fixture
def serve() -> Iterator[Callable[..., StandIn]]:
    """Start stand-ins; all are stopped at the end."""
    started: list[StandIn] = []

    def start(scripts: dict[Any, Any], **options: Any) -> StandIn:
        started.append(StandIn(scripts, **options).__enter__())
        return started[-1]

    yield start
    for one in started:
        one.__exit__()


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the configuration is: `census.yaml` in the current directory, which is a temporary one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "census.yaml"


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job finds its cluster before it starts Spark, whatever its configuration says."""
    monkeypatch.setattr(job, "_reach", lambda *_: None)


@pytest.fixture
def logging_as_it_was() -> Iterator[None]:
    """The process's log settings are put back."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:], root.level = handlers, level
