"""What a census of a very large cluster comes to, by arithmetic: chains, pages and waves of every level.

No such cluster fits here. How walks are cut is that of the planner: a chain for each broker, or for each window of
`Rpc.window_size` keys, at the broker where they are answered; what is landed and committed together is a wave.
"""

import tracemalloc
from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import ceil
from typing import Any

from benchmarks.common import table
from kafka_census.declarations.levels import levels, walks_for
from kafka_census.declarations.walk import Walk
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.rpc import rpc
from kafka_census.pages.header import Header
from kafka_census.tables.all_tables import TABLES

BROKERS, PARTITIONS, PER_TOPIC, GROUPS, TRANSACTIONAL_IDS = 300, 3_000_000, 10, 300_000, 30_000
KEYS: Mapping[str, int] = {
    "Metadata": PARTITIONS // PER_TOPIC,
    "DescribeTopicPartitions": PARTITIONS,
    "ListGroups": GROUPS,
    "ListTransactions": TRANSACTIONAL_IDS,
    # Nothing is hidden, and no transaction hangs.
    "DescribeLogDirs": 0,
    "DescribeProducers": 0,
}
"""Keys by the walk that lists them."""


@dataclass(frozen=True)
class Cut:
    """A walk: its chains, all of their pages, and the most pages of one chain."""

    chains: int
    pages: int
    longest: int


def cut(walk: Walk, collect: CollectSettings) -> Cut:
    """How a walk is cut, where brokers answer keys evenly and whole answers are not too large."""
    if walk.keys is None:
        chains = BROKERS if walk.asks_all_brokers else 1
        return Cut(chains, chains, 1)
    keys = KEYS[walk.keys.rpc]
    nodes = BROKERS if walk.located else 1
    window = rpc(walk.rpc, walk.scope).window_size(collect)
    chains = nodes * ceil(keys / nodes / window)
    of_each = PER_TOPIC if walk.rpc == "DescribeTopicPartitions" else 1
    pages = ceil(window * of_each / collect.page_limit_of(walk.rpc))
    return Cut(chains, chains * pages, pages)


def main() -> None:
    """A row per level, then what the driver keeps of all pages."""
    collect, rows, total = CollectSettings(), [], 0
    for number, level in enumerate(levels(walks_for(TABLES))):
        cuts = [cut(walk, collect) for walk in level]
        pages = sum(each.pages for each in cuts)
        waves = max(ceil(each.longest / collect.pages_per_wave) for each in cuts)
        rows.append([number, len(level), sum(each.chains for each in cuts), pages, waves, ceil(pages / BROKERS)])
        total += pages
    title = f"{BROKERS:,} brokers, {PARTITIONS:,} partitions, {GROUPS:,} groups"
    table(title, ["level", "walks", "chains", "pages", "waves", "pages per broker"], rows)
    table("Headers in the driver", ["pages", "MB"], [[total, total * header_bytes() / 1e6]])


def header_bytes(count: int = 10_000) -> float:
    """What a header of a page takes in memory."""
    tracemalloc.start()
    kept = [Header(**{field.name: _value(field.name, number) for field in fields(Header)}) for number in range(count)]
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size / len(kept)


def _value(name: str, number: int) -> Any:
    return f"{name}-{number}" if name in ("chain_id", "request_cursor", "next_cursor") else number + 1_000
