"""A fetching worker's peak memory from 10,000 items to 1,000,000, each walk in a process of its own.

Cursor and window walks must stay flat (within 10 %); a whole answer grows with the
cluster, and its bytes an item are stated. Frames are replayed, so that only our side is
measured.
"""

import subprocess
import sys

from benchmarks.common import peak_memory, table
from benchmarks.rates import COLLECT, walked
from benchmarks.replay import TOPIC_PARTITIONS, Replay
from kafka_census.protocol.connection import Endpoint

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
    for name, paging in FLAT:
        peaks = [peak(name, paging, size) for size in SIZES]
        rows.append([name, paging, *peaks, f"{max(peaks) / peaks[0] - 1:+.0%}"])
    table(
        "Peak memory of a fetching worker, MB, by number of items",
        ["rpc", "paging", *(f"{size:,}" for size in SIZES), "growth"],
        rows,
    )
    rows = []
    for name in WHOLE:
        small, large = (peak(name, "whole", size) for size in SIZES[:2])
        rows.append([name, small, large, int((large - small) * 1e6 / (SIZES[1] - SIZES[0]))])
    table("Of whole answers", ["rpc", f"{SIZES[0]:,}", f"{SIZES[1]:,}", "bytes an item"], rows)


def peak(name: str, paging: str, size: int) -> float:
    """What a worker of its own says that it needed."""
    with Replay(name, paging, size, COLLECT.keys_per_request) as server:
        command = [sys.executable, "-m", "benchmarks.memory", name, paging, str(server.endpoint.port), str(size)]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def worker(name: str, paging: str, port: int, size: int) -> float:
    """Walk everything; this process' peak resident memory in MB."""
    _, items = walked(name, paging, Endpoint(1, "127.0.0.1", port), size)
    if items < size:
        raise ValueError(f"{items} items of {size}")
    return peak_memory()


if __name__ == "__main__":
    print(worker(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
