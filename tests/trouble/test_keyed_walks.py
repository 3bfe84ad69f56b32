"""Walks with keys on a real cluster that has every kind of group and of transaction: row by row what Java says."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import attrgetter

import pytest

from e2e.listing import KEYED, QUICK, Listing, items, listed, named, pages, said
from harness import live, workload
from harness.kafka_cluster import KafkaCluster
from harness.oracle import ask, command_line
from kafka_census.protocol.cluster import bootstrap
from kafka_census.protocol.connection import Endpoint
from kafka_census.protocol.error_codes import error_name
from kafka_census.protocol.settings import ClusterSettings
from kafka_census.source.listing import walk_named

NAME = attrgetter("name")
Said = Mapping[str, Counter[tuple[object, ...]]]


@pytest.fixture(scope="module")
def cluster() -> Iterator[KafkaCluster]:
    """Groups of all four types, with members and without; producers of all kinds; transactions, one of them hanging.

    Broker 3 has been away, so that leaders have had several epochs.
    """
    with KafkaCluster(brokers=3) as cluster:
        servers, folder = cluster.admin_servers, cluster.folder
        workload.create_topic(servers, "orders", 4, 3)
        workload.create_topic(servers, "payments", assignment=[[1], [2], [2]])
        workload.create_topic(servers, "lonely", assignment=[[3]])
        workload.commit_offsets(servers, ["left", "polygenelubricants", "é"], "orders", offset=3)
        workload.commit_offset(servers, "", "orders")
        workload.hanging_transaction(cluster, "lonely", "hung", 3)
        workload.produce(servers, "orders", 50_000, 0)
        workload.produce(servers, "orders", 30_000, 1, idempotent=True)
        workload.configure(servers, "share.auto.offset.reset=earliest", groups="share-live")
        workload.configure(servers, "streams.num.standby.replicas=1", groups="streams-live")
        workload.read_from_start(servers, "share-left", "orders")
        static = {"group.instance.id": "s"}
        new = {"group.protocol": "consumer"}
        members = (
            workload.LiveGroups(servers, "payments", ["classic-0", "classic-1"], folder / "classic"),
            workload.LiveGroups(servers, "payments", ["classic-0"], folder / "static", static),
            workload.LiveGroups(servers, "orders", ["new-0", "new-1"], folder / "new", new),
            workload.LiveGroups(servers, "^p.*", ["new-0"], folder / "regex", {**new, **static, "client.rack": "r"}),
            live.share_members(servers, "share-live", "orders", folder / "share"),
            live.streams_members(servers, "streams-live", ["orders"], folder / "streams"),
        )
        transactions = workload.transactions(servers, "orders", done="done", undone="undone", still_open="open")
        with live.together(*members), transactions:
            yield cluster


@pytest.fixture(scope="module")
def oracle(cluster: KafkaCluster) -> Said:
    """What the Java AdminClient says, by walk, when it says the same twice: groups have settled by then."""
    before, deadline = None, time.monotonic() + 90
    while (now := said(cluster.admin_servers, KEYED)) != before:
        assert time.monotonic() < deadline, "the groups do not settle"
        before = now
        # Members commit what they have read every five seconds.
        time.sleep(6)
    return now


def test_the_cluster_has_something_of_every_kind(cluster: KafkaCluster, oracle: Said) -> None:
    """Or else the comparisons below would prove less than they seem to."""
    groups = Counter((row["group_type"], row["group_state"]) for row in ask(cluster.admin_servers, "group"))
    assert groups == {
        ("Classic", "Empty"): 4,
        ("Classic", "Stable"): 2,
        ("Consumer", "Stable"): 2,
        ("Share", "Empty"): 1,
        ("Share", "Stable"): 1,
        ("Streams", "Stable"): 1,
    }
    states = Counter(row[1] for row in oracle["DescribeTransactions/transactional_ids"])
    assert states == {"CompleteCommit": 2, "CompleteAbort": 1, "Ongoing": 1}
    found = command_line(
        cluster.admin_servers,
        "org.apache.kafka.tools.TransactionsCommand",
        *("find-hanging", "--topic=lonely", "--max-transaction-timeout=0"),
    )
    assert found.splitlines()[1].split()[:2] == ["lonely", "0"]


@pytest.mark.parametrize("listing", KEYED, ids=NAME)
def test_a_keyed_walk_is_what_the_java_client_says(cluster: KafkaCluster, oracle: Said, listing: Listing) -> None:
    """Item by item, and there is something to compare."""
    assert oracle[listing.name]
    assert listed(cluster.admin_servers, listing) == oracle[listing.name]


@pytest.mark.parametrize("listing", KEYED, ids=NAME)
def test_small_windows_and_wrong_brokers_change_nothing(cluster: KafkaCluster, oracle: Said, listing: Listing) -> None:
    """Two keys a request; then all keys at the first broker, which is not where most of them are."""
    servers = cluster.admin_servers
    assert listed(servers, listing, replace(QUICK, keys_per_request=2)) == oracle[listing.name]
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
"""By walk: keys that it does not know, and how brokers say so; None where they say nothing is there."""


@pytest.mark.parametrize("name", NOT_THERE)
def test_what_is_not_there_is_a_row_that_says_so(cluster: KafkaCluster, name: str) -> None:
    """One row a key."""
    (listing,) = (listing for listing in KEYED if listing.name == name)
    got = pages(cluster.admin_servers, listing.rpc, listing.scope, tuple(NOT_THERE[name]))
    key = walk_named(listing.rpc, listing.scope).answered_by
    rows = [row for page in got for row in named(page, listing)]
    assert Counter(
        ("/".join(str(row[part]) for part in key), error_name(row["error_code"])) for row in rows
    ) == Counter(NOT_THERE[name].items())


@pytest.mark.parametrize("listing", [one for one in KEYED if one.rpc in {"ListOffsets", "DescribeProducers"}], ids=NAME)
def test_a_partition_without_a_leader_is_a_row_that_says_so(
    leaderless: KafkaCluster, oracle: Said, listing: Listing
) -> None:
    """And hides no other: their leaders answer."""
    got = pages(leaderless.admin_servers, listing.rpc, listing.scope)
    rows = [row for page in got for row in named(page, listing)]
    failed = {(row["topic"], row["partition"]): error_name(row["error_code"]) for row in rows if row["error_code"]}
    alone = [row for row in ask(leaderless.admin_servers, "partition") if row["leader"] is None]
    assert failed == {(row["topic"], row["partition"]): "NOT_LEADER_FOR_PARTITION" for row in alone}
    assert ("lonely", 0) in failed
    assert {(row["topic"], row["partition"]) for row in rows} == {row[:2] for row in oracle[listing.name]}


@pytest.mark.parametrize("name", ["OffsetFetch", "DescribeTransactions/transactional_ids"])
def test_a_coordinator_that_was_killed_is_not_waited_for(
    leaderless: KafkaCluster, third: Endpoint, oracle: Said, name: str
) -> None:
    """Keys that a plan had placed there are looked for, and come all: from who coordinates them by now."""
    (listing,) = (listing for listing in KEYED if listing.name == name)
    keys = tuple(sorted({str(row[0]) for row in oracle[name]}))
    got = pages(leaderless.admin_servers, listing.rpc, listing.scope, keys, at=third)
    assert items(listing, got) == oracle[name]
    assert {page.chain.node_id for page in got} <= {1, 2}


@pytest.fixture(scope="module")
def third(cluster: KafkaCluster) -> Endpoint:
    """Where broker 3 listens, while it is there."""
    view = bootstrap(ClusterSettings("test", tuple(cluster.admin_servers.split(","))), QUICK)
    return next(broker for broker in view.brokers if broker.node_id == 3)


@pytest.fixture(scope="module")
def leaderless(cluster: KafkaCluster, oracle: Said, third: Endpoint) -> KafkaCluster:
    """The same cluster without broker 3; for the last tests."""
    cluster.kill_broker(third.node_id)
    return cluster
