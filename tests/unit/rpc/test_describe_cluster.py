"""What DescribeCluster makes of an answer."""

from typing import Any

from kafka.protocol.admin import DescribeClusterResponse

from unit.rpc.answers import items


def _cluster(operations: Any) -> Any:
    broker = DescribeClusterResponse.DescribeClusterBroker
    return DescribeClusterResponse(
        throttle_time_ms=0,
        error_code=0,
        error_message=None,
        endpoint_type=1,
        cluster_id="k",
        controller_id=2,
        brokers=[broker(broker_id=1, host="h", port=9, rack=None, is_fenced=True)],
        authorized_operations=operations,
    )


def test_describe_cluster_keeps_operations_as_kafka_s_bitfield() -> None:
    """1 << AclOperation; null when the broker did not say."""
    assert items("DescribeCluster", "cluster", _cluster({8, 10}), 2)[0]["cluster_authorized_operations"] == 1280
    assert items("DescribeCluster", "cluster", _cluster({31}), 2)[0]["cluster_authorized_operations"] is None


def test_describe_cluster_knows_fenced_brokers_from_v2_on() -> None:
    """Before that, null: not false."""
    assert items("DescribeCluster", "cluster", _cluster({8}), 2)[0]["is_fenced"] is True
    assert items("DescribeCluster", "cluster", _cluster({8}), 1)[0]["is_fenced"] is None
