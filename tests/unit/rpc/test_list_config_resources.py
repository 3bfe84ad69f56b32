"""What ListConfigResources makes of an answer."""

from kafka.protocol.admin import ListConfigResourcesResponse

from unit.rpc.answers import items


def test_list_config_resources_lists_client_metrics_only_below_v1() -> None:
    """v0 has no type on the wire: it is client metrics."""
    one = ListConfigResourcesResponse.ConfigResource
    response = ListConfigResourcesResponse(
        throttle_time_ms=0, error_code=0, config_resources=[one(resource_name="r", resource_type=32)]
    )
    assert items("ListConfigResources", "config_resources", response, 1) == [
        {"resource_type": "group", "resource_name": "r"}
    ]
    assert items("ListConfigResources", "config_resources", response, 0) == [
        {"resource_type": "client_metrics", "resource_name": "r"}
    ]
