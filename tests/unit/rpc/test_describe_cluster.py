"""What DescribeCluster makes of an answer."""

from typing import Any

from harness.responses import described_cluster
from unit.rpc.answers import items


def _cluster(operations: Any) -> Any:
    return described_cluster("k", [(1, "h", 9)], operations=operations, controller_id=2, is_fenced=True)


def test_describe_cluster_keeps_operations_as_kafka_s_bitfield() -> None:
    """1 << AclOperation; null when the broker did not say."""
    assert items("DescribeCluster", "cluster", _cluster({8, 10}), 2)[0]["cluster_authorized_operations"] == 1280
    assert items("DescribeCluster", "cluster", _cluster({31}), 2)[0]["cluster_authorized_operations"] is None


def test_describe_cluster_knows_fenced_brokers_from_v2_on() -> None:
    """Before that, null: not false."""
    assert items("DescribeCluster", "cluster", _cluster({8}), 2)[0]["is_fenced"] is True
    assert items("DescribeCluster", "cluster", _cluster({8}), 1)[0]["is_fenced"] is None
