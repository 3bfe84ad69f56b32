"""The lowest release of Apache Kafka that a broker's ApiVersions proves.

Each release is proven by one range, read from ApiKeys and the message definitions of every release from 2.8.2 to
4.4.0. The broker offers that range whatever mode it runs in (ZooKeeper or KRaft), whatever metadata.version or
inter.broker.protocol.version the cluster has finalized, and whatever its controller is: none of these APIs is
forwarded to the controller (ApiVersionsResponse.intersectForwardableApis would lower its range), needs a message
format (filterApis would leave it out), or was advertised by an earlier release as unstable.

    2.8  DescribeCluster v0       3.5  Fetch v15          4.0  ListOffsets v10
    3.0  ListOffsets v7           3.7  Fetch v16          4.1  Fetch v18
    3.1  Fetch v13                3.8  ListGroups v5      4.2  ListOffsets v11
    3.2  DescribeLogDirs v3       3.9  ListOffsets v9     4.3  DescribeLogDirs v5
    3.3  DescribeLogDirs v4                               4.4  ApiVersions v5

3.4 and 3.6 have no such range: their brokers prove 3.3 and 3.5. Features are not looked at: a finalized one may be
years older than the broker, and none proves a release that no range above proves, but for 3.4 and 3.6 in KRaft mode.
"""

from collections.abc import Mapping

_FETCH, _LIST_OFFSETS, _LIST_GROUPS, _API_VERSIONS, _DESCRIBE_LOG_DIRS, _DESCRIBE_CLUSTER = 1, 2, 16, 18, 35, 60

PROOFS = (
    ("4.4", _API_VERSIONS, 5),
    ("4.3", _DESCRIBE_LOG_DIRS, 5),
    ("4.2", _LIST_OFFSETS, 11),
    ("4.1", _FETCH, 18),
    ("4.0", _LIST_OFFSETS, 10),
    ("3.9", _LIST_OFFSETS, 9),
    ("3.8", _LIST_GROUPS, 5),
    ("3.7", _FETCH, 16),
    ("3.5", _FETCH, 15),
    ("3.3", _DESCRIBE_LOG_DIRS, 4),
    ("3.2", _DESCRIBE_LOG_DIRS, 3),
    ("3.1", _FETCH, 13),
    ("3.0", _LIST_OFFSETS, 7),
    ("2.8", _DESCRIBE_CLUSTER, 0),
)
"""Release, API key and the version of the API that no earlier release has; the latest release first."""


def release_at_least(api_versions: Mapping[int, tuple[int, int]]) -> str | None:
    """The latest release that one of the ranges (lowest and highest version, by API key) proves; None for none."""
    offered = ((release, api_versions.get(key), version) for release, key, version in PROOFS)
    return next((release for release, has, version in offered if has is not None and has[1] >= version), None)
