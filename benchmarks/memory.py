"""A fetching worker's peak memory at 10,000 and 100,000 partitions, each walk in a process of its own.

Cursor and window walks must stay flat (within 10 %); a whole answer grows with the
cluster, and its bytes an item are stated. One stand-in broker serves all sizes, so that
only our side is measured.
"""

import resource
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from kafka.protocol.admin import DescribeConfigsRequest, DescribeTopicPartitionsRequest, ListGroupsRequest

from benchmarks.common import table
from harness.responses import described_configs, described_partitions, listed_groups
from harness.standin import StandIn
from kafka_census.paging.page import Chain
from kafka_census.protocol.connection import Endpoint
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.rpc import rpc
from kafka_census.source.arrow import PageEncoder, WaveId
from kafka_census.source.fetch import Fetcher

SIZES = (10_000, 100_000)
PER_TOPIC = 20
WALKS = (("DescribeTopicPartitions", "topics"), ("DescribeConfigs", "topics"), ("ListGroups", "groups"))


def main() -> None:
    """Peak resident memory of a worker above an idle one, MB."""
    rows: list[list[object]] = []
    for name, scope in WALKS:
        peaks = []
        for size in SIZES:
            with StandIn(
                {
                    DescribeTopicPartitionsRequest: lambda request, _n: described_partitions(Sizes(), request),
                    DescribeConfigsRequest: lambda request, _n: described_configs(request),
                    ListGroupsRequest: lambda _request, _n, size=size: listed_groups(*group_ids(size)),
                }
            ) as broker:
                command = [sys.executable, "-m", "benchmarks.memory", name, scope, str(broker.endpoint.port), str(size)]
                peaks.append(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
        growth = peaks[1] / peaks[0] - 1
        per_item = (peaks[1] - peaks[0]) * 1e6 / (SIZES[1] - SIZES[0])
        rows.append([name, *peaks, f"{growth:+.0%}", int(per_item)])
    table(
        f"Peak memory of a fetching worker, MB, at {SIZES[0]:,} and {SIZES[1]:,} items",
        ["rpc", f"{SIZES[0]:,}", f"{SIZES[1]:,}", "growth", "bytes an item"],
        rows,
    )


class Sizes(dict[str, int]):
    """Every topic there may be, with PER_TOPIC partitions."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> int:
        return PER_TOPIC


def group_ids(size: int) -> Iterator[str]:
    """As many group ids."""
    return (f"group-{number:09}" for number in range(size))


def worker(name: str, scope: str, port: int, size: int) -> float:
    """Walk everything; this process' peak resident memory in MB."""
    endpoint = Endpoint(1, "127.0.0.1", port)
    collect = CollectSettings()
    fetcher = Fetcher(name, scope, ClusterSettings("bench", ()), collect, WaveId("c", "k", 0))
    topics = size // PER_TOPIC if name == "DescribeTopicPartitions" else size
    window = collect.keys_per_request

    def chains() -> Any:
        if name == "ListGroups":
            yield Chain(1, "groups-1", endpoint)
            return
        for start in range(0, topics, window):
            names = tuple(f"topic-{number:07}" for number in range(start, min(topics, start + window)))
            yield Chain(1, f"topics-{start}", endpoint, names)

    encoder = PageEncoder(rpc(name, scope), fetcher.wave)
    items = 0
    for page in fetcher.pages(chains()):
        encoder.encode(page)
        items += len(page.rows)
    if items != size:
        raise ValueError(f"{items} items of {size}")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    print(worker(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
