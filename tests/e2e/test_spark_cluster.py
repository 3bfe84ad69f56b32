"""A census on a Spark cluster: a master and two workers with minimal environments, only by the files of `make dist`.

The memory of two drivers is measured first, with groups of emulated brokers. Then brokers require a certificate and a
token, and a worker is killed in the middle of a level; the other one works for the test after that: what keeps
executors from working is one line.
"""

import json
import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from pyspark.sql import functions as F

from e2e.listing import assert_as_the_java_client_says
from e2e.operator import Operator
from e2e.test_spark_submit import commits_of, files_of
from emulator.commanding import running
from harness import workload
from harness.broker import Listener
from harness.canaries import Canaries, watched
from harness.kafka_cluster import KafkaCluster
from harness.spark_cluster import SparkCluster
from harness.submitted import HANGS_S, await_moment, event_log, peak_of_driver
from harness.token_issuer import TokenEndpoint
from kafka_census.landing.fetch.schema import landed_table
from kafka_census.spark.query_settings import OURS
from kafka_census.tables.group_coordinator_placement.columns import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions.columns import UNDER_MIN_ISR_PARTITIONS
from tools import dist

TABLES = (GROUP_COORDINATOR_PLACEMENT, UNDER_MIN_ISR_PARTITIONS)
SECURED = Listener("SECURED", "SASL_SSL", ("OAUTHBEARER",))
PACKAGE = Path(__file__).parents[2] / "pipelines"
CLIENT_SECRET, KEY_PASSWORD, TRUST_PASSWORD = (f"canary-{word}-{uuid.uuid4()}" for word in ("client", "key", "trust"))

ENVIRONMENT = {"SPARK_CONF_DIR": "conf", "PYSPARK_PYTHON": "./environment/bin/python"}
"""Of a driver on a machine with dist/cluster."""

GROUPS = (10_000, 400_000)
"""Groups of the emulated clusters whose drivers are compared."""

QUICK = {
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}
"""Settings for a few rows, on cores that brokers and other tests share."""


@pytest.fixture(scope="module")
def brokers() -> Iterator[KafkaCluster]:
    properties = {"offsets.topic.replication.factor": 1, "listener.name.secured.ssl.client.auth": "required"}
    with KafkaCluster(brokers=2, listeners=(SECURED,), properties=properties) as cluster:
        workload.topics_and_groups(cluster.admin_servers, topics=4, groups=40)
        yield cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    with SparkCluster(tmp_path_factory.mktemp("spark-cluster") / "cluster") as both:
        yield both


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A machine with dist/cluster, and with the environment unpacked for the driver."""
    folder = tmp_path_factory.mktemp("machine") / "cluster"
    dist.write(folder)
    environment = folder / "environment"
    environment.mkdir()
    subprocess.run(["tar", "-xzf", "../environment.tar.gz"], cwd=environment, check=True)
    return folder


@pytest.fixture(scope="module")
def endpoint(brokers: KafkaCluster) -> Iterator[TokenEndpoint]:
    assert brokers.issuer is not None
    with brokers.issuer.endpoint("census", CLIENT_SECRET) as one:
        yield one


@pytest.fixture
def settings(brokers: KafkaCluster, endpoint: TokenEndpoint, tmp_path: Path) -> Mapping[str, object]:
    """The section of the cluster; its files are on the driver's machine."""
    assert brokers.tls is not None
    secrets = {"client": CLIENT_SECRET, "key": KEY_PASSWORD, "trust": TRUST_PASSWORD}
    for name, secret in secrets.items():
        (tmp_path / name).write_text(secret, encoding="utf-8")
    files = {name: {"file": str(tmp_path / name)} for name in secrets}
    _, store = brokers.tls.client("census", KEY_PASSWORD)
    trust = {"cafile": str(brokers.tls.truststore(TRUST_PASSWORD)), "cafile_password": files["trust"]}
    ssl = {**trust, "certfile": str(store), "password": files["key"]}
    oauth = {"token_endpoint": {"url": endpoint.url, "client_id": "census", "client_secret": files["client"]}}
    return {"security_protocol": "SASL_SSL", "ssl": ssl, "sasl": {"mechanism": "OAUTHBEARER", "oauth": oauth}}


@pytest.fixture
def secured(
    brokers: KafkaCluster, settings: Mapping[str, object], operator: Callable[..., Operator]
) -> Callable[[str], Operator]:
    return lambda name: operator(brokers.bootstrap("SECURED"), name, **settings)


@pytest.mark.timeout(1500)
def test_a_driver_keeps_no_more_in_memory_for_many_groups_than_for_few(
    cluster: SparkCluster, machine: Path, tmp_path: Path
) -> None:
    """Landing the groups and their coordinators: for 400,000 ids alone either part would need 24 megabytes.

    Both at once, on a worker each, so before a worker is killed.
    """
    with ThreadPoolExecutor() as both:
        few, many = both.map(lambda groups: _kept_by_driver(cluster, machine, tmp_path / f"{groups}", groups), GROUPS)
    assert many.heap < few.heap + 10
    assert many.python < few.python + 15


class Kept(NamedTuple):
    """MB of a driver: the most of its heap that was in use after any garbage collection, and the peak of its Python."""

    heap: int
    python: float


