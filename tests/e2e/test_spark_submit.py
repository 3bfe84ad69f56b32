"""The command under plain spark-submit: a census after kill -9 and a restart ends as if nothing had happened.

The JVM is killed in the middle of a write (a data file without its commit), after earlier waves. A counting proxy
before the brokers sees repeated requests. Faults crash the other steps in one JVM (tests/spark/test_landing.py).
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from e2e.conftest import COUNTED
from e2e.listing import assert_as_the_java_client_says
from e2e.operator import Operator
from harness import workload
from harness.kafka_cluster import KafkaCluster
from harness.proxy import CountingProxy, Request
from harness.submitted import HANGS_S, await_moment, driver_of, submit, write_spark_conf
from kafka_census.declarations.levels import walks_for
from kafka_census.kafka.rpc import rpc
from kafka_census.landing.ingest import NODES_FROM
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS

TABLES = (GROUP_COORDINATOR_PLACEMENT, UNDER_MIN_ISR_PARTITIONS)
CLIENT = "kafka-census"
API_KEYS = {walk.rpc: rpc(walk.rpc, walk.scope).apis[0].request.API_KEY for walk in walks_for(TABLES)}


@pytest.fixture(scope="module")
def spark_conf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_spark_conf(tmp_path_factory.mktemp("spark-conf"))


def files_of(lake: str, rpc: str) -> list[Path]:
    """The data files of the landing table with pages of an RPC, committed or not."""
    return list(Path(lake, "landing", "pages").glob(f"*/rpc={rpc}/*.parquet"))


def commits_of(lake: str, rpc: str) -> list[Path]:
    logs = sorted(Path(lake, "landing", "pages").glob("_delta_log/*.json"))
    return [log for log in logs if f"rpc={rpc}/" in log.read_text(encoding="utf-8")]


def is_bootstrap(request: Request) -> bool:
    """Bootstrap's DescribeCluster does not request authorized operations; landing's does."""
    return request.api_key == API_KEYS["DescribeCluster"] and request.body[1] == 0


@pytest.mark.timeout(1500)
def test_killed_and_restarted_it_has_what_the_java_client_says_once(
    pair: KafkaCluster,
    proxy: CountingProxy,
    spark_conf: Path,
    operator: Callable[..., Operator],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No request is repeated beyond the open wave; the lock names its holder; no run was lost.

    The command line names brokers and lake, and the restart a configuration file: it is the same census.
    """
    workload.topics_and_groups(pair.admin_servers, topics=5, groups=40)
    servers = pair.bootstrap(COUNTED.name)
    census = replace(operator(servers, "killed"), tables=TABLES)
    monkeypatch.setenv("KAFKA_CENSUS__TABLES", ",".join(table.name for table in TABLES))
    arguments = ("--bootstrap-server", servers, "--lake", census.lake, "--cluster", "test")
    proxy.clear()
    run = submit(spark_conf, "kafka-census", "run", *arguments)
    assert_the_lock_names_its_holder(census, run)
    await_moment(lambda: bool(files_of(census.lake, "FindCoordinator")), run)
    # A JVM without its driver may still commit fetched pages: it is killed itself.
    os.kill(run.pid, signal.SIGKILL)
    run.communicate(timeout=60)
    census.done("census", "--resume", "--no-report")
    assert len({row["census_id"] for row in census.read("under_min_isr_partitions")}) == 1
    assert_as_the_java_client_says(census, pair.admin_servers)
    assert_nothing_was_asked_after_it_was_landed(census, proxy)


def assert_the_lock_names_its_holder(census: Operator, run: "subprocess.Popen[str]") -> None:
    """A second run ends at once with exit 1."""
    deadline = time.monotonic() + HANGS_S
    lock = Path(census.lake, "locks", "test.lock")
    while not _is_held_by_a_child(lock, run.pid):
        assert run.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(run.pid, signal.SIGSTOP)
    try:
        holder = driver_of(run.pid, "kafka-census")
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
        landed_at = commits_of(census.lake, name)[0].stat().st_mtime
        before = {one.body for one in asked if one.api_key == key and one.at <= landed_at}
        again = [one for one in asked if one.api_key == key and one.at > landed_at and one.body in before]
        assert before, name
        assert again == [], name
    assert set(API_KEYS) >= {rpc for rpc, _ in NODES_FROM}
