"""Each RPC's fetch rate (wire to Arrow, one process) against the Java AdminClient, same brokers, same run."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.common import best, filled, table
from harness.oracle import run_java
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.protocol.cluster import ClusterView, bootstrap
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.rpc import RPCS, rpc
from kafka_census.landing.fetch.arrow import PageEncoder, WaveId
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_census.landing.fetch.listing import keyed_chains, node_chains

PARTITIONS, GROUPS = 10_000, 5_000
JAVA = Path(__file__).with_name("AdminBench.java")
COLLECT = CollectSettings()


def main() -> None:
    """Items a second of ours, of Java's, and the ratio."""
    with filled(PARTITIONS, GROUPS) as cluster:
        settings = ClusterSettings("bench", tuple(cluster.bootstrap_servers.split(",")))
        java = {}
        for line in run_java(cluster.bootstrap_servers, JAVA).splitlines():
            name, scope, _, nanoseconds = line.split()
            java[name, scope] = int(nanoseconds) / 1e9
        rows: list[list[object]] = []
        view = bootstrap(settings, COLLECT)
        for one in RPCS:
            seconds, (pages, items) = best(lambda one=one: fetch(one.name, one.scope, settings, view))
            theirs = java.get((one.name, one.scope))
            ratio = theirs / seconds if theirs else "-"
            rows.append([one.name, one.scope, pages, items, seconds, int(items / seconds), theirs or "-", ratio])
    table(
        f"RPCs at {PARTITIONS:,} partitions and {GROUPS:,} groups: fastest of 5, three brokers",
        ["rpc", "scope", "pages", "items", "ours s", "items/s", "Java s", "Java/ours"],
        rows,
    )


def fetch(name: str, scope: str, settings: ClusterSettings, view: ClusterView) -> tuple[int, int]:
    """One whole walk, encoded to Arrow; its keys are listed beforehand and not timed for the first run only."""

    def pages_of(rpc_name: str, rpc_scope: str, chains: Iterator[Chain]) -> Iterator[Page]:
        return Fetcher(rpc_name, rpc_scope, settings, COLLECT).pages(chains)

    walk = walk_named(name, scope)
    key = (name, scope, view.cluster_id)
    if walk.keys is None:
        chains = node_chains(walk, view)
    else:
        chains = _WINDOWS.setdefault(key, list(keyed_chains(walk, view, COLLECT, pages_of)))
    walked = rpc(name, scope)
    encoder = PageEncoder.of_rpc(walked, WaveId("bench", view.cluster_id, 0))
    pages = items = 0
    for page in pages_of(name, scope, iter(chains)):
        encoder.encode(walked, page)
        pages, items = pages + 1, items + len(page.rows)
    return pages, items


_WINDOWS: dict[tuple[str, str, str], list[Chain]] = {}
