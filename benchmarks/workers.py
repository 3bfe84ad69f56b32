"""A census' landing on a standalone Spark cluster: by 1, 2 and 4 workers of one core, and what its driver needs.

The emulator, the driver and all workers share this machine's cores: with two of them more workers than one can only
gain what the others leave. What the second figure is about does not depend on that: the driver collects no keys, so
that its memory must not grow with groups.
"""

import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.common import ROOT, reported, table
from benchmarks.emulator import emulated
from benchmarks.transforms import world
from harness.spark_cluster import SparkCluster
from harness.submitted import peak_of_driver
from kafka_census.jars.delta import delta_jars
from kafka_census.jars.spark_conf import write_cluster_conf

WORKERS = (1, 2, 4)
BROKERS = 8
GROUPS = 20_000
"""With ten times as many partitions, and fifty times as many committed offsets."""

LISTED = (10_000, 100_000, 1_000_000)
"""Groups of the censuses that land them and their coordinators alone."""


def main() -> None:
    """A row per number of workers, then one per number of groups."""
    rows: list[list[object]] = []
    with emulated({**world(GROUPS), "brokers": {"count": BROKERS}}) as (servers, _, _):
        for workers in WORKERS:
            run = landed(servers, workers)
            rows.append([workers, run.items, run.wall, run.fetching, run.driver])
    title = f"Landing {10 * GROUPS:,} partitions and {GROUPS:,} groups of {BROKERS} brokers by workers of one core"
    table(title, ["workers", "items", "wall s", "landing s", "driver MB"], rows)
    rows = []
    for groups in LISTED:
        sections = {"groups": {"count": groups}, "transactions": {"count": 0}, "topics": {"partitions": 100}}
        with emulated({"brokers": {"count": BROKERS}, **sections}) as (servers, _, _):
            run = landed(servers, 2, ("group_coordinator_placement",))
            rows.append([groups, run.items, run.wall, run.fetching, run.driver])
    title = "Landing groups and their coordinators by two workers"
    table(title, ["groups", "items", "wall s", "landing s", "driver MB"], rows)


@dataclass(frozen=True)
class Run:
    """Landed items, seconds of the job and of its levels, and the most that the driver's two processes held, MB."""

    items: int
    wall: float
    fetching: float
    driver: float


def landed(servers: str, workers: int, tables: tuple[str, ...] = ()) -> Run:
    """One `ingest` into a new lake. Raises RuntimeError where it fails."""
    with tempfile.TemporaryDirectory(prefix="kafka-census-bench.") as name:
        folder = Path(name)
        write_cluster_conf(folder / "conf", delta_jars())
        config = folder / "census.yaml"
        config.write_text(yaml.safe_dump(_configured(folder, servers, tables)), encoding="utf-8")
        path = f"{ROOT / 'pipelines'}"
        conf = {"spark.executorEnv.PYTHONPATH": path, "spark.driver.memory": "1g"}
        environment = {"SPARK_CONF_DIR": str(folder / "conf"), "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": path}
        job = [str(ROOT / "jobs" / "ingest.py"), "--config", str(config), "--cluster", "bench", "--log-format", "json"]
        with SparkCluster(folder / "cluster", workers) as cluster:
            began, log = time.perf_counter(), folder / "log"
            with log.open("w", encoding="utf-8") as out:
                process = cluster.submit(folder, conf, environment, job, out)
                peak = sum(peak_of_driver(process, "ingest"))
            wall = time.perf_counter() - began
        events = [event for event in reported(process, log) if event["event"] == "landed"]
    return Run(sum(event["items"] for event in events), wall, sum(event["seconds"] for event in events), peak)


def _configured(folder: Path, servers: str, tables: tuple[str, ...]) -> Mapping[str, Any]:
    clusters = {"bench": {"bootstrap_servers": servers.split(",")}}
    collect = {"chain_deadline_ms": 3_600_000, "pages_per_wave": 10_000}
    whole = {"lake": {"root": str(folder / "lake")}, "collect": collect, "clusters": clusters}
    return {**whole, "tables": list(tables)} if tables else whole
