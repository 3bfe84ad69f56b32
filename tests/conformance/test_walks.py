"""Every walk of a census: item by item the same from real brokers and from emulated ones, however pages are cut."""

import pytest

from conformance.both import LISTED_WALKS, WAYS, WINDOWS, Emulated, items, named, read, reported
from e2e.listing import Landed, pages
from harness.kafka_cluster import KafkaCluster
from kafka_census.declarations.walk import Walk
from kafka_census.declarations.walks import WALKS
from kafka_census.kafka.rpc import rpc as rpc_named


@pytest.fixture(scope="module")
def pages_of_both(real: KafkaCluster, emulated: Emulated) -> dict[str, Landed]:
    ways = {name: read(emulated(kip_1062=way.kip_1062), **way.collect) for name, way in WAYS.items()}
    return {"real": read(real.bootstrap_servers, **WINDOWS), **ways}


@pytest.mark.parametrize("walk", LISTED_WALKS, ids=named)
def test_the_items_of_a_walk_are_the_same(pages_of_both: dict[str, Landed], walk: Walk) -> None:
    found = {name: items(walk, landed[walk.name]) for name, landed in pages_of_both.items()}
    expected, _ = found.pop("real")
    assert expected
    assert {name: rows for name, (rows, _) in found.items()} == dict.fromkeys(WAYS, expected)
    offered = {api.paging for api in rpc_named(walk.rpc, walk.scope).apis}
    assert found["cursor"][1] == ({"cursor"} if "cursor" in offered else offered)
    assert {"cursor"} != found["window"][1] or walk.rpc == "DescribeTopicPartitions"


@pytest.mark.parametrize("walk", [walk for walk in WALKS if walk.fallback], ids=named)
def test_a_whole_answer_is_the_same_in_windows(
    real: KafkaCluster, emulated: Emulated, pages_of_both: dict[str, Landed], walk: Walk
) -> None:
    """Windows are used where a whole answer is too large."""
    keys = ("moving/2", "leaving/1", "orders/4", "nothing/1")
    expected = items(walk, pages_of_both["real"][walk.name])[0], {"window"}
    for servers in (real.bootstrap_servers, emulated()):
        assert items(walk, pages(servers, *walk.name, keys)) == expected


GROUPS = ("", "polygenelubricants", "classic-live", "consumer-live", "share-live", "streams-live", "nobody")
TOPICS = ("orders", "moving", "__consumer_offsets", "nothing", "no name!")
KEYS = {
    "groups": GROUPS,
    "transactional_ids": ("", "open", "committed", "aborted", "fresh", "é", "nobody"),
    "topics": TOPICS,
    "topics_all": TOPICS,
    "unlisted": TOPICS,
    "brokers": ("1", "2", "4", "x"),
}
PARTITIONS = ("orders/0", "orders/3", "single/1", "moving/0", "A/0", "orders/99", "nothing/0", "no name!/0")
"""Keys that are known, unknown and impossible."""


@pytest.mark.parametrize("walk", [walk for walk in WALKS if walk.keys or walk.scope == "brokers"], ids=named)
def test_each_broker_says_the_same_of_every_key(real: KafkaCluster, emulated: Emulated, walk: Walk) -> None:
    """Also for keys that are elsewhere, unknown or impossible: codes and messages are equal."""
    keys = KEYS.get(walk.scope, PARTITIONS)
    real_brokers, emulated_brokers = real.bootstrap_servers.split(","), emulated().split(",")
    expected = [reported(server, walk, keys) for server in real_brokers]
    assert [reported(server, walk, keys) for server in emulated_brokers] == expected
    codes = {dict(row).get("error_code") for rows in expected for row in rows}
    assert len(codes) > 1 or walk.rpc in {"FindCoordinator", "DescribeShareGroupOffsets"}
