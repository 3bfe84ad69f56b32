"""The jobs under plain spark-submit: a census after kill -9 and a restart ends as an uninterrupted one.

The JVM is killed in the middle of a write (a data file without its commit), the Python driver directly after
a commit. A counting proxy before the brokers sees repeated requests.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from e2e.operator import Operator
from harness import workload
from harness.kafka_cluster import KafkaCluster
from harness.proxy import CountingProxy, Request
from harness.submitted import HANGS_S, await_moment, driver_of, submit, write_spark_conf
from kafka_census.landing.ingest import NODES_FROM
from kafka_census.rpc import rpc
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.levels import walks_for
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS

TABLES = (GROUP_COORDINATOR_PLACEMENT, UNDER_MIN_ISR_PARTITIONS)
CLIENT = "kafka-census"
MOST_COMMITS = 14
"""The highest number of commits of a census of a few tables, the first of its lake."""
API_KEYS = {walk.rpc: rpc(walk.rpc, walk.scope).apis[0].request.API_KEY for walk in walks_for(TABLES)}


@dataclass(frozen=True)
class Point:
    """A point at which a run is killed: `moment` is the write or the commit of the first wave with pages of an RPC."""

    moment: str
    rpc: str


POINTS = (
    Point("write", "Metadata"),
    Point("commit", "FindCoordinator"),
)
"""In the order in which a census reaches them; the last is before the audit tables are written.

Both processes are killed, the JVM first: each point costs CI a JVM. Injected faults crash the other steps in one JVM
(tests/spark/test_landing.py).
"""


@pytest.fixture(scope="module")
def proxy() -> Iterator[CountingProxy]:
    """A proxy before every broker."""
    with CountingProxy() as counting:
        yield counting


@pytest.fixture(scope="module")
def cluster(proxy: CountingProxy) -> Iterator[KafkaCluster]:
    """Two brokers, some topics, some groups."""
    with KafkaCluster(brokers=2, proxies=proxy, properties={"offsets.topic.replication.factor": 1}) as brokers:
        workload.topics_and_groups(brokers.admin_servers, topics=5, groups=40)
        yield brokers


@pytest.fixture(scope="module")
def spark_conf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Spark's own configuration folder."""
    return write_spark_conf(tmp_path_factory.mktemp("spark-conf"))


class Watch:
    """Detects that a run has reached a point."""

    def __init__(self, lake: str, point: Point) -> None:
        self.point = point
        self.folder = Path(lake, "landing", "pages")
        self.commits, self.files = self._landed()

    def _landed(self) -> tuple[int, int]:
        rpc = self.point.rpc
        return len(commits_of(self.folder, rpc)), len(list(self.folder.glob(f"*/rpc={rpc}/*.parquet")))

    @property
    def reached(self) -> bool:
        """Whether the run has reached the point."""
        commits, files = self._landed()
        return files > self.files if self.point.moment == "write" else commits > self.commits


def commits_of(pages: Path, rpc: str) -> list[Path]:
    """The commits of the landing table with pages of an RPC, in order."""
    return [log for log in sorted(pages.glob("_delta_log/*.json")) if f"rpc={rpc}/" in log.read_text(encoding="utf-8")]


def is_bootstrap(request: Request) -> bool:
    """Bootstrap's DescribeCluster does not request authorized operations; landing's does."""
    return request.api_key == API_KEYS["DescribeCluster"] and request.body[1] == 0


def comparable(census: Operator, table: str) -> list[str]:
    """Rows of a published table without ids and times."""
    rows = census.current(table).drop("census_id", "observed_at").collect()
    return sorted(str(row) for row in rows)


