"""What a census of a small cluster costs, side by side with release 59084ed: alternating, three times, medians.

The older code is checked out beside this one, its jars' configuration made, and both survey the same emulated cluster
under `spark-submit`, each time into a new lake. CPU seconds are those of the job and all its processes; Spark's jobs
are counted in an event log, in a run of its own that is not timed.
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

from benchmarks.common import ROOT, environment, submitted, table, told
from benchmarks.emulator import emulated
from harness.few_tables import FEW_TABLES

BEFORE = "59084ed"
TIMES = 3
GIT = shutil.which("git") or "git"
SCENARIO = ROOT / "emulator/kafka_emulator/scenarios/calm.yaml"


@dataclass(frozen=True)
class Cost:
    """Of one census: wall and CPU seconds, commits of Delta tables."""

    wall: float
    cpu: float
    commits: int


def main() -> None:
    """Both codes in turn, then each once for its Spark jobs."""
    scenario = yaml.safe_load(SCENARIO.read_text(encoding="utf-8"))
    three = tuple(one.name for one in FEW_TABLES)
    rows: list[list[object]] = []
    with emulated(scenario) as (servers, _, _), checked_out(BEFORE) as before:
        for title, tables in (("all tables", ()), ("three tables", three)):
            costs: dict[Path, list[Cost]] = {before: [], ROOT: []}
            for _ in range(TIMES):
                for code, so_far in costs.items():
                    so_far.append(census(code, servers, tables))
            for code, so_far in costs.items():
                rows.append([f"{title}, {'now' if code == ROOT else BEFORE}", *_medians(so_far)])
                rows[-1].append(spark_jobs(code, servers, tables))
    heads = ["census", "wall s", "from", "to", "CPU s", "from", "to", "commits", "Spark jobs"]
    table(f"A census of the emulated scenario calm under spark-submit, median of {TIMES}, alternating", heads, rows)


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


def census(code: Path, servers: str, tables: Sequence[str], *options: str) -> Cost:
    """One census by that code into a new lake. Raises RuntimeError where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        config, log = Path(folder, "census.yaml"), Path(folder, "census.log")
        rules = {"unreachable_brokers": "publish_incomplete", "visibility": "accept_unknown"}
        clusters = {"bench": {"bootstrap_servers": servers.split(",")}}
        settings = {"lake": {"root": f"{folder}/lake"}, "completeness": rules, "clusters": clusters}
        config.write_text(yaml.safe_dump(settings | ({"tables": list(tables)} if tables else {})))
        used, start = _cpu(), time.perf_counter()
        process = submitted("census", config, log, *options, code=code)
        process.wait()
        wall, cpu = time.perf_counter() - start, _cpu() - used
        told(process, log)
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
