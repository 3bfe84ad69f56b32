"""Every published table of a large census, computed, judged and published under spark-submit from landed pages.

The pages are those of an emulated cluster, landed by `jobs/ingest.py`; the emulator has ended when `jobs/transform.py`
computes the tables and `jobs/publish.py` judges and copies them. Nothing may cost more a row at ten times the size, and
memory is that of all processes of the job together.
"""

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from benchmarks.common import NAME, reported, submitted, table
from benchmarks.emulator import emulated
from kafka_emulator.declared import TopicsSection

SIZES = (10_000, 100_000)
"""Groups; there are ten times as many partitions, and fifty times as many committed offsets."""

PER_TOPIC, TOPICS_PER_GROUP = 10, 5
AIM_SECONDS, AIM_GIB, AIM_SHARE = 180, 6, 0.25
LARGE = ("--driver-memory", "3g", "--driver-java-options", "-XX:TieredStopAtLevel=4")
"""What README gives a large cluster: a heap in which sorting runs spill less often, and the JVM's second compiler."""


def main() -> None:
    """A row per table: seconds at a tenth and at all, and their ratio; then the whole job, its memory and its CPU."""
    with tempfile.TemporaryDirectory(prefix="kafka-census-bench.") as folder:
        small, large = (surveyed(Path(folder, str(groups)), groups) for groups in SIZES)
    names = sorted(large.seconds, key=large.seconds.__getitem__, reverse=True)
    pairs = [("all of them", sum(small.seconds.values()), sum(large.seconds.values()))]
    pairs += [(name, small.seconds[name], large.seconds[name]) for name in names]
    rows: list[list[object]] = [[name, before, after, after / before] for name, before, after in pairs]
    table(
        f"All tables of {10 * SIZES[1]:,} partitions, {SIZES[1]:,} groups, {50 * SIZES[1]:,} committed offsets, "
        f"and of a tenth (aim: {AIM_SECONDS} s, {AIM_GIB} GiB)",
        ["table", "a tenth, s", "all, s", "ratio"],
        rows,
    )
    table(
        "The whole jobs, Spark's start included",
        ["partitions", "landed items", "ingest s", "transform s", "CPU s", "peak GiB"],
        [[run.partitions, run.items, run.ingest, run.job.wall, run.job.cpu, run.job.peak] for run in (small, large)],
    )
    table(
        f"What the gate takes of landing, computing and publishing (aim: {AIM_SHARE:.0%})",
        ["partitions", "publish s", "gate s", "share", "peak GiB"],
        [[run.partitions, run.publish.wall, run.gate, run.share, run.publish.peak] for run in (small, large)],
    )


@dataclass(frozen=True)
class Measured:
    """A process with its children: wall and CPU seconds, peak memory in GiB, and the events that it logged."""

    wall: float
    cpu: float
    peak: float
    events: Sequence[Mapping[str, Any]]

    @property
    def items(self) -> int:
        """Items that the job landed."""
        return sum(one.get("items", 0) for one in self.events if one["event"] == "landed")

    @property
    def landing(self) -> float:
        """Seconds from the first request of a wave to the last commit of pages, planning included."""
        ends = [one for one in self.events if one["event"] in ("fetching", "landed")]
        first, *_, last = (datetime.fromisoformat(one["timestamp"]) for one in ends)
        return (last - first).total_seconds()

    def of(self, cluster: str) -> "Measured":
        """The same job, with the events of this cluster alone."""
        return replace(self, events=[one for one in self.events if one.get("cluster") == cluster])

    def seconds(self, *events: str) -> float:
        """What these events took together."""
        return sum(float(one["seconds"]) for one in self.events if one["event"] in events)


@dataclass(frozen=True)
class Run:
    """One size: what was landed and in which time, and the jobs that computed the tables and published them."""

    partitions: int
    items: int
    ingest: float
    job: Measured
    publish: Measured

    @property
    def gate(self) -> float:
        """Seconds of judging, with the look at the landed pages from which it starts, and of quarantine."""
        return self.publish.seconds("read_landed", "judged", "quarantined")

    @property
    def share(self) -> float:
        """Of the gate in all three jobs."""
        return self.gate / (self.ingest + self.job.wall + self.publish.wall)

    @property
    def seconds(self) -> dict[str, float]:
        """Of each table."""
        return {one["table"]: one["seconds"] for one in self.job.events if one["event"] == "staged"}


def surveyed(folder: Path, groups: int) -> Run:
    """Land a cluster of so many groups, then compute its tables and publish them."""
    with emulated(world(groups)) as (servers, _, _):
        folder.mkdir(parents=True)
        config = configured(folder, servers)
        landed = measured("ingest", config)
    return Run(10 * groups, landed.items, landed.wall, measured("transform", config), measured("publish", config))


def configured(folder: Path, servers: str, names: Sequence[str] = (NAME,)) -> Path:
    """The configuration of a census of a large cluster, which has these names, with its lake in that folder."""
    config = folder / "census.yaml"
    collect = {"chain_deadline_ms": 3_600_000, "pages_per_wave": 10_000}
    clusters = {name: {"bootstrap_servers": servers.split(",")} for name in names}
    lake = {"root": str(folder / "lake")}
    config.write_text(yaml.safe_dump({"lake": lake, "collect": collect, "clusters": clusters}))
    return config


def world(groups: int) -> dict[str, Any]:
    """A calm cluster of three brokers; one group in a hundred is a share group."""
    names = TopicsSection(partitions=10 * groups, partitions_per_topic=PER_TOPIC).run
    topics = [names.name(number) for number in range(TOPICS_PER_GROUP)]
    shared = [{"id": f"share-{number:06}", "type": "share", "topics": topics} for number in range(groups // 100)]
    return {
        "brokers": {"count": 3, "racks": 3},
        "topics": {
            "partitions": 10 * groups,
            "partitions_per_topic": PER_TOPIC,
            "replication_factor": 3,
            "reassigning": groups // 10,
        },
        "groups": {
            "count": groups - len(shared),
            "types": ["classic", "consumer", "streams"],
            "topics_per_group": TOPICS_PER_GROUP,
            "declared": shared,
        },
        "transactions": {"count": groups // 10},
    }


def measured(job: str, config: Path, options: Sequence[str] = LARGE, names: Sequence[str] = (NAME,)) -> Measured:
    """Run a job for these clusters to its end, with these options of spark-submit. Raises RuntimeError if it fails."""
    log = config.with_name(f"{job}.log")
    began, before = time.perf_counter(), os.times()
    process, peak = submitted(job, config, log, *options, clusters=names), 0.0
    while process.poll() is None:
        peak = max(peak, memory_of_session(process.pid))
        time.sleep(0.5)
    wall, after = time.perf_counter() - began, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Measured(wall, cpu, peak, reported(process, log))


def memory_of_session(session: int) -> float:
    """What all processes of a session have resident, GiB; what they share counts once.

    Hadoop's commands are children of the JVM that share all of its memory until they start, and count as much as the
    JVM meanwhile: only the largest process of Java counts.
    """
    kilobytes, jvm = 0, 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            stat = (process / "stat").read_text(encoding="utf-8")
            if int(stat.rpartition(")")[2].split()[3]) == session:
                is_java = (process / "exe").readlink().name == "java"
                rollup = (process / "smaps_rollup").read_text(encoding="ascii")
                own = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
                kilobytes, jvm = (kilobytes, max(jvm, own)) if is_java else (kilobytes + own, jvm)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended meanwhile
    return (kilobytes + jvm) / 2**20
