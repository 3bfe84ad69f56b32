"""Walks with keys on a cluster that has every kind of group and of transaction, compared with Java row by row."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter

import pytest

from e2e.listing import KEYED, QUICK, Listing, items, listed, named, pages, said
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask, command_line
from kafka_census.error_codes import error_name
from kafka_census.tables.walks import walk_named
from trouble.conftest import settled

NAME = attrgetter("name")
Said = Mapping[str, Counter[tuple[object, ...]]]


@pytest.fixture(scope="module")
def oracle(cluster: KafkaCluster) -> Said:
    """The Java AdminClient's items, by walk, once two answers in sequence are equal."""
    return settled(lambda: said(cluster.admin_servers, KEYED))


def test_the_cluster_has_something_of_every_kind(cluster: KafkaCluster, oracle: Said) -> None:
    """Otherwise the comparisons below would prove less than they seem to."""
    groups = Counter((row["group_type"], row["group_state"]) for row in ask(cluster.admin_servers, "group"))
    assert groups == {
        ("Classic", "Empty"): 57,
        ("Classic", "Stable"): 2,
        ("Consumer", "Stable"): 1,
        ("Share", "Empty"): 1,
        ("Share", "Stable"): 1,
        ("Streams", "Stable"): 1,
    }
    states = Counter(row[1] for row in oracle["DescribeTransactions/transactional_ids"])
    assert states == {"CompleteCommit": 3, "CompleteAbort": 2, "Ongoing": 2}
    found = command_line(
        cluster.admin_servers,
        "org.apache.kafka.tools.TransactionsCommand",
        *("find-hanging", "--topic=lonely", "--max-transaction-timeout=0"),
    )
    assert found.splitlines()[1].split()[:2] == ["lonely", "0"]


@pytest.mark.parametrize("listing", KEYED, ids=NAME)
def test_a_keyed_walk_is_what_the_java_client_says(cluster: KafkaCluster, oracle: Said, listing: Listing) -> None:
    """Item by item, and items exist."""
    assert oracle[listing.name]
    assert listed(cluster.admin_servers, listing) == oracle[listing.name]


@pytest.mark.parametrize("listing", KEYED, ids=NAME)
def test_small_windows_and_wrong_brokers_change_nothing(cluster: KafkaCluster, oracle: Said, listing: Listing) -> None:
    """Two keys per request; then all keys at the first broker, which most keys do not belong to."""
    servers = cluster.admin_servers
    small = replace(QUICK, keys_per_request=2, page_limits={"ListOffsets": 2})
    assert listed(servers, listing, small) == oracle[listing.name]
    keys = tuple(key for page in pages(servers, listing.rpc, listing.scope) for key in page.chain.keys)
    assert items(listing, pages(servers, listing.rpc, listing.scope, keys)) == oracle[listing.name]


NOT_THERE = {
    "OffsetFetch": {"nobody": None, "share-left": None},
    "DescribeGroups": dict.fromkeys(("nobody", "new-0", "share-left", "streams-live"), "GROUP_ID_NOT_FOUND"),
    "ConsumerGroupDescribe": {"": "INVALID_GROUP_ID", "nobody": "GROUP_ID_NOT_FOUND", "left": "GROUP_ID_NOT_FOUND"},
    "ShareGroupDescribe": {"": "INVALID_GROUP_ID", "nobody": "GROUP_ID_NOT_FOUND", "left": "GROUP_ID_NOT_FOUND"},
    "StreamsGroupDescribe": {"": "INVALID_GROUP_ID", "nobody": "GROUP_ID_NOT_FOUND", "left": "GROUP_ID_NOT_FOUND"},
    "DescribeShareGroupOffsets": {"": None, "nobody": None, "left": None},
    "ListOffsets/latest": dict.fromkeys(("nothing/0", "orders/99"), "UNKNOWN_TOPIC_OR_PARTITION"),
    "DescribeTransactions/transactional_ids": {"": "INVALID_REQUEST", "nobody": "TRANSACTIONAL_ID_NOT_FOUND"},
    "DescribeProducers/partitions": dict.fromkeys(("nothing/0", "orders/99"), "UNKNOWN_TOPIC_OR_PARTITION"),
}
"""Unknown keys by walk, and the brokers' error; None where brokers answer without an error."""


@pytest.mark.parametrize("name", NOT_THERE)
def test_what_is_not_there_is_a_row_that_says_so(cluster: KafkaCluster, name: str) -> None:
    """One row per key."""
    (listing,) = (listing for listing in KEYED if listing.name == name)
    got = pages(cluster.admin_servers, listing.rpc, listing.scope, tuple(NOT_THERE[name]))
    key = walk_named(listing.rpc, listing.scope).answered_by
    rows = [row for page in got for row in named(page, listing)]
    assert Counter(
        ("/".join(str(row[part]) for part in key), error_name(row["error_code"])) for row in rows
    ) == Counter(NOT_THERE[name].items())
