"""The landed pages of a census with broker 3 killed, and walks of ours without Spark."""

import pytest

from e2e.listing import KEYED, Landed, Listing, in_columns, items, landed, pages, rows_in
from e2e.operator import Operator
from harness.kafka_cluster import KafkaCluster
from harness.trouble import LOST
from kafka_census.kafka.error_codes import error_name
from kafka_census.kafka.protocol.endpoint import Endpoint
from trouble.conftest import Surveyed
from trouble.test_partitions import key
from trouble.test_walks import NAME


@pytest.fixture(scope="module")
def found(lake: Operator, killed: Surveyed) -> Landed:
    assert killed.rows
    return landed(lake)


@pytest.mark.parametrize("listing", [one for one in KEYED if one.rpc in {"ListOffsets", "DescribeProducers"}], ids=NAME)
def test_a_partition_without_a_leader_is_a_row_that_says_so(found: Landed, killed: Surveyed, listing: Listing) -> None:
    """It hides no other partition: their leaders answer."""
    rows = rows_in(found[listing.walk], *listing.walk)
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
    assert items(listing, got) == in_columns(killed.said[listing.kind], [listing])[listing.name]
    assert {page.chain.node_id for page in got} <= cluster.alive
