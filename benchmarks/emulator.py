"""Whole walks of our own client over the emulator, of 10,000 items and of millions, on 3 and on 10 brokers.

The emulator is a process of its own, as users start it, and so is the worker that walks: its peak memory must stay
flat (within 10 %), and time per item too. What the emulator does by itself is `benchmarks.serving`'s.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import serving
from benchmarks.common import ROOT, table
from harness.processes import peak_memory
from kafka_census.kafka.paging.page import Chain
from kafka_census.kafka.paging.rpc import partition_key
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.rpc import rpc
from kafka_census.landing.fetch.arrow import PageEncoder, WaveId
from kafka_census.landing.fetch.fetch import Fetcher

BROKERS = (3, 10)
COLLECT = CollectSettings(pages_per_wave=10_000, chain_deadline_ms=600_000)
PER_TOPIC = 10
HOT = 10
"""Partitions that have all producers."""


@dataclass(frozen=True)
class EmulatedWalk:
    """An RPC, how many items of it there are, and a world that has them; `keys` are those of one broker."""

    rpc: str
    scope: str
    sizes: tuple[int, int, int]
    world: Callable[[int, int], dict[str, Any]]
    every_broker: bool = False
    keys: Callable[[int, int], tuple[str, ...]] = lambda _broker, _brokers: ()


def _groups(count: int, _brokers: int) -> dict[str, Any]:
    return {"groups": {"count": count}}


def _partitions(count: int, _brokers: int) -> dict[str, Any]:
    return {"topics": {"partitions": count, "partitions_per_topic": PER_TOPIC}}


def _topics(count: int, _brokers: int) -> dict[str, Any]:
    return _partitions(count * PER_TOPIC, _brokers)


def _producers(count: int, brokers: int) -> dict[str, Any]:
    leaders = [[1 + index % brokers] for index in range(HOT)]
    hot = {"name": "hot", "assignment": leaders, "producers": count // HOT}
    return {"topics": {"partitions": 0, "declared": [hot]}}


def _hot(broker: int, brokers: int) -> tuple[str, ...]:
    return tuple(partition_key("hot", index) for index in range(HOT) if 1 + index % brokers == broker)


EMULATED_WALKS = (
    EmulatedWalk("ListGroups", "groups", (10_000, 100_000, 1_000_000), _groups, every_broker=True),
    EmulatedWalk("Metadata", "names", (1_000, 10_000, 100_000), _topics),
    EmulatedWalk("DescribeTopicPartitions", "topics", (10_000, 100_000, 1_000_000), _partitions),
    EmulatedWalk(
        "DescribeProducers", "partitions", (50_000, 500_000, 5_000_000), _producers, every_broker=True, keys=_hot
    ),
)


def main() -> None:
    """The emulator's own rates, then walks: a row per RPC and number of brokers."""
    serving.main()
    rates: list[list[object]] = []
    peaks: list[list[object]] = []
    for brokers in BROKERS:
        for walk in EMULATED_WALKS:
            runs = [measured(walk, size, brokers) for size in walk.sizes]
            small, large = runs[1], runs[2]
            ratio = (large.seconds / large.items) / (small.seconds / small.items)
            rates.append([walk.rpc, brokers, large.items, large.seconds, int(large.items / large.seconds), ratio])
            memory = [run.worker for run in runs]
            growth = f"{max(memory) / memory[0] - 1:+.0%}"
            peaks.append([walk.rpc, brokers, *memory, growth, large.started, large.emulator])
    table(
        "Whole walks over the emulator; the ratio is time per item to that of a tenth as many",
        ["rpc", "brokers", "items", "s", "items/s", "ratio"],
        rates,
    )
    table(
        "Peak memory of the worker at a hundredth, a tenth and all items, MB; the emulator at all of them",
        ["rpc", "brokers", "1/100", "1/10", "all", "growth", "started in s", "emulator MB"],
        peaks,
    )


@dataclass(frozen=True)
class Run:
    """One walk: items, its seconds, the worker's peak MB; seconds until the emulator was ready, and its peak MB."""

    items: int
    seconds: float
    worker: float
    started: float
    emulator: float


def measured(walk: EmulatedWalk, size: int, brokers: int) -> Run:
    """Walk a cluster of that many items and brokers."""
    sections = {"groups": {"count": 0}, "transactions": {"count": 0}, **walk.world(size, brokers)}
    with emulated({"brokers": {"count": brokers}, **sections}) as (servers, pid, started):
        command = [sys.executable, "-m", "benchmarks.emulator", walk.rpc, servers]
        reported = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
        if reported["items"] != size:
            raise ValueError(f"{reported['items']} items of {size}")
        return Run(size, reported["seconds"], reported["peak"], started, peak_memory(pid))


@contextmanager
def emulated(scenario: dict[str, Any]) -> Iterator[tuple[str, int, float]]:
    """An emulator in a process of its own: where it listens, its process, and how long that took.

    Raises RuntimeError where it ends at once; it has said why.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scenario.yaml")
        path.write_text(json.dumps(scenario))
        began = time.perf_counter()
        command = [sys.executable, "-m", "kafka_emulator", "--scenario", str(path)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            line = process.stdout.readline() if process.stdout else ""
            if not line:
                raise RuntimeError("the emulator did not start")
            yield line.strip().partition("=")[2], process.pid, time.perf_counter() - began
        finally:
            process.terminate()
            process.communicate()


def worker(name: str, servers: str) -> dict[str, float]:
    """Walk everything, to Arrow: items, seconds, and this process' peak resident memory in MB."""
    walk = next(one for one in EMULATED_WALKS if one.rpc == name)
    settings = ClusterSettings("bench", tuple(servers.split(",")))
    brokers = bootstrap(settings, COLLECT).brokers
    asked = brokers if walk.every_broker else brokers[:1]
    keys = {broker.node_id: walk.keys(broker.node_id, len(brokers)) for broker in asked}
    chains = [Chain(one.node_id, str(one.node_id), one, keys[one.node_id]) for one in asked]
    fetcher = Fetcher(walk.rpc, walk.scope, settings, COLLECT)
    walked = rpc(walk.rpc, walk.scope)
    encoder, items, began = PageEncoder.of_rpc(walked, WaveId("c", "k", 0)), 0, time.perf_counter()
    for page in fetcher.pages(iter(chains)):
        if page.error_code or page.paging != "cursor":
            raise ValueError(f"{walk.rpc} by {page.paging}: {page.error_message}")
        encoder.encode(walked, page)
        items += len(page.rows)
    seconds = time.perf_counter() - began
    return {"items": items, "seconds": seconds, "peak": peak_memory()}


if __name__ == "__main__":
    print(json.dumps(worker(sys.argv[1], sys.argv[2])))
