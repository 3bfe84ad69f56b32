"""A census on a Spark cluster: a master and two workers with minimal environments, only by the files of `make dist`.

The brokers require a certificate and a password. A worker is killed in the middle of a level.
"""

import subprocess
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import functions as F

from e2e.operator import Operator
from e2e.test_spark_submit import Point, Watch, comparable
from harness import workload
from harness.broker import Listener
from harness.canaries import Canaries
from harness.kafka_cluster import KafkaCluster
from harness.spark_cluster import SparkCluster
from harness.submitted import await_moment
from kafka_census.source.schema import landed_table
from kafka_census.tables.group_coordinator_placement import GROUP_COORDINATOR_PLACEMENT
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS
from tools import dist

TABLES = (GROUP_COORDINATOR_PLACEMENT, UNDER_MIN_ISR_PARTITIONS)
SECURED = Listener("SECURED", "SASL_SSL", ("SCRAM-SHA-512",))
PASSWORD = f"canary-sasl-{uuid.uuid4()}"
KEY_PASSWORD = f"canary-key-{uuid.uuid4()}"

QUICK = {
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
}
"""Settings for a few rows, on cores that brokers and other tests share."""


@pytest.fixture(scope="module")
def brokers() -> Iterator[KafkaCluster]:
    """Two brokers, with topics and groups, on one listener."""
    properties = {"offsets.topic.replication.factor": 1, "listener.name.secured.ssl.client.auth": "required"}
    with KafkaCluster(brokers=2, listeners=(SECURED,), users={"census": PASSWORD}, properties=properties) as cluster:
        workload.topics_and_groups(cluster.admin_servers, topics=4, groups=40)
        yield cluster


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A machine with dist/cluster, and with the environment unpacked for the driver."""
    folder = tmp_path_factory.mktemp("machine") / "cluster"
    dist.write(folder)
    environment = folder / "environment"
    environment.mkdir()
    subprocess.run(["tar", "-xzf", "../environment.tar.gz"], cwd=environment, check=True)
    return folder


@pytest.fixture
def settings(brokers: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, object]:
    """The section of the cluster; its files are on the driver's machine."""
    assert brokers.tls is not None
    monkeypatch.setenv("CENSUS_PASSWORD", PASSWORD)
    pem, _ = brokers.tls.client("census", KEY_PASSWORD)
    (tmp_path / "key-password").write_text(KEY_PASSWORD, encoding="utf-8")
    own = {"certfile": str(pem), "password": {"file": str(tmp_path / "key-password")}}
    sasl = {"mechanism": "SCRAM-SHA-512", "username": "census", "password": {"env": "CENSUS_PASSWORD"}}
    return {"security_protocol": "SASL_SSL", "ssl": {"cafile": str(brokers.tls.cafile), **own}, "sasl": sasl}


@pytest.mark.timeout(1500)
def test_a_census_on_a_spark_cluster_outlives_a_worker_and_is_that_of_one_machine(
    brokers: KafkaCluster,
    machine: Path,
    settings: Mapping[str, object],
    operator: Callable[..., Operator],
    tmp_path: Path,
) -> None:
    """Both workers have fetched pages, only by the archive; no secret is in a plan, a log or the lake."""
    local, census = (
        replace(operator(brokers.bootstrap("SECURED"), name, **settings), tables=TABLES) for name in ("local", "spark")
    )
    assert local.run("census").code == 0
    events = tmp_path / "events"
    events.mkdir()
    logged = {"enabled": "true", "dir": events.as_uri(), "compress": "false"}
    conf = {f"spark.eventLog.{key}": value for key, value in logged.items()} | QUICK
    environment = {"SPARK_CONF_DIR": "conf", "PYSPARK_PYTHON": "./environment/bin/python", "CENSUS_PASSWORD": PASSWORD}
    job = ("kafka-census.py", "run", "--config", str(census.config), "--cluster", "test")
    words = ("--archives", "environment.tar.gz#environment", *job)
    with SparkCluster(tmp_path / "cluster") as cluster:
        watch = Watch(census.lake, Point("write", "FindCoordinator"))
        run = cluster.submit(machine, conf, environment, words)
        await_moment(lambda: watch.reached, run)
        lost = cluster.hosts[1]
        cluster.kill(lost)
        out, err = run.communicate(timeout=600)
        assert run.returncode == 0, (out + err)[-3000:]
        logs = [
            path for path in cluster.folder.rglob("*") if path.name in ("stdout", "stderr") or path.suffix == ".log"
        ]
        said = "".join([out, err, *(path.read_text(encoding="utf-8", errors="replace") for path in logs)])
    for table in TABLES:
        assert comparable(census, table.name) == comparable(local, table.name)

    pages = census.rows(landed_table())
    by_host = {row.fetched_by: row for row in pages.groupBy("fetched_by").agg(F.max("wave").alias("wave")).collect()}
    assert set(by_host) == set(cluster.hosts)
    assert by_host[lost].wave < by_host[cluster.hosts[0]].wave
    assert {row.errors for row in pages.selectExpr("sum(int(error_code != 0)) AS errors").collect()} == {0}

    assert brokers.tls is not None
    (key, *_) = (Path(str(settings["ssl"]["certfile"]))).read_text(encoding="utf-8").splitlines()[1:]  # type: ignore[index]
    canaries = Canaries([PASSWORD, KEY_PASSWORD, key])
    assert canaries.seen_in(said) == set()
    assert canaries.files_with_one(events) == {}
    assert canaries.files_with_one(census.folder) == {}
    assert "MapInArrow" in "".join(path.read_text(encoding="utf-8") for path in events.rglob("*") if path.is_file())
