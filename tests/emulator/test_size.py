"""A million of everything: it starts in seconds, is walked, and stays under 600 MB all the time."""

import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

from emulator.commanding import running
from harness.processes import memory, peak_memory
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.paging.rpc import partition_key
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.protocol.endpoint import Endpoint
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.landing.fetch.fetch import Fetcher

MOST_MB = 600
STARTED_S = 30
"""Alone it is two or three; a machine may have other things to do."""

PATIENT = CollectSettings(request_timeout_ms=60_000, chain_deadline_ms=600_000)


def pages(node: int, server: str, rpc: str, scope: str, *keys: str) -> Iterator[Page]:
    host, _, port = server.rpartition(":")
    chain = Chain(node, "chain", Endpoint(node, host, int(port)), keys)
    return Fetcher(rpc, scope, ClusterSettings("emulated", (server,)), PATIENT).pages(iter([chain]))


def rows(some: Iterator[Page]) -> Iterator[tuple[Any, ...]]:
    for page in some:
        assert page.error_code == 0
        yield from page.rows


def test_a_million_of_everything_is_walked_in_little_memory() -> None:
    """The groups of one of three brokers, all topics, and ten pages of five million producers of a partition."""
    began = time.monotonic()
    world = ("--scenario", "hot_producers", "--groups", "1000000", "--partitions", "1000000")
    with running(*world) as (process, servers):
        assert time.monotonic() - began < STARTED_S
        before = memory(process.pid, "VmRSS")
        groups = [row[0] for row in rows(pages(1, servers[0], "ListGroups", "groups"))]
        names = list(rows(pages(1, servers[0], "Metadata", "names")))
        assert memory(process.pid, "VmRSS") < before + 100
        described: set[int] = set()
        for node, server in enumerate(servers, 1):
            some = islice(pages(node, server, "DescribeProducers", "partitions", partition_key("hot", 0)), 10)
            described |= {producer_id for _, _, _, _, producer_id, *_ in rows(some) if producer_id is not None}
        assert peak_memory(process.pid) < MOST_MB
    assert 300_000 < len(set(groups)) == len(groups) < 400_000
    assert len(names) > 1_000_000 / 20
    # Those of the brokers that have a replica, which say the same.
    assert len(described) == 20_000
