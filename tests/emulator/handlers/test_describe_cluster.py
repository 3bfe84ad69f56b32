"""DescribeCluster: who is there."""

from typing import Any

import pytest
from kafka.protocol.admin import DescribeClusterRequest

from emulator.asking import ask, cluster
from kafka_emulator.server import Server

BROKERS = {"count": 4, "stopped": [2], "fenced": [3], "listeners": [{"name": "OUT"}, {"name": "IN", "brokers": [1]}]}


def listening(**sections: Any) -> Server:
    server = cluster(brokers=BROKERS, **sections)
    for broker in server.world.brokers.ids:
        server.world.brokers.listens(broker, "OUT", 9000 + broker)
    return server


def test_brokers_that_are_alive_and_fenced_ones_on_request() -> None:
    """From v2 on; a stopped broker is not registered."""
    server = listening()
    for version in (0, 1, 2):
        response = ask(server, DescribeClusterRequest(endpoint_type=1, include_fenced_brokers=True), version)
        expected = [1, 3, 4] if version == 2 else [1, 4]
        assert [one.broker_id for one in response.brokers] == expected
        assert response.cluster_id == server.world.cluster_id
        assert response.controller_id == 1
    assert [one.is_fenced for one in response.brokers] == [False, True, False]
    without = ask(server, DescribeClusterRequest(endpoint_type=1, include_fenced_brokers=False), 2)
    assert [one.broker_id for one in without.brokers] == [1, 4]


@pytest.mark.parametrize(("kind", "code"), [(2, 114), (7, 115)])
def test_a_broker_answers_for_brokers_only(kind: int, code: int) -> None:
    response = ask(listening(), DescribeClusterRequest(endpoint_type=kind), 1)
    assert (response.error_code, response.brokers) == (code, [])


def test_authorized_operations_are_reported_on_request() -> None:
    narrow = {"super_users": [], "acls": [{"resource_type": "CLUSTER", "resource_name": "kafka-cluster"}]}
    request = DescribeClusterRequest(include_cluster_authorized_operations=True)
    assert ask(listening(security=narrow), request, 0).authorized_operations == {8}
    assert ask(listening(), request, 0).authorized_operations == {5, 7, 8, 9, 10, 11, 12}
    without = ask(listening(), DescribeClusterRequest(include_cluster_authorized_operations=False), 0)
    assert without.authorized_operations is None