@pytest.mark.timeout(1500)
def test_killed_anywhere_and_restarted_it_ends_as_an_uninterrupted_census(
    cluster: KafkaCluster, proxy: CountingProxy, spark_conf: Path, operator: Callable[..., Operator]
) -> None:
    """Equal rows; no request is repeated beyond the open wave; the lock names its holder; no run was lost."""
    whole = replace(operator(cluster.bootstrap_servers, "uninterrupted"), tables=TABLES)
    assert whole.run("census").code == 0
    assert len(list(Path(whole.lake).rglob("_delta_log/*.json"))) <= MOST_COMMITS
    census = replace(operator(cluster.bootstrap_servers, "killed"), tables=TABLES)
    arguments = ("--config", str(census.config), "--cluster", "test", "--resume")
    proxy.clear()
    for number, point in enumerate(POINTS):
        watch = Watch(census.lake, point)
        run = submit(spark_conf, "ingest", *arguments)
        if number == 1:
            assert_the_lock_names_its_holder(census, run)
        await_moment(lambda watch=watch: watch.reached, run)
        # A JVM without its driver may still commit fetched pages: in the middle of a write it is killed itself.
        os.kill(driver_of(run.pid, "ingest") if number else run.pid, signal.SIGKILL)
        run.communicate(timeout=60)
    run = submit(spark_conf, "kafka-census", "run", *arguments)
    out, err = run.communicate(timeout=HANGS_S)
    assert run.returncode == 0, err[-3000:]
    assert "under_min_isr_partitions" in out
    ids = census.current("under_min_isr_partitions").select("census_id").distinct().collect()
    assert len(ids) == 1
    for table in TABLES:
        assert comparable(census, table.name) == comparable(whole, table.name)
    assert_nothing_was_asked_after_it_was_landed(census, proxy)


def assert_the_lock_names_its_holder(census: Operator, run: "subprocess.Popen[str]") -> None:
    """A second run ends at once with exit 1."""
    deadline = time.monotonic() + HANGS_S
    lock = Path(census.lake, "locks", "test.lock")
    # The file names the run that was killed before, until this run takes the lock.
    while not _is_held_by_a_child(lock, run.pid):
        assert run.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(run.pid, signal.SIGSTOP)
    try:
        holder = driver_of(run.pid, "ingest")
        started = time.monotonic()
        second = census.run("ingest")
    finally:
        os.kill(run.pid, signal.SIGCONT)
    assert second.code == 1
    assert f"process {holder}" in second.error
    assert time.monotonic() - started < 30


def _is_held_by_a_child(lock: Path, jvm: int) -> bool:
    """Whether the lock names a process that this JVM started."""
    try:
        return int(json.loads(lock.read_text())["parent_pid"]) == jvm
    except (OSError, ValueError):
        return False  # the file does not exist yet, or is being written


def assert_nothing_was_asked_after_it_was_landed(census: Operator, proxy: CountingProxy) -> None:
    """A request whose page is committed is never sent again."""
    asked = [one for one in proxy.requests if one.client_id == CLIENT and not is_bootstrap(one)]
    assert asked
    for name, key in API_KEYS.items():
        if name in ("DescribeConfigs", "ListPartitionReassignments"):
            continue  # their two walks are landed one after the other; FindCoordinator covers keyed walks
        landed_at = commits_of(Path(census.lake, "landing", "pages"), name)[0].stat().st_mtime
        before = {one.body for one in asked if one.api_key == key and one.at <= landed_at}
        again = [one for one in asked if one.api_key == key and one.at > landed_at and one.body in before]
        assert before, name
        assert again == [], name
    assert set(API_KEYS) >= {rpc for rpc, _ in NODES_FROM}


def test_a_job_without_delta_ends_in_one_line_with_the_right_command(operator: Callable[..., Operator]) -> None:
    """Exit 2; the line is the command to type."""
    census = operator("127.0.0.1:1", "no-delta")
    run = submit(None, "transform", "--config", str(census.config), "--cluster", "test")
    out, err = run.communicate(timeout=120)
    assert run.returncode == 2
    # spark-submit merges the driver's stderr into its own stdout.
    (line,) = [one for one in (out + err).splitlines() if one.startswith("error: ")]
    assert "SPARK_CONF_DIR=build/spark-conf" in line
    assert "PYSPARK_PYTHON=" in line
    assert "spark-submit jobs/transform.py" in line
