"""Answers of brokers in Kafka's own message schemas, for stand-ins, unit tests and benchmarks."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any
from uuid import UUID

from kafka.protocol.admin import DescribeClusterResponse, DescribeTopicPartitionsResponse

from kafka_messages.kip_1062 import DescribeConfigsResponse, ListGroupsResponse

TOPIC_ID = UUID(int=7)


def described_cluster(
    cluster_id: str,
    brokers: Iterable[tuple[int, str, int]],
    *,
    operations: Collection[int] = frozenset({31}),
    controller_id: int = 1,
    is_fenced: bool = False,
) -> Any:
    """DescribeCluster: these brokers, by id, host and port; operation 31 alone means that rights were not reported."""
    broker = DescribeClusterResponse.DescribeClusterBroker
    return DescribeClusterResponse(
        throttle_time_ms=0,
        error_code=0,
        error_message=None,
        endpoint_type=1,
        cluster_id=cluster_id,
        controller_id=controller_id,
        brokers=[
            broker(broker_id=node, host=host, port=port, rack=None, is_fenced=is_fenced) for node, host, port in brokers
        ],
        authorized_operations=set(operations),
    )


def listed_groups(*ids: str, **fields: Any) -> Any:
    """ListGroups: empty classic groups of these ids; `fields` replace fields of the response."""
    group = ListGroupsResponse.ListedGroup
    groups = [group(group_id=one, protocol_type="consumer", group_state="Empty", group_type="classic") for one in ids]
    return ListGroupsResponse(**{"throttle_time_ms": 0, "error_code": 0, "groups": groups, **fields})


def described_configs(request: Any, value: str = "1", name: str = "min.insync.replicas") -> Any:
    """DescribeConfigs: each requested resource has this config, with the source of a default."""
    result = DescribeConfigsResponse.DescribeConfigsResult
    config = result.DescribeConfigsResourceResult(
        name=name,
        value=value,
        read_only=False,
        config_source=5,
        is_sensitive=False,
        synonyms=[],
        config_type=3,
        documentation=None,
    )
    results = [
        result(
            error_code=0,
            error_message=None,
            resource_type=one.resource_type,
            resource_name=one.resource_name,
            configs=[config],
        )
        for one in request.resources
    ]
    return DescribeConfigsResponse(throttle_time_ms=0, results=results)


def described_partitions(sizes: Mapping[str, int], request: Any, limit: int | None = None) -> Any:
    """DescribeTopicPartitions of a correct broker: pages by (topic, partition), inclusive, as in KIP-966.

    A requested topic without a size is UNKNOWN_TOPIC_OR_PARTITION.
    """
    start = (request.cursor.topic_name, request.cursor.partition_index) if request.cursor else ("", 0)
    left = min(request.response_partition_limit, limit or 2000)
    topics, following = [], None
    for name in sorted({topic.name for topic in request.topics}):
        first = start[1] if name == start[0] else 0
        if name < start[0]:
            continue
        if name not in sizes:
            topics.append(described_topic(name, [], code=3))
            continue
        if not left:
            following = DescribeTopicPartitionsResponse.Cursor(topic_name=name, partition_index=0)
            break
        indexes = list(range(first, min(sizes[name], first + left)))
        topics.append(described_topic(name, indexes))
        left -= len(indexes)
        if indexes and indexes[-1] + 1 < sizes[name]:
            following = DescribeTopicPartitionsResponse.Cursor(topic_name=name, partition_index=indexes[-1] + 1)
            break
    return DescribeTopicPartitionsResponse(throttle_time_ms=0, topics=topics, next_cursor=following)


def described_topic(name: str, indexes: Iterable[int], code: int = 0, topic_id: UUID = TOPIC_ID) -> Any:
    """A topic of that answer, its partitions on brokers 1 to 3."""
    topic = DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic
    part = topic.DescribeTopicPartitionsResponsePartition
    partitions = [
        part(
            error_code=0,
            partition_index=index,
            leader_id=1,
            leader_epoch=0,
            replica_nodes=[1, 2, 3],
            isr_nodes=[1, 2, 3],
            eligible_leader_replicas=[],
            last_known_elr=[],
            offline_replicas=[],
        )
        for index in indexes
    ]
    return topic(
        error_code=code,
        name=name,
        topic_id=topic_id,
        is_internal=False,
        topic_authorized_operations=0,
        partitions=partitions,
    )
