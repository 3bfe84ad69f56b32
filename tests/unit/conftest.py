"""What tests against stand-ins share."""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from harness.page_lake import page_lake
from harness.small_lake import small_lake
from harness.standin import StandIn
from harness.tls import Tls
from kafka_census.cli import job


@pytest.fixture
def serve() -> Iterator[Callable[..., StandIn]]:
    """Start stand-ins; all are stopped at the end."""
    with ExitStack() as started:
        yield lambda scripts, **options: started.enter_context(StandIn(scripts, **options))


@pytest.fixture(scope="session")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Tls:
    """An authority, and a certificate of it; nobody changes them."""
    return Tls(tmp_path_factory.mktemp("tls") / "files")


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six censuses of two clusters, five of them published; nobody changes it."""
    return small_lake(tmp_path_factory.mktemp("small") / "lake")


@pytest.fixture(scope="session")
def bad_day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with three censuses of a cluster on a bad day; nobody changes it."""
    return page_lake(tmp_path_factory.mktemp("page") / "lake")


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
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:], root.level = handlers, level
