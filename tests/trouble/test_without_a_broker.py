"""Broker 3 is killed and no earlier census knows it: a first census, and walks of ours without Spark.

Such a broker disappears from Metadata. Only replica lists name it, and its pages are still due.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from e2e.listing import KEYED, Listing, items, landed, named, pages, said
from e2e.operator import PUBLISH_INCOMPLETE, Operator, Ran
from harness.kafka_cluster import KafkaCluster
from harness.trouble import LOST
from kafka_census.error_codes import error_name
from kafka_census.protocol.endpoint import Endpoint
from kafka_census.tables.audit import PUBLICATIONS
from kafka_census.tables.reassignment_backlog import REASSIGNMENT_BACKLOG
from kafka_census.tables.under_min_isr_partitions import UNDER_MIN_ISR_PARTITIONS
from trouble.conftest import Surveyed
from trouble.test_partitions import differences, key, partitions_of, wanted_partitions
from trouble.test_walks import NAME

TABLES = (UNDER_MIN_ISR_PARTITIONS, REASSIGNMENT_BACKLOG)
"""A table that needs no answer of broker 3, and one that does."""

Refused = tuple[Operator, Ran]


@pytest.fixture(scope="module")
def refused(cluster: KafkaCluster, killed: Surveyed, operator: Callable[..., Operator]) -> Refused:
    """A first census, in its own lake, and how it ended."""
    assert killed.servers == cluster.admin_servers
    census = replace(operator(cluster.bootstrap_servers, "first"), tables=TABLES)
    return census, census.run("census")


def test_a_first_census_without_a_broker_is_refused(refused: Refused) -> None:
    """Its pages are landed, the gate names it and an RPC, exit 3, and nothing is published."""
    census, ran = refused
    assert ran.code == 3
    assert f"broker {LOST}" in ran.out + ran.err
    assert re.search(r"DescribeLogDirs|ListGroups", ran.error)
    landed = (
        census.spark.table(f"delta.`{census.lake}/landing/pages`")
        .where(f"rpc = 'ListGroups' AND node_id = {LOST}")
        .collect()
    )
    assert [(page.error, page.item_count) for page in landed] == [("BROKER_NOT_ALIVE", 0)]
    assert not Path(census.lake, "audit", "publications").exists()


def test_the_same_census_can_be_published_knowingly_as_incomplete(refused: Refused, killed: Surveyed) -> None:
    """is_complete is false with the missing pairs named; a table that needs none of these stays complete."""
    census, _ = refused
    ran = census.run("publish", **PUBLISH_INCOMPLETE)
    assert (ran.code, ran.error) == (0, "")
    rows = {row.table_name: row for row in census.rows(PUBLICATIONS).collect()}
    assert {name: row.is_complete for name, row in rows.items()} == {
        "under_min_isr_partitions": True,
        "reassignment_backlog": False,
    }
    missing = {(one.rpc, one.broker_id, one.error) for one in rows["reassignment_backlog"].missing}
    assert missing == {("DescribeLogDirs", LOST, "BROKER_NOT_ALIVE")}
    partitions = [row.asDict(recursive=True) for row in census.current("under_min_isr_partitions").collect()]
    published = replace(killed, rows={"under_min_isr_partitions": partitions})
    assert differences(partitions_of(published), wanted_partitions(killed.said)) == []


@pytest.mark.parametrize("listing", [one for one in KEYED if one.rpc in {"ListOffsets", "DescribeProducers"}], ids=NAME)
def test_a_partition_without_a_leader_is_a_row_that_says_so(lake: Operator, killed: Surveyed, listing: Listing) -> None:
    """It hides no other partition: their leaders answer."""
    rows = [row for page in landed(lake)[listing.walk] for row in named(page, listing)]
    failed = {(row["topic"], row["partition"]): error_name(row["error_code"]) for row in rows if row["error_code"]}
    leaders = {key(row): row["leader"] for row in killed.said["partition"]}
    alone = [partition for partition, leader in leaders.items() if leader is None]
    assert failed == dict.fromkeys(alone, "NOT_LEADER_OR_FOLLOWER")
    assert ("lonely", 0) in failed
    assert {(row["topic"], row["partition"]) for row in rows} == leaders.keys()


@pytest.mark.parametrize("rpc", ["OffsetFetch", "DescribeTransactions"])
def test_a_coordinator_that_was_killed_is_not_waited_for(cluster: KafkaCluster, killed: Surveyed, rpc: str) -> None:
    """Keys that a plan had placed there are located again, and all are answered by their current coordinators."""
    (listing,) = (one for one in KEYED if one.rpc == rpc)
    servers = cluster.admin_servers
    keys = tuple(sorted({row[listing.columns[0]] for row in killed.said[listing.kind]}))
    host, port = servers.split(",")[LOST - 1].rsplit(":", 1)
    got = pages(servers, *listing.walk, keys, at=Endpoint(LOST, host, int(port)))
    assert items(listing, got) == said(servers, [listing])[listing.name]
    assert {page.chain.node_id for page in got} <= cluster.alive
