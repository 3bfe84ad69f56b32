"""A million of everything: it starts in seconds, is walked whole, and stays under 600 MB all the time."""

import time
from itertools import islice

from e2e.listing import pages
from emulator.commanding import running
from harness.processes import memory, peak_memory
from kafka_census.paging.page import Chain
from kafka_census.paging.rpc import partition_key
from kafka_census.protocol.endpoint import Endpoint
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.source.fetch import Fetcher

MOST_MB = 600
STARTED_S = 30
"""Alone it is two or three; a machine may have other things to do."""

PATIENT = CollectSettings(request_timeout_ms=60_000, chain_deadline_ms=600_000)


def test_a_million_groups_and_a_million_partitions_are_walked_whole_in_little_memory() -> None:
    began = time.monotonic()
    with running("--groups", "1000000", "--partitions", "1000000") as (process, servers):
        assert time.monotonic() - began < STARTED_S
        before = memory(process.pid, "VmRSS")
        groups = pages(",".join(servers), "ListGroups", "groups", collect=PATIENT)
        names = pages(",".join(servers), "Metadata", "names", collect=PATIENT)
        assert memory(process.pid, "VmRSS") < before + 100
        assert peak_memory(process.pid) < MOST_MB
    assert len({row[0] for page in groups for row in page.rows}) == 1_000_004
    assert sum(len(page.rows) for page in names) > 1_000_000 / 20
    assert {page.error_code for page in (*groups, *names)} == {0}


def test_five_million_producers_are_described_in_little_memory() -> None:
    """Of the scenario of that name, ten pages of one partition by each broker: those with a replica say the same."""
    began = time.monotonic()
    with running("--scenario", "hot_producers") as (process, servers):
        assert time.monotonic() - began < STARTED_S
        described: set[int] = set()
        for node, server in enumerate(servers, 1):
            host, _, port = server.rpartition(":")
            chain = Chain(node, "chain", Endpoint(node, host, int(port)), (partition_key("hot", 0),))
            settings = ClusterSettings("emulated", (server,))
            fetcher = Fetcher("DescribeProducers", "partitions", settings, PATIENT)
            rows = (row for page in islice(fetcher.pages(iter([chain])), 10) for row in page.rows)
            described |= {producer_id for _, _, _, _, producer_id, *_ in rows if producer_id is not None}
        assert len(described) == 20_000
        assert peak_memory(process.pid) < MOST_MB
