"""What DescribeCluster makes of an answer."""

from typing import Any

import pytest

from harness.responses import described_cluster
from unit.rpc.answers import items


@pytest.mark.parametrize(
    ("version", "operations", "bits", "fenced"), [(2, {8, 10}, 1280, True), (2, {31}, None, True), (1, {8}, 256, None)]
)
def test_describe_cluster_is_a_row_a_broker(version: int, operations: Any, bits: int | None, fenced: bool) -> None:
    """Operations as bits, 1 << AclOperation, null where the broker did not say; v2 tells who is fenced."""
    cluster = described_cluster("k", [(1, "h", 9)], operations=operations, controller_id=2, is_fenced=True)
    (item,) = items("DescribeCluster", "cluster", cluster, version)
    assert (item["cluster_authorized_operations"], item["is_fenced"]) == (bits, fenced)
