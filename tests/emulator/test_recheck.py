"""Partitions with an open transaction are asked again, each at its leader: by a walk whose keys another walk tells."""

from collections.abc import Iterator
from typing import Any

from emulator.asking import cluster, serving, settings
from kafka_census.declarations.walks import walk_named
from kafka_census.kafka.paging.page import Chain, Page
from kafka_census.kafka.paging.rpc import partition_key
from kafka_census.kafka.protocol.cluster import bootstrap
from kafka_census.kafka.protocol.settings import CollectSettings
from kafka_census.landing.fetch.fetch import Fetcher
from kafka_census.landing.fetch.listing import keyed_chains
from kafka_emulator.server import Server

KEYS = 3
SECTIONS: dict[str, Any] = {
    "seed": 7,
    "brokers": {"count": 3},
    "topics": {"partitions": 20, "declared": [{"name": "hot", "partitions": 2, "producers": 9}]},
    "transactions": {"count": 30},
}


def _windows(server: Server, scope: str) -> list[Chain]:
    collect = CollectSettings(keys_per_request=KEYS)
    view = bootstrap(settings(server), collect)

    def fetch(rpc: str, scope: str, chains: Iterator[Chain]) -> Iterator[Page]:
        return Fetcher(rpc, scope, settings(server), collect).pages(chains)

    return list(keyed_chains(walk_named("DescribeProducers", scope), view, collect, fetch))


def test_only_partitions_with_an_open_transaction_are_asked_again() -> None:
    """Each once, whatever its number of producers, in windows at its leader."""
    with serving(cluster(**SECTIONS)) as server:
        windows = _windows(server, "recheck")
        world = server.world
        pairs = [(topic, index) for topic, index in world.topics.every_partition()]
        expected = {
            partition_key(topic.name, index): world.topics.partition(topic, index).leader
            for topic, index in pairs
            if any(one.current_txn_start_offset >= 0 for one in world.producers(topic, index))
        }
        assert 0 < len(expected) < len(pairs)
        assert max(len(chain.keys) for chain in windows) == KEYS
        assert {key: chain.node_id for chain in windows for key in chain.keys} == expected
        assert sum(len(chain.keys) for chain in windows) == len(expected)
        assert server.failure is None
