"""What benchmarks share: a session, jobs under spark-submit, a filled cluster, tables that print."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kafka.net.selector import NetworkSelector
from kafka.protocol.consumer import OffsetCommitRequest
from pyspark.sql import SparkSession

from harness import workload
from harness.kafka_cluster import KafkaCluster
from harness.local_spark import local_session
from kafka_census.kafka.paging.page import Chain
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.connection import Connection
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.landing.fetch.fetch import Fetcher

ROOT = Path(__file__).parents[1]
NAME = "bench"
"""The configured name of a cluster."""


def session() -> SparkSession:
    """A local session as the jobs have it, with two cores."""
    return local_session("kafka-census bench", Path(tempfile.mkdtemp(prefix="kafka-census-bench.")))


def submitted(
    job: str, config: Path, log: Path, *options: str, code: Path = ROOT, clusters: Sequence[str] = (NAME,)
) -> subprocess.Popen[bytes]:
    """A job of that code for these clusters under spark-submit, in a session of its own; it writes to `log`."""
    named = [word for cluster in clusters for word in ("--cluster", cluster)]
    submit = [str(Path(sys.executable).with_name("spark-submit")), *options, f"jobs/{job}.py"]
    with log.open("w") as out:
        return subprocess.Popen(
            [*submit, "--config", str(config), *named, "--log-format", "json"],
            cwd=code,
            env=environment(code),
            stdout=out,
            stderr=out,
            start_new_session=True,
        )


def environment(code: Path) -> dict[str, str]:
    """That of jobs of that code, as `make` has it; what Python imports is compiled once, as in an installation."""
    conf = {"SPARK_CONF_DIR": str(code / "build/spark-conf"), "PYSPARK_PYTHON": sys.executable}
    return {**os.environ, **conf, "PYTHONPATH": str(code / "pipelines"), "PYTHONDONTWRITEBYTECODE": ""}


def reported(process: subprocess.Popen[bytes], log: Path) -> list[dict[str, Any]]:
    """The events of a job that has ended. Raises RuntimeError where it failed."""
    lines = log.read_text(encoding="utf-8").splitlines()
    if process.returncode:
        raise RuntimeError("\n".join(lines[-20:]))
    return [json.loads(line) for line in lines if line.startswith("{")]


@contextmanager
def filled(
    partitions: int, groups: int, brokers: int = 3, per_topic: int = 20, offsets: int = 1
) -> Iterator[KafkaCluster]:
    """Brokers with that many partitions (RF 1) and groups with so many committed offsets each, one per topic."""
    properties = {"offsets.topic.replication.factor": 1, "num.io.threads": 4}
    with KafkaCluster(brokers=brokers, heap="512m", properties=properties) as cluster:
        client = workload.admin(cluster.admin_servers)
        from confluent_kafka.admin import NewTopic

        names = [f"topic-{number:06}" for number in range(-(-partitions // per_topic))]
        for start in range(0, len(names), 200):
            batch = [NewTopic(name, per_topic, 1) for name in names[start : start + 200]]
            for future in client.create_topics(batch, operation_timeout=120, request_timeout=120).values():
                future.result(180)
        # New logs keep brokers busy for a while; commits would time out.
        time.sleep(10 if partitions else 0)
        if groups:
            # The first commit creates __consumer_offsets; the rest go to their coordinators one by one.
            workload.commit_offsets(cluster.admin_servers, ["group-000000"], names[0])
            commit_offsets(cluster.bootstrap_servers, [f"group-{n:06}" for n in range(groups)], names[:offsets])
        yield cluster


def commit_offsets(servers: str, groups: list[str], topics: list[str]) -> None:
    """One committed offset per group and topic, thousands per second: librdkafka's admin client takes minutes."""
    settings, collect = ClusterSettings("bench", tuple(servers.split(","))), CollectSettings()
    view = bootstrap(settings, collect)
    broker = view.brokers[0]
    finder = Fetcher("FindCoordinator", "groups", settings, collect)
    windows = [Chain(broker.node_id, str(i), broker, tuple(groups[i : i + 500])) for i in range(0, len(groups), 500)]
    request = OffsetCommitRequest
    part = request.OffsetCommitRequestTopic.OffsetCommitRequestPartition(
        partition_index=0, committed_offset=0, committed_leader_epoch=-1, committed_metadata=""
    )
    where = [request.OffsetCommitRequestTopic(name=topic, partitions=[part]) for topic in topics]
    net = NetworkSelector(slow_task_threshold_secs=0)

    async def commit() -> None:
        connections: dict[int, Connection] = {}
        for page in finder.pages(iter(windows)):
            for key, code, _, node, host, port in page.rows:
                if code:
                    raise RuntimeError(f"no coordinator of {key}: {code}")
                if node not in connections:
                    connections[node] = Connection(net, Endpoint(node, host, port), settings, collect)
                asked = request(
                    version=8,
                    group_id=key,
                    generation_id_or_member_epoch=-1,
                    member_id="",
                    group_instance_id=None,
                    topics=where,
                )
                await connections[node].send(asked, 30)

    net.run(commit)
    net.close()


def best(action: Callable[[], Any], times: int = 5) -> tuple[float, Any]:
    """Seconds of the fastest of some runs, and its result."""
    fastest, result = float("inf"), None
    for _ in range(times):
        start = time.perf_counter()
        result = action()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest, result


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under heads, numbers to the right."""
    cells = [
        [
            f"{cell:,.3f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)
            for cell in row
        ]
        for row in rows
    ]
    widths = [max(len(head), *(len(row[i]) for row in cells)) for i, head in enumerate(heads)]
    print(f"\n{title}\n")
    print("  ".join(head.ljust(width) for head, width in zip(heads, widths, strict=True)))
    for row, values in zip(cells, rows, strict=True):
        print(
            "  ".join(
                cell.rjust(width) if isinstance(value, int | float) else cell.ljust(width)
                for cell, value, width in zip(row, values, widths, strict=True)
            )
        )
    sys.stdout.flush()


def folder_size(path: str) -> int:
    """Bytes below a folder."""
    return sum(file.stat().st_size for file in Path(path).rglob("*") if file.is_file())
