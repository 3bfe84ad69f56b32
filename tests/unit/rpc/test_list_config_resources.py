"""What ListConfigResources makes of an answer."""

import pytest

from unit.rpc.answers import answer, items


@pytest.mark.parametrize(("version", "kind"), [(1, "group"), (0, "client_metrics")])
def test_list_config_resources_lists_client_metrics_only_below_v1(version: int, kind: str) -> None:
    """v0 has no type on the wire: it is client metrics."""
    response = answer("ListConfigResources", config_resources=[{"resource_name": "r", "resource_type": 32}])
    found = items("ListConfigResources", "config_resources", response, version)
    assert found == [{"resource_type": kind, "resource_name": "r"}]
