"""A fetching worker's peak memory from 10,000 items to 1,000,000, each walk in a process of its own.

Cursor and window walks must stay flat (within 10 %), also where one worker walks all of them; a whole answer grows
with the cluster, and its bytes per item are stated. Frames are replayed, so that only our side is measured.
"""

import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack

from benchmarks.common import table
from benchmarks.rates import walked
from benchmarks.replay import TOPIC_PARTITIONS, Replay, window_of
from harness.processes import peak_memory
from kafka_census.kafka.protocol.endpoint import Endpoint

SIZES = (10_000, 100_000, 1_000_000)
FLAT = (
    (TOPIC_PARTITIONS, "cursor"),
    ("OffsetFetch", "cursor"),
    ("ListGroups", "cursor"),
    ("DescribeProducers", "cursor"),
    ("OffsetFetch", "window"),
    ("ListOffsets", "window"),
    ("DescribeConfigs", "window"),
)
WHOLE = ("ListGroups", "ListTransactions", "DescribeLogDirs", "DescribeAcls")


def main() -> None:
    """Peak resident memory of a worker, MB."""
    rows: list[list[object]] = []
    for title, walks in (*((" by ".join(walk), (walk,)) for walk in FLAT), ("all of these by one worker", FLAT)):
        peaks = [peak(walks, size) for size in SIZES]
        rows.append([title, *peaks, f"{max(peaks) / peaks[0] - 1:+.0%}"])
    table(
        "Peak memory of a fetching worker, MB, by number of items",
        ["walk", *(f"{size:,}" for size in SIZES), "growth"],
        rows,
    )
    rows = []
    for name in WHOLE:
        small, large = (peak([(name, "whole")], size) for size in SIZES[:2])
        rows.append([name, small, large, int((large - small) * 1e6 / (SIZES[1] - SIZES[0]))])
    table("Of whole answers", ["rpc", f"{SIZES[0]:,}", f"{SIZES[1]:,}", "bytes per item"], rows)


def peak(walks: Sequence[tuple[str, str]], size: int) -> float:
    """What a worker of its own says that it needed for these walks, one after the other."""
    with ExitStack() as servers:
        arguments = []
        for name, paging in walks:
            server = servers.enter_context(Replay(name, paging, size, window_of(name)))
            arguments += [name, paging, str(server.endpoint.port)]
        command = [sys.executable, "-m", "benchmarks.memory", str(size), *arguments]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def worker(size: int, walks: Iterable[tuple[str, ...]]) -> float:
    """Walk everything; this process' peak resident memory in MB."""
    for name, paging, port in walks:
        _, items = walked(name, paging, Endpoint(1, "127.0.0.1", int(port)), size)
        if items < size:
            raise ValueError(f"{name} by {paging}: {items} items of {size}")
    return peak_memory()


if __name__ == "__main__":
    arguments = sys.argv[2:]
    print(worker(int(sys.argv[1]), zip(*[iter(arguments)] * 3, strict=True)))
