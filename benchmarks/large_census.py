"""All tables of large clusters, each by one `jobs/census.py` under spark-submit: landed, computed, judged, published.

One cluster is emulated, since brokers with a million partitions do not fit beside Spark; the other is three real
brokers, of which the Java AdminClient asks the same right after. All share the two cores with the job. Only the first
job has the settings for a large cluster: the second has fewer than two million items.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import filled, table
from benchmarks.emulator import emulated
from benchmarks.rpcs import JAVA
from benchmarks.transforms import LARGE, Measured, configured, measured, world
from harness.oracle import run_java

EMULATED_GROUPS = 100_000
"""With ten times as many partitions, and fifty times as many committed offsets."""

REAL_PARTITIONS, REAL_GROUPS, REAL_OFFSETS = 20_000, 61_000, 5


def main() -> None:
    """One row per cluster: seconds of the whole job and of its steps, CPU seconds, memory."""
    rows: list[list[object]] = []
    with emulated(world(EMULATED_GROUPS)) as (servers, _, _):
        title = f"emulated: {10 * EMULATED_GROUPS:,} partitions, {EMULATED_GROUPS:,} groups"
        rows.append([title, *_row(surveyed(servers, LARGE))])
    with filled(REAL_PARTITIONS, REAL_GROUPS, offsets=REAL_OFFSETS) as cluster:
        title = f"real: {REAL_PARTITIONS:,} partitions, {REAL_GROUPS:,} groups"
        census = surveyed(cluster.bootstrap_servers, ())
        rows.append([title, *_row(census)])
        java = java_seconds(cluster.bootstrap_servers)
    heads = ["cluster", "items", "wall s", "landing s", "judging s", "CPU s", "peak GiB"]
    table("One census of all tables under spark-submit, Spark's start included", heads, rows)
    landing = census.landing
    table(
        "Landing the real cluster, and the Java AdminClient asking the same, the fastest of its runs of each RPC",
        ["landing s", "Java s", "ratio"],
        [[landing, java, landing / java]],
    )


def java_seconds(servers: str) -> float:
    """What the Java AdminClient takes to ask each RPC once, and ListOffsets in three ways, as a census does."""
    lines = map(str.split, run_java(servers, JAVA).splitlines())
    times = {name: int(nanoseconds) / 1e9 for name, _, nanoseconds in lines}
    return sum(times.values()) + 2 * times["ListOffsets"]


def surveyed(servers: str, options: Sequence[str]) -> Measured:
    """One census into a new lake, with these options of spark-submit. Raises RuntimeError where it fails."""
    with tempfile.TemporaryDirectory(prefix="kafka-census-bench.") as folder:
        return measured("census", configured(Path(folder), servers), options)


def _row(job: Measured) -> list[object]:
    return [job.items, job.wall, job.landing, job.seconds("judged", "quarantined"), job.cpu, job.peak]