def _kept_by_driver(cluster: SparkCluster, machine: Path, folder: Path, groups: int) -> Kept:
    """What a driver keeps in memory while workers land an emulated cluster."""
    folder.mkdir()
    config, log, collections = folder / "census.yaml", folder / "log", folder / "collections"
    world = ("--brokers", "4", "--groups", f"{groups}", "--partitions", "100")
    collected = {
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": f"-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:gc:file={collections}",
        "spark.cleaner.periodicGC.interval": "3s",
        "spark.cores.max": "1",
    }
    with running(*world) as (_, servers):
        settings = {"clusters": {"test": {"bootstrap_servers": servers}}, "collect": {"page_limit": 20_000}}
        of = {"lake": {"root": str(folder / "lake")}, "tables": [GROUP_COORDINATOR_PLACEMENT.name]}
        config.write_text(yaml.safe_dump({**settings, **of}), encoding="utf-8")
        job = ("kafka-census.py", "ingest", "--config", str(config), "--cluster", "test", "--log-format", "json")
        # With the tests' own environment, which is no archive to unpack.
        environment = {"SPARK_CONF_DIR": "conf", "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(PACKAGE)}
        conf = QUICK | collected | {"spark.executorEnv.PYTHONPATH": str(PACKAGE)}
        with log.open("w", encoding="utf-8") as out:
            run = cluster.submit(machine, conf, environment, job, out)
            _, python = peak_of_driver(run, "kafka-census")
    said = log.read_text(encoding="utf-8")
    assert run.returncode == 0, said[-3000:]
    events = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert sum(event["items"] for event in events if event["event"] == "landed") > 2 * groups
    kept = re.findall(r"Pause Full .*->(\d+)M", collections.read_text(encoding="utf-8"))
    assert len(kept) > 5
    assert python > 50
    return Kept(max(int(megabytes) for megabytes in kept), python)


@pytest.mark.timeout(1500)
def test_a_census_on_a_spark_cluster_outlives_a_worker(
    brokers: KafkaCluster,
    cluster: SparkCluster,
    machine: Path,
    endpoint: TokenEndpoint,
    secured: Callable[[str], Operator],
    tmp_path: Path,
) -> None:
    """Both workers have fetched pages, only by the archive; no secret is in a plan, a log, the lake or a process."""
    census = replace(secured("spark"), tables=TABLES)
    events = tmp_path / "events"
    events.mkdir()
    conf = event_log(events) | QUICK
    job = ("kafka-census.py", "run", "--config", str(census.config), "--cluster", "test")
    words = ("--archives", "environment.tar.gz#environment", *job)
    run = cluster.submit(machine, conf, ENVIRONMENT, words)
    with watched(run.pid, *cluster.sessions) as processes:
        await_moment(lambda: bool(files_of(census.lake, "FindCoordinator")), run)
        lost = cluster.hosts[1]
        cluster.kill(lost)
        assert commits_of(census.lake, "FindCoordinator") == []
        out, err = run.communicate(timeout=HANGS_S)
    assert run.returncode == 0, (out + err)[-3000:]
    said = "".join([out, err, *cluster.logs()])
    assert_as_the_java_client_says(census, brokers.admin_servers)

    pages = census.rows(landed_table())
    by_host = {row.fetched_by: row for row in pages.groupBy("fetched_by").agg(F.max("wave").alias("wave")).collect()}
    assert set(by_host) == set(cluster.hosts)
    assert by_host[lost].wave < by_host[cluster.hosts[0]].wave
    assert {row.errors for row in pages.selectExpr("sum(int(error_code != 0)) AS errors").collect()} == {0}

    canaries = secrets_of(endpoint, cluster)
    assert len(endpoint.issued) >= 2  # the driver's, and those of Spark's Python workers
    assert canaries.seen_in(said) == set()
    assert canaries.files_with_one(events) == {}
    assert canaries.files_with_one(census.folder) == {}
    assert processes.unseen(b"SparkSubmit", b"CoarseGrainedExecutorBackend", b"pyspark.daemon") == []
    assert canaries.seen_in(b"".join(processes.command_lines)) == set()
    # Spark's own secret reaches executors in their environment.
    assert canaries.seen_in(b"".join(processes.environments)) == {cluster.secret}
    logged_events = "".join(path.read_text(encoding="utf-8") for path in events.rglob("*") if path.is_file())
    assert all(word in logged_events for word in ("MapInArrow", "SparkListenerExecutorRemoved"))
    # Settings for short queries on one machine have not reached the cluster.
    assert "WholeStageCodegen" in logged_events
    assert OURS not in logged_events


def secrets_of(endpoint: TokenEndpoint, cluster: SparkCluster) -> Canaries:
    """The client's secret, the passwords of key and trust store, the tokens' signatures, and Spark's own secret."""
    signatures = (token.rpartition(".")[2] for token in endpoint.issued)
    return Canaries([CLIENT_SECRET, KEY_PASSWORD, TRUST_PASSWORD, *signatures, cluster.secret])


@pytest.mark.timeout(900)
def test_what_keeps_executors_from_working_is_one_line(
    cluster: SparkCluster, machine: Path, endpoint: TokenEndpoint, secured: Callable[[str], Operator]
) -> None:
    """No package; no traceback has a secret. What local workers lack: tests/spark/test_causes_below.py."""
    job = ("kafka-census.py", "run", "--config", str(secured("stopped").config), "--cluster", "test", "--debug")
    bare = {
        "PYSPARK_DRIVER_PYTHON": ENVIRONMENT["PYSPARK_PYTHON"],
        "PYSPARK_PYTHON": str(Path(sys.executable).resolve()),
    }
    run = cluster.submit(machine, QUICK, ENVIRONMENT | bare, job)
    out, err = run.communicate(timeout=HANGS_S)
    [error] = [said for said in (out + err).splitlines() if said.startswith("error: ")]
    assert run.returncode == 1, (out + err)[-3000:]
    assert "lacks a package: ModuleNotFoundError: No module named 'kafka_census'" in error
    assert "docs/spark-cluster.md" in error
    assert secrets_of(endpoint, cluster).seen_in("".join([out, err, *cluster.logs()])) == set()
