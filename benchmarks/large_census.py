"""All tables of large clusters, each by one `jobs/census.py` under spark-submit: landed, computed, judged, published.

One cluster is emulated, since brokers with a million partitions do not fit beside Spark; the other is three real
brokers, of which the Java AdminClient asks the same right after. All share the two cores with the job. Only the first
job has the settings for a large cluster: the second has fewer than two million items.

Java's time is that of the fastest of its runs, by a JVM that has asked before. So one more job surveys the real cluster
under two names: its second census does without the start of Spark, of the JVM and of Python.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import NAME, filled, table
from benchmarks.emulator import emulated
from benchmarks.rpcs import JAVA
from benchmarks.transforms import LARGE, Measured, configured, measured, world
from harness.oracle import run_java

EMULATED_GROUPS = 100_000
"""With ten times as many partitions, and fifty times as many committed offsets."""

REAL_PARTITIONS, REAL_GROUPS, REAL_OFFSETS = 20_000, 61_000, 5
NAMES = ("first", "second")


def main() -> None:
    """One row per cluster: seconds of the whole job and of its steps, CPU seconds, memory."""
    rows: list[list[object]] = []
    with emulated(world(EMULATED_GROUPS)) as (servers, _, _):
        title = f"emulated: {10 * EMULATED_GROUPS:,} partitions, {EMULATED_GROUPS:,} groups"
        rows.append([title, *_row(surveyed(servers, LARGE))])
    with filled(REAL_PARTITIONS, REAL_GROUPS, offsets=REAL_OFFSETS) as cluster:
        title = f"real: {REAL_PARTITIONS:,} partitions, {REAL_GROUPS:,} groups"
        rows.append([title, *_row(surveyed(cluster.bootstrap_servers, ()))])
        both = surveyed(cluster.bootstrap_servers, (), NAMES)
        java = java_seconds(cluster.bootstrap_servers)
    heads = ["cluster", "items", "wall s", "landing s", "judging s", "CPU s", "peak GiB"]
    table("One census of all tables under spark-submit, Spark's start included", heads, rows)
    landing = [(name, both.of(name).landing) for name in NAMES]
    table(
        "Landing the real cluster, and the Java AdminClient asking the same, the fastest of its runs of each RPC",
        ["census of the session", "landing s", "Java s", "ratio"],
        [[name, seconds, java, seconds / java] for name, seconds in landing],
    )


def java_seconds(servers: str) -> float:
    """What the Java AdminClient takes to ask each RPC once, and ListOffsets in each of its ways, as a census does."""
    return sum(int(line.split()[-1]) for line in run_java(servers, JAVA).splitlines()) / 1e9


def surveyed(servers: str, options: Sequence[str], names: Sequence[str] = (NAME,)) -> Measured:
    """One job for a census under each name, with these options of spark-submit. Raises RuntimeError where it fails."""
    with tempfile.TemporaryDirectory(prefix="kafka-census-bench.") as folder:
        return measured("census", configured(Path(folder), servers, names), options, names)


def _row(job: Measured) -> list[object]:
    return [job.items, job.wall, job.landing, job.seconds("judged", "quarantined"), job.cpu, job.peak]
