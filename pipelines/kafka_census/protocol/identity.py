"""Which cluster a broker belongs to: one request that needs no ACL and creates nothing.

The request is DescribeCluster (KIP-700) or, for brokers before 2.8, Metadata without a topic. Bootstrap sends it
to learn the cluster's id; each later connection sends it to prove the id.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from kafka.protocol.admin import DescribeClusterRequest

from kafka_census.error_codes import ErrorCode, error_name
from kafka_census.protocol.wire_error import WireError
from kafka_messages.kip_1062 import MetadataRequest

DESCRIBE_CLUSTER_MAX = 2
METADATA_MIN, METADATA_MAX = 4, 13

Offered = Mapping[int, tuple[int, int]]
"""The lowest and the highest version of each API, by its key, as ApiVersions reports them."""


def common_version(offered: Offered, api_key: int, lowest: int, highest: int) -> int | None:
    """The highest version of an API that both sides speak within the range; None when there is none."""
    versions = offered.get(api_key)
    if versions is None or versions[0] > highest or versions[1] < lowest:
        return None
    return int(min(highest, versions[1]))


def question(where: str, offered: Offered) -> Any:
    """The request for a broker's cluster. Raises WireError where the broker offers neither RPC."""
    version = common_version(offered, DescribeClusterRequest.API_KEY, 0, DESCRIBE_CLUSTER_MAX)
    if version is not None:
        return DescribeClusterRequest(version=version, include_cluster_authorized_operations=False)
    version = common_version(offered, MetadataRequest.API_KEY, METADATA_MIN, METADATA_MAX)
    if version is None:
        raise WireError(ErrorCode.UNSUPPORTED_VERSION, f"{where} offers neither DescribeCluster nor Metadata v4")
    return MetadataRequest(version=version, topics=[], allow_auto_topic_creation=False)


def cluster_id_of(where: str, response: Any) -> str:
    """The cluster id of an answer. Raises WireError for an error, and for an answer without an id."""
    code = response.error_code or 0
    if code:
        raise WireError(code, f"{where}: {error_name(code)}")
    if not response.cluster_id:
        raise WireError(ErrorCode.MALFORMED_RESPONSE, f"{where} names no cluster")
    return str(response.cluster_id)


def contradiction(brokers: Iterable[tuple[Any, ...]]) -> str | None:
    """Why these brokers, each with its id first, cannot belong to one cluster; None where they can.

    A broker may be named twice with the same address, but not with two addresses.
    """
    seen: dict[Any, tuple[Any, ...]] = {}
    for broker in brokers:
        if seen.setdefault(broker[0], broker) != broker:
            return f"broker {broker[0]} is named twice: {seen[broker[0]][1:]} and {broker[1:]}"
    return None


def require(where: str, response: Any, expected: str) -> None:
    """Raises WireError where the answer names another cluster than the expected one."""
    found = cluster_id_of(where, response)
    if found != expected:
        raise WireError(
            ErrorCode.WRONG_CLUSTER,
            f"{where} belongs to cluster id {found}, but {expected} is expected: nothing else was sent to it",
        )
