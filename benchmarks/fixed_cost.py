"""What a census of a small cluster costs, side by side with release 59084ed: alternating, three times, medians.

The older code is checked out beside this one, its jars' configuration made, and both survey the same emulated clusters
under `spark-submit`, each time into a new lake: the scenario `calm`, and one of 2,000 partitions and 5,000 groups. A
job of this code that surveys `calm` twice, under two names, says what a second cluster costs in the same Spark session.
CPU seconds are those of the job and all its processes; Spark's jobs are counted in an event log, in a run of its own
that is not timed.
"""

import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import yaml

from benchmarks.common import NAME, ROOT, environment, reported, submitted, table
from benchmarks.emulator import emulated
from harness.few_tables import FEW_TABLES

BEFORE = "59084ed"
TIMES = 3
GIT = shutil.which("git") or "git"
SCENARIO = ROOT / "emulator/kafka_emulator/scenarios/calm.yaml"
MIDDLING = {
    "brokers": {"count": 3, "racks": 3},
    "topics": {"partitions": 2_000, "partitions_per_topic": 20, "replication_factor": 3},
    "groups": {"count": 5_000},
}


@dataclass(frozen=True)
class Cost:
    """Of one census: wall and CPU seconds, commits of Delta tables."""

    wall: float
    cpu: float
    commits: int


def main() -> None:
    """Both codes in turn on each cluster, then each once for its Spark jobs; last, a second cluster in one session."""
    calm = yaml.safe_load(SCENARIO.read_text(encoding="utf-8"))
    three = tuple(one.name for one in FEW_TABLES)
    rows: list[list[object]] = []
    with checked_out(BEFORE) as before:
        for title, scenario, tables in (
            ("calm, all tables", calm, ()),
            ("calm, three tables", calm, three),
            ("2,000 partitions and 5,000 groups, three tables", MIDDLING, three),
        ):
            with emulated(scenario) as (servers, _, _):
                rows += _side_by_side(title, servers, tables, before)
    heads = ["census", "wall s", "from", "to", "CPU s", "from", "to", "commits", "Spark jobs"]
    table(f"A census of an emulated cluster under spark-submit, median of {TIMES}, alternating", heads, rows)
    with emulated(calm) as (servers, _, _), emulated(calm | {"seed": 1}) as (others, _, _):
        alone, both = [], []
        for _ in range(TIMES):
            alone.append(census(ROOT, servers, ()))
            both.append(census(ROOT, servers, (), second=others))
    rows = [["one cluster", *_medians(alone)], ["two clusters", *_medians(both)]]
    table("Two clusters in one job: what the second adds", heads[:-1], rows)


def _side_by_side(title: str, servers: str, tables: Sequence[str], before: Path) -> list[list[object]]:
    """Both codes alternating on one cluster: a row of medians each."""
    costs: dict[Path, list[Cost]] = {before: [], ROOT: []}
    for _ in range(TIMES):
        for code, so_far in costs.items():
            so_far.append(census(code, servers, tables))
    return [
        [f"{title}, {'now' if code == ROOT else BEFORE}", *_medians(so_far), spark_jobs(code, servers, tables)]
        for code, so_far in costs.items()
    ]


def _medians(costs: Sequence[Cost]) -> list[object]:
    walls, cpus = sorted(one.wall for one in costs), sorted(one.cpu for one in costs)
    return [median(walls), walls[0], walls[-1], median(cpus), cpus[0], cpus[-1], costs[0].commits]


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """That commit in a folder of its own, with its Spark configuration made, until the end of the block."""
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, "code")
        subprocess.run([GIT, "worktree", "add", "--detach", "--quiet", str(code), commit], cwd=ROOT, check=True)
        try:
            jars = [sys.executable, "-m", "kafka_census.jars", "--spark-conf", "build/spark-conf"]
            subprocess.run(jars, cwd=code, env=environment(code), check=True)
            yield code
        finally:
            subprocess.run([GIT, "worktree", "remove", "--force", str(code)], cwd=ROOT, check=True)


def census(code: Path, servers: str, tables: Sequence[str], *options: str, second: str | None = None) -> Cost:
    """One job of that code into a new lake, for a second cluster too. Raises RuntimeError where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        config, log = Path(folder, "census.yaml"), Path(folder, "census.log")
        rules = {"unreachable_brokers": "publish_incomplete", "visibility": "accept_unknown"}
        named = {NAME: servers} | ({"second": second} if second else {})
        clusters = {name: {"bootstrap_servers": each.split(",")} for name, each in named.items()}
        settings = {"lake": {"root": f"{folder}/lake"}, "completeness": rules, "clusters": clusters}
        config.write_text(yaml.safe_dump(settings | ({"tables": list(tables)} if tables else {})))
        used, start = _cpu(), time.perf_counter()
        process = submitted("census", config, log, *options, code=code, clusters=tuple(named))
        process.wait()
        wall, cpu = time.perf_counter() - start, _cpu() - used
        reported(process, log)
        return Cost(wall, cpu, sum(1 for _ in Path(folder, "lake").rglob("_delta_log/*.json")))


def spark_jobs(code: Path, servers: str, tables: Sequence[str]) -> int:
    """How many jobs Spark runs for one census."""
    with tempfile.TemporaryDirectory() as folder:
        logged = ("--conf", "spark.eventLog.enabled=true", "--conf", f"spark.eventLog.dir={folder}")
        compressed = ("--conf", "spark.eventLog.compress=false", "--conf", "spark.eventLog.rolling.enabled=false")
        census(code, servers, tables, *logged, *compressed)
        [log] = Path(folder).iterdir()
        events = (json.loads(line)["Event"] for line in log.read_text(encoding="utf-8").splitlines())
        return sum(event == "SparkListenerJobStart" for event in events)


def _cpu() -> float:
    """CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
