"""What all tests share: a Spark session, operators, a Kafka cluster, a deterministic Hypothesis, and no silent skips.

The session fixtures are made when first asked for and live as long as the test process; under
pytest-xdist each process has its own. In CI (`CI` or `KAFKA_CENSUS_CI` set) a skipped test fails the run.
"""

import gc
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from harness.collected import COLLECTED
from platforms import MARK, of_a_platform

# Imported where it is used: the process that hands out the tests needs none of it.
if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from e2e.operator import Operator
    from emulator.incident import Incident
    from emulator.large_census import LargeCensus
    from harness.connect_client import Client
    from harness.connect_lake import ConnectLake

settings.register_profile(
    "deterministic", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("exhaustive", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "deterministic"))

# pyspark.testing imports pandas-on-Spark, which wants this said before Spark starts.
os.environ.setdefault("PYARROW_IGNORE_TIMEZONE", "1")

TOGETHER: Mapping[str, tuple[str, ...]] = {
    "large world": (
        "tests/emulator/test_truth_at_size.py",
        "tests/emulator/test_what_people_ask.py",
        "tests/spark/test_serverless.py",
    ),
    "Databricks' SDK": (
        "tests/unit/test_databricks.py",
        "tests/unit/test_databricks_bundle.py",
        "tests/unit/test_job.py",
        "tests/unit/test_secrets_out.py",
    ),
    "kafka": ("tests/conformance/", "tests/e2e/", "tests/harness/", "tests/trouble/"),
}
"""Files that stay in one process: they ask the lake of one census, which takes minutes; they import the SDK, for two
seconds, and the first is the only one that says where a workspace is; they start real brokers."""

IN_CI = bool(os.environ.get("CI") or os.environ.get("KAFKA_CENSUS_CI"))


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[SparkSession]":
    """One local session with Delta, two cores, few partitions, no UI; its warehouse is a temporary folder.

    `make platforms` runs few jobs in this process: most of its programs are others.
    """
    from harness.local_spark import JVM, JVM_OF_A_FEW_JOBS, QUICK_TASKS, local_session

    jvm = JVM_OF_A_FEW_JOBS if request.config.option.markexpr == MARK else JVM
    session = local_session("kafka-census tests", tmp_path_factory.mktemp("spark"), QUICK_TASKS, jvm)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def operator(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> "Callable[..., Operator]":
    """Make an operator of a cluster, with a lake of its own."""
    from e2e.operator import Operator

    def make(servers: str, name: str = "e2e", **settings: object) -> Operator:
        folder: Path = tmp_path_factory.mktemp(name)
        return Operator(spark, folder, servers, settings)

    return make


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Client]":
    """Processes with pyspark-client, and the server of Spark Connect that they talk to."""
    from harness.connect_client import connected

    with connected(tmp_path_factory.mktemp("connect")) as one:
        yield one


@pytest.fixture(scope="session")
def on_connect(client: "Client") -> "ConnectLake":
    """Lakes on Spark Connect, which take minutes, and are only read; the large census is in one of them."""
    from harness.connect_lake import connect_lake

    return connect_lake(client)


@pytest.fixture(scope="session")
def large(on_connect: "ConnectLake") -> "LargeCensus":
    """A census of the large emulated world, all tables."""
    from emulator.large_census import large_census

    return large_census(on_connect)


@pytest.fixture(scope="session")
def after_incident(operator: "Callable[..., Operator]", large: "LargeCensus") -> "Incident":
    """Its lake, two censuses of this process' Spark later; it is only read."""
    from emulator.incident import incident

    return incident(operator("", "incident"), large)


class _ByFile(LoadScopeScheduling):  # type: ignore[misc] # pytest-xdist has no types
    """A file stays in one process; all that starts brokers does in one, and so do others that share what is dear.

    So special clusters are never up at the same time, and module fixtures are made once. (pytest-xdist's
    own `loadgroup` writes its groups where pytest 9.2 no longer looks.)
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return next((what for what, files in TOGETHER.items() if file.startswith(files)), file)

    def remove_node(self, node: Any) -> str | None:
        """The test that ended its process, which pytest reports; others run what that process has left to do.

        pytest-xdist hands over finished files too, and waits forever for a result of theirs.
        """
        work = self.assigned_work[node]
        self.assigned_work[node] = {scope: tests for scope, tests in work.items() if not all(tests.values())}
        crashed: str | None = super().remove_node(node)
        return crashed

    def schedule(self) -> None:
        """Also a new process, in place of one that ended, has two files: it runs no test before it has another."""
        super().schedule()
        super().schedule()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves to `make test-all`, before pytest selects by the mark."""
    for item in items:
        if of_a_platform(item.nodeid):
            item.add_marker(MARK)
    config.stash[COLLECTED] = {item.nodeid: item.get_closest_marker(MARK) is not None for item in items}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """Who runs what under pytest-xdist: in order of collection, the quick ones of tests/unit last.

    pytest-xdist's own order, files of many tests first, ends with long files of one test while one process waits.
    """
    config.option.loadscopereorder = False
    return _ByFile(config, log)


def pytest_collection_finish() -> None:
    """What is imported and collected now stays: a full run of Python's collector takes 0.3 s with it, 0.02 without."""
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI a skip is a failure: a test of real Kafka that is not run proves nothing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if IN_CI and skipped and exitstatus == pytest.ExitCode.OK and not hasattr(session.config, "workerinput"):
        reporter.ensure_newline()
        reporter.write_line(f"CI: {len(skipped)} skipped tests are failures here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
