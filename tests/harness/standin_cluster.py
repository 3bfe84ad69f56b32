"""A calm two-broker cluster of stand-ins that answers every RPC of a census; tests break one answer at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from kafka.protocol.admin import (
    DescribeClusterRequest,
    DescribeConfigsRequest,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)
from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse, MetadataRequest, MetadataResponse

from harness.responses import described_cluster, described_configs, listed_groups, message
from harness.standin import StandIn
from kafka_messages.kip_1062 import ListGroupsRequest, OffsetFetchRequest, OffsetFetchResponse

NOT_COORDINATOR = 16
CLUSTER_ID = "standin-cluster-000000"
TOPICS = ("__consumer_offsets", "orders")


@dataclass
class StandInCluster:
    """Brokers 1 and 2.

    override     the script that replaces the calm answer, by (node, request class)
    coordinator  the node that coordinates a group, None for no coordinator; by default broker 1
    """

    brokers: dict[int, StandIn]
    override: dict[tuple[int, Any], Callable[[Any, int], Any]]
    coordinator: dict[str, int | None] = field(default_factory=dict)

    @property
    def bootstrap_servers(self) -> str:
        return self.brokers[1].address

    def described(self) -> Any:
        named = [(node, one.endpoint.host, one.endpoint.port) for node, one in self.brokers.items()]
        return described_cluster(CLUSTER_ID, named, operations={8, 10})

    def asked(self, request: Any) -> int:
        return sum(len(broker.of(request)) for broker in self.brokers.values())


@contextmanager
def standin_cluster() -> Iterator[StandInCluster]:
    """Two brokers; topic `orders` on both, groups a, b and c listed by broker 1. They offer no API 75 (as 2.8)."""
    cluster = StandInCluster({}, {})

    def scripts(node: int) -> dict[Any, Callable[[Any, int], Any]]:
        calm = {
            DescribeClusterRequest: lambda _request: cluster.described(),
            MetadataRequest: lambda request: _metadata(cluster, request),
            DescribeConfigsRequest: described_configs,
            ListPartitionReassignmentsRequest: lambda _request: ListPartitionReassignmentsResponse(),
            DescribeLogDirsRequest: lambda _request: _log_dirs(),
            ListGroupsRequest: lambda _request: listed_groups(*("abc" if node == 1 else "")),
            FindCoordinatorRequest: lambda request: _coordinators(cluster, request),
            OffsetFetchRequest: lambda request: _offsets(cluster, node, request),
        }

        def script(api: Any) -> Callable[[Any, int], Any]:
            def answer(request: Any, before: int) -> Any:
                special = cluster.override.get((node, api))
                reply = special(request, before) if special else None
                return calm[api](request) if reply is None else reply

            return answer

        return {api: script(api) for api in calm}

    for node in (1, 2):
        cluster.brokers[node] = StandIn(scripts(node), node_id=node)
    with cluster.brokers[1], cluster.brokers[2]:
        yield cluster


def _metadata(cluster: StandInCluster, request: Any) -> Any:
    alike = {"leader_id": 1, "leader_epoch": 0, "replica_nodes": [1, 2], "isr_nodes": [1, 2]}
    partitions = [{"partition_index": index, **alike} for index in range(2)]
    topic = {"authorized_operations": {31}, "partitions": partitions}
    names = TOPICS if request.topics is None else [one.name for one in request.topics]
    topics = [{"name": name, "is_internal": name.startswith("__"), **topic} for name in names]
    brokers = [asdict(one.endpoint) for one in cluster.brokers.values()]
    return message(MetadataResponse, brokers=brokers, cluster_id=CLUSTER_ID, controller_id=1, topics=topics)


def _log_dirs() -> Any:
    partitions = [{"partition_index": index, "partition_size": 100} for index in range(2)]
    topics = [{"name": name, "partitions": partitions} for name in TOPICS]
    result = {"log_dir": "/data", "topics": topics, "total_bytes": 1000, "usable_bytes": 500}
    return message(DescribeLogDirsResponse, results=[result])


def _coordinators(cluster: StandInCluster, request: Any) -> Any:
    answers = []
    for key in request.coordinator_keys:
        node = cluster.coordinator.get(key, 1)
        if node is None:
            nobody = {"node_id": -1, "host": "", "port": -1, "error_code": 15, "error_message": "no"}
            answers.append({"key": key, **nobody})
            continue
        answers.append({"key": key, **asdict(cluster.brokers[node].endpoint), "error_message": None})
    return message(FindCoordinatorResponse, coordinators=answers)


def _offsets(cluster: StandInCluster, node: int, request: Any) -> Any:
    """OffsetFetch: every group has committed 7 in `orders`, partition 0; only its coordinator answers so."""
    committed = {"partition_index": 0, "committed_offset": 7, "committed_leader_epoch": 0, "metadata": ""}
    groups = []
    for one in request.groups:
        here = cluster.coordinator.get(one.group_id, 1) == node
        topics = [{"name": "orders", "partitions": [committed]}] if here else []
        groups.append({"group_id": one.group_id, "topics": topics, "error_code": 0 if here else NOT_COORDINATOR})
    return message(OffsetFetchResponse, groups=groups)
