"""An address that leads to another cluster in the middle of a census: nothing of that cluster is published."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from kafka.protocol.admin import DescribeClusterRequest

from e2e.operator import PUBLISH_INCOMPLETE, Operator
from emulator.asking import cluster, serving
from harness.failover import Failover
from harness.standin import StandIn
from harness.standin_cluster import CLUSTER_ID, StandInCluster, standin_cluster
from kafka_census.declarations.audit import PUBLICATIONS
from kafka_census.reading.html.read import read_page
from kafka_census.tables.quotas.columns import QUOTAS
from kafka_census.tables.reassignment_backlog.columns import REASSIGNMENT_BACKLOG

BEFORE_INGEST, BEFORE_FIRST_WAVE = 2, 3
"""The number of connections of a census: one before Spark starts, one for its id, one for its brokers."""

OTHER_ID = "standin-cluster-999999"


@contextmanager
def broker_2_fails_over() -> Iterator[tuple[StandInCluster, StandIn]]:
    """Two brokers; after broker 1 has listed both, broker 2's address leads to a broker of another cluster."""
    with standin_cluster() as cluster, standin_cluster() as another:
        theirs = another.brokers[2]
        described = another.brokers[1].scripts[DescribeClusterRequest]

        def other_id(request: Any, n: int) -> Any:
            answer = described(request, n)
            answer.cluster_id = OTHER_ID
            return answer

        theirs.scripts[DescribeClusterRequest] = other_id
        addresses = [f"127.0.0.1:{one.endpoint.port}" for one in (cluster.brokers[2], theirs)]
        calm = cluster.brokers[1].scripts[DescribeClusterRequest]
        with Failover(*addresses, after=0, node_id=2) as front:

            def named(request: Any, n: int) -> Any:
                answer = calm(request, n)
                answer.brokers[1].port = front.endpoint.port
                return answer

            for broker in cluster.brokers.values():
                broker.scripts[DescribeClusterRequest] = named
            yield cluster, theirs


def test_a_cluster_that_changes_in_the_middle_of_a_census_refuses_it(operator: Callable[..., Operator]) -> None:
    """Exit code 3, and the line names both ids; the other cluster was only asked for its id.

    With publish_incomplete it counts as an unreachable broker: the table names the missing broker and the reason.
    """
    with broker_2_fails_over() as (cluster, theirs):
        census = replace(operator(cluster.bootstrap_servers, "changes"), tables=(REASSIGNMENT_BACKLOG,))
        ran = census.run("census", "--no-report")
    assert ran.code == 3, ran.err
    assert f"belongs to cluster id {OTHER_ID}, but {CLUSTER_ID} is expected" in ran.error
    assert ran.error.endswith("correct what its address leads to (DNS, VIP, bootstrap_servers) and start a new census")
    assert {type(one).__name__ for one in theirs.asked} == {"DescribeClusterRequest"}

    # Readers without Spark show what was refused, and why.
    refused = read_page(census.lake).head
    assert refused.refused is not None
    assert f"belongs to cluster id {OTHER_ID}" in refused.refused
    assert (refused.tables, refused.still) == (
        {REASSIGNMENT_BACKLOG.name: False},
        "This cluster has no published census yet.",
    )

    assert census.run("publish", **PUBLISH_INCOMPLETE).code == 0
    assert read_page(census.lake).head.refused is None
    (row,) = census.rows(PUBLICATIONS).collect()
    assert not row.is_complete
    (missing,) = [one for one in row.missing if one.broker_id == 2]
    assert (missing.rpc, missing.error) == ("DescribeLogDirs", "WRONG_CLUSTER")
    assert OTHER_ID in missing.reason
    assert CLUSTER_ID in missing.reason


@pytest.mark.parametrize("after", [BEFORE_INGEST, BEFORE_FIRST_WAVE], ids=["before bootstrap", "before the first wave"])
def test_a_cluster_that_changes_before_the_first_wave_is_told_in_one_line(
    operator: Callable[..., Operator], after: int
) -> None:
    """Both ids, no bug, nothing asked of the other cluster; conf names no id, and is not said to."""
    with (
        serving(cluster(kip_1062=False, brokers={"count": 1}, groups={"count": 4})) as ours,
        serving(cluster(kip_1062=False, brokers={"count": 1}, groups={"count": 4}, seed=8)) as theirs,
        Failover(ours.bootstrap_servers, theirs.bootstrap_servers, after=after) as front,
    ):
        for server in (ours, theirs):
            server.world.brokers.listens(1, server.world.brokers.listeners[0], front.endpoint.port)
        census = replace(operator(front.address, "taken-over"), tables=(QUOTAS,))
        ran = census.run("census", "--no-report")
        ids = ours.world.cluster_id, theirs.world.cluster_id
    assert ran.code == (1 if after == BEFORE_INGEST else 3), ran.err
    assert "this is a bug" not in ran.err
    assert "conf expects" not in ran.err
    assert all(one in ran.error for one in ids)
    assert {name for _, name in theirs.asked} <= {"ApiVersions", "DescribeCluster"}
