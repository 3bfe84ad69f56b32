"""Brokers that lack features: the census completes, and a missing feature is a row that says so."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from e2e.listing import (
    KEYED,
    LISTINGS,
    Landed,
    assert_as_the_java_client_says,
    await_rest,
    ingested,
    items,
    landed,
    pages,
    said,
)
from e2e.operator import PUBLISH_INCOMPLETE, Operator
from e2e.test_min_isr_of_releases import assert_rows_say_what_writes_meet
from harness import oracle, wire, workload
from harness.broker import LATEST
from harness.kafka_cluster import KafkaCluster
from kafka_census.declarations.audit import CALLS, PUBLICATIONS
from kafka_census.kafka.error_codes import error_name
from kafka_census.kafka.protocol.releases import release_at_least
from kafka_census.tables.all_tables import TABLES
from kafka_emulator.features import AsVersion, Speaks
from kafka_emulator.handlers import HANDLERS

GROUPS = ["a", "b", "polygenelubricants", "é"]


def fill(servers: str) -> None:
    workload.create_topic(servers, "orders", 3, 2, min_insync_replicas=2)
    workload.create_topic(servers, "single", assignment=[[1], [2]], min_insync_replicas=2)
    workload.create_topic(servers, "written", assignment=[[1], [2]])
    workload.commit_offsets(servers, GROUPS, "orders")
    workload.produce(servers, "written", 20_000, idempotent=True)


TRANSACTIONS = {"done": "done", "undone": "undone", "still_open": "open"}


@pytest.fixture(scope="module")
def kraft_391() -> Iterator[KafkaCluster]:
    """3.9.1 in KRaft: API 75, no fenced brokers in DescribeCluster; broker 3 is stopped before any census."""
    with KafkaCluster(brokers=3, version="3.9.1", properties={"offsets.topic.replication.factor": 3}) as cluster:
        fill(cluster.admin_servers)
        workload.create_topic(cluster.admin_servers, "lost", assignment=[[3, 1]])
        with workload.transactions(cluster.admin_servers, "written", **TRANSACTIONS):
            cluster.stop_broker(3)
            yield cluster


@pytest.fixture(scope="module")
def zookeeper_282() -> Iterator[KafkaCluster]:
    """2.8.2 with its ZooKeeper: no API 75, no batched FindCoordinator, no group types."""
    with KafkaCluster(brokers=2, version="2.8.2", properties={"offsets.topic.replication.factor": 1}) as cluster:
        fill(cluster.admin_servers)
        with workload.transactions(cluster.admin_servers, "written", **TRANSACTIONS):
            yield cluster


def test_391_a_broker_stopped_before_the_first_census_still_owes_its_pages(
    kraft_391: KafkaCluster, operator: Callable[..., Operator]
) -> None:
    """No listing names it any more; replica lists do. Refused, then published explicitly."""
    census = operator(kraft_391.bootstrap_servers, "kraft_391")
    ran = census.run("census", "--no-report")
    assert ran.code == 3
    assert "broker 3" in ran.error
    assert census.run("publish", **PUBLISH_INCOMPLETE).code == 0
    missing = {
        (one["rpc"], one["broker_id"], one["error"]) for row in census.stored(PUBLICATIONS) for one in row["missing"]
    }
    assert ("DescribeLogDirs", 3, "BROKER_NOT_ALIVE") in missing
    assert_as_the_java_client_says(census, kraft_391.admin_servers)
    assert_rows_say_what_writes_meet(census, kraft_391.admin_servers, {"single": True})
    calls = {(row.rpc, row.api, row.paging) for row in census.rows(CALLS).where("errors = 0").collect()}
    assert ("DescribeTopicPartitions", "DescribeTopicPartitions", "cursor") in calls
    [lost] = [row for row in census.read("under_min_isr_partitions") if row["topic"] == "lost"]
    assert lost["status"] in ("UNDER_REPLICATED", "AT")
    assert (lost["isr"], lost["offline_replicas"]) == ([1], [3])


def test_282_is_surveyed_whole_and_says_what_it_lacks(
    zookeeper_282: KafkaCluster, operator: Callable[..., Operator]
) -> None:
    """Metadata windows instead of API 75, one coordinator per request, ELR and group types unknown."""
    census = operator(zookeeper_282.bootstrap_servers, "zookeeper_282")
    census.done("census", "--no-report")
    assert_as_the_java_client_says(census, zookeeper_282.admin_servers)
    assert_rows_say_what_writes_meet(census, zookeeper_282.admin_servers, {"single": False})
    assert {row.is_complete for row in census.rows(PUBLICATIONS).collect()} == {True}
    calls = {row.rpc: row for row in census.rows(CALLS).collect()}
    assert (calls["DescribeTopicPartitions"].api, calls["DescribeTopicPartitions"].paging) == ("Metadata", "window")
    assert "DescribeTopicPartitions is not offered" in calls["DescribeTopicPartitions"].note
    found = census.rows(CALLS).where("rpc = 'FindCoordinator'").groupBy().sum("items", "requests").first()
    assert found is not None
    assert tuple(found) == (len(GROUPS), len(GROUPS))
    assert not any(row["elr_known"] for row in census.read("under_min_isr_partitions"))
    assert {row["group_type"] for row in census.read("group_coordinator_placement")} == {None}


Found = Callable[[KafkaCluster], Landed]


@pytest.fixture(scope="module")
def found(operator: Callable[..., Operator]) -> Found:
    """The pages of a cluster: those that a census of all tables lands, and of the walk that no table needs."""

    @cache
    def read(cluster: KafkaCluster) -> Landed:
        of_census = ingested(replace(operator(cluster.bootstrap_servers, "old"), tables=TABLES))
        return {**of_census, **{one.walk: pages(cluster.admin_servers, *one.walk) for one in LISTINGS}}

    return read


def errors(landed: Landed) -> dict[str, set[str | None]]:
    return {
        listing.name: {error_name(page.error_code) for page in landed.get(listing.walk, ())}
        for listing in (*LISTINGS, *KEYED)
    }


def assert_no_authorizer(landed: Landed) -> None:
    """The only item of DescribeAcls says SECURITY_DISABLED."""
    (row,) = [row for page in landed["DescribeAcls", "acls"] for row in page.rows]
    assert (row[:-1], row[-1]) == ((None,) * 7, 54)


NO_KEYS = {"ConsumerGroupDescribe", "ShareGroupDescribe", "StreamsGroupDescribe", "DescribeShareGroupOffsets"}
"""Walks of groups of types that these brokers do not have: no request is sent. (3.9 has KIP-848's, switched off.)"""

LACKS_282 = {"ListTransactions", "ListConfigResources", "DescribeQuorum", "ListOffsets/max_timestamp"}
UNLISTED_282 = {"FindCoordinator/transactional_ids", "DescribeTransactions/transactional_ids"}
"""Transactional ids cannot be listed, hence neither placed nor described; the newest record is known from 3.0 on."""


@pytest.mark.parametrize(
    ("name", "lacks", "unlisted"), [("zookeeper_282", LACKS_282, UNLISTED_282), ("kraft_391", set(), set())]
)
def test_an_old_broker_tells_what_it_can_and_says_what_it_lacks(
    name: str, lacks: set[str], unlisted: set[str], found: Found, request: pytest.FixtureRequest
) -> None:
    """A page with UNSUPPORTED_VERSION, not an empty answer; the rest is as Java reports it.

    Except configs of other types than client metrics, which Java then refuses to list at all.
    """
    cluster: KafkaCluster = request.getfixturevalue(name)
    servers, landed, unlisted = cluster.admin_servers, found(cluster), unlisted | NO_KEYS
    assert errors(landed) == {
        one.name: {"UNSUPPORTED_VERSION"} if one.name in lacks else set() if one.name in unlisted else {None}
        for one in (*LISTINGS, *KEYED)
    }
    assert {walk: refusal(servers, walk) for walk in NO_KEYS} == dict.fromkeys(NO_KEYS, "UNSUPPORTED_VERSION")
    assert_no_authorizer(landed)
    same_as_java(servers, landed, {"ListConfigResources", "DescribeAcls"} | lacks | unlisted)


@pytest.mark.parametrize(("cluster", "as_version"), [("kraft_391", "3.9"), ("zookeeper_282", "2.8")])
def test_the_emulator_offers_the_versions_of_old_brokers(
    cluster: str, as_version: AsVersion, request: pytest.FixtureRequest
) -> None:
    assert_emulated(request.getfixturevalue(cluster).admin_servers, as_version)


def assert_emulated(servers: str, as_version: AsVersion) -> None:
    """The highest versions are the broker's, the lowest those of our message classes: no API or version that it lacks.

    Its own prove its release.
    """
    there = wire.api_versions(servers.split(",", maxsplit=1)[0])
    assert release_at_least(there) == as_version
    speaks = Speaks(as_version, kip_1062=False, kip_637=False)
    offered = {one.api_key: versions for one in HANDLERS if (versions := one.offered(speaks)) is not None}
    assert {key: highest for key, (_, highest) in offered.items()} == {key: there[key][1] for key in offered}
    assert [key for key, (lowest, _) in offered.items() if lowest < there[key][0]] == []


def refusal(servers: str, name: str) -> str | None:
    """The error of such a walk for a group: that of its page, or else that of the group's row."""
    page = pages(servers, name, "groups", (GROUPS[0],))[-1]
    return error_name(page.error_code or page.rows[0][1])


def same_as_java(servers: str, landed: Landed, but: set[str], version: str = LATEST) -> None:
    both = [listing for listing in (*LISTINGS, *KEYED) if listing.name not in but]
    assert {listing.name: items(listing, landed.get(listing.walk, ())) for listing in both} == said(
        servers, both, version
    )


def test_391_describes_no_partition_that_a_member_has_still_to_give_up() -> None:
    """By its own class; 4.3 tells of them (test_what_releases_tell.py)."""
    said = oracle.output_of(oracle.java_program(Path(oracle.__file__).with_name("MemberOracle.java"), version="3.9.1"))
    assert "partitions=[0])" in said


NEW_TYPES = {"ShareGroupDescribe", "StreamsGroupDescribe", "DescribeShareGroupOffsets"}
LACKS: dict[str, set[str]] = {
    "4.0.2": {"ListConfigResources", *NEW_TYPES},
    "4.1.2": NEW_TYPES,
    "4.2.1": set(),
    "4.3.1": set(),
}
"""Releases of Kafka 4 before that of all other tests, and the walks that the client of that release cannot ask."""


@pytest.mark.parametrize("version", LACKS)
def test_a_census_of_all_tables_is_published_and_right(version: str, operator: Callable[..., Operator]) -> None:
    """Every walk is as the AdminClient of that release says, and so are tables; the broker proves its release."""
    internal = ("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")
    factors = {f"{topic}.replication.factor": 1 for topic in internal}
    with KafkaCluster(brokers=1, version=version, properties=factors) as cluster, ExitStack() as alive:
        servers = cluster.admin_servers
        workload.create_topic(servers, "orders", 3)
        workload.commit_offsets(servers, GROUPS, "orders")
        workload.produce(servers, "orders", 20_000, idempotent=True)
        alive.enter_context(workload.transactions(servers, "orders", **TRANSACTIONS))
        for protocol in ("classic", "consumer"):
            log, settings = cluster.folder / protocol, {"group.protocol": protocol, "enable.auto.commit": "false"}
            alive.enter_context(workload.LiveGroups(servers, "orders", [f"live-{protocol}"], log, settings))
        await_rest(servers, "live-consumer", ())
        census = replace(operator(cluster.bootstrap_servers, f"kafka-{version}"), tables=TABLES)
        census.done("census", "--no-report")
        assert {row.is_complete for row in census.rows(PUBLICATIONS).collect()} == {True}
        assert_as_the_java_client_says(census, servers, version)
        found = landed(census) | {one.walk: pages(servers, *one.walk) for one in LISTINGS}
        assert_no_authorizer(found)
        same_as_java(servers, found, LACKS[version] | {"DescribeAcls"}, version)
        assert [row["release_at_least"] for row in census.read("brokers")] == [version[:3]]
        assert {row["group_type"] for row in census.read("group_members")} == {"classic", "consumer"}
        if version.startswith("4.3"):
            assert_emulated(servers, "4.3")
