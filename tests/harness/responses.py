"""Answers of brokers in Kafka's own message schemas, for stand-ins, unit tests and benchmarks."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any
from uuid import UUID

from kafka.protocol.admin import DescribeClusterResponse, DescribeTopicPartitionsResponse

from kafka_messages.kip_1062 import DescribeConfigsResponse, ListGroupsResponse

TOPIC_ID = UUID(int=7)


def message(kind: Any, **fields: Any) -> Any:
    """A message whose structs are given as dicts; what is not given has the default of Kafka's schema."""
    return kind(**{name: _value(kind.fields[name], value) for name, value in fields.items()})


def _value(field: Any, value: Any) -> Any:
    if isinstance(value, dict):
        return message(field.data_class, **value)
    return [_value(field, one) for one in value] if field.is_struct_array() and value is not None else value


def described_cluster(
    cluster_id: str,
    brokers: Iterable[tuple[int, str, int]],
    *,
    operations: Collection[int] = frozenset({31}),
    controller_id: int = 1,
    is_fenced: bool = False,
) -> Any:
    """DescribeCluster: these brokers, by id, host and port; operation 31 alone means that rights were not reported."""
    return message(
        DescribeClusterResponse,
        cluster_id=cluster_id,
        controller_id=controller_id,
        brokers=[
            {"broker_id": node, "host": host, "port": port, "is_fenced": is_fenced} for node, host, port in brokers
        ],
        authorized_operations=set(operations),
    )


def listed_groups(*ids: str, **fields: Any) -> Any:
    """ListGroups: empty classic groups of these ids; `fields` replace fields of the response."""
    alike = {"protocol_type": "consumer", "group_state": "Empty", "group_type": "classic"}
    return message(ListGroupsResponse, **{"groups": [{"group_id": one, **alike} for one in ids], **fields})


def endless_groups(*, items: bool, every: int = 0) -> Callable[[Any, int], Any]:
    """ListGroups whose pages never end: each has a cursor that was never used before.

    A page has a group with `items`, otherwise only every nth page (`every`) has.
    """

    def answer(request: Any, _n: int) -> Any:
        number = int(request.cursor.group_id) if request.cursor else 0
        full = items or (every and number % every == every - 1)
        here = [f"{number:09d}"] if full else []
        return listed_groups(*here, next_cursor=ListGroupsResponse.Cursor(group_id=f"{number + 1:09d}"))

    return answer


def described_configs(request: Any, value: str = "1", name: str = "min.insync.replicas") -> Any:
    config = {"name": name, "value": value, "config_source": 5, "config_type": 3}
    results = [
        {
            "error_message": None,
            "resource_type": one.resource_type,
            "resource_name": one.resource_name,
            "configs": [config],
        }
        for one in request.resources
    ]
    return message(DescribeConfigsResponse, results=results)


def described_partitions(sizes: Mapping[str, int], request: Any, limit: int | None = None) -> Any:
    """DescribeTopicPartitions of a correct broker: pages by (topic, partition), inclusive, as in KIP-966.

    A requested topic without a size is UNKNOWN_TOPIC_OR_PARTITION.
    """
    start = (request.cursor.topic_name, request.cursor.partition_index) if request.cursor else ("", 0)
    names = sorted({topic.name for topic in request.topics})
    left = [(name, index) for name in names for index in range(sizes.get(name, 0)) if (name, index) >= start]
    size = min(request.response_partition_limit, limit or 2000)
    page, following = left[:size], [*left[size:], None][0]
    topics = []
    for name in names:
        indexes = [index for topic, index in page if topic == name]
        if indexes or (start[0] <= name and (following is None or name < following[0])):
            topics.append(described_topic(name, indexes, code=0 if name in sizes else 3))
    cursor = DescribeTopicPartitionsResponse.Cursor
    then = cursor(topic_name=following[0], partition_index=following[1]) if following else None
    return DescribeTopicPartitionsResponse(topics=topics, next_cursor=then)


def described_topic(name: str, indexes: Iterable[int], code: int = 0, topic_id: UUID = TOPIC_ID) -> Any:
    """A topic of that answer, its partitions on brokers 1 to 3."""
    replicas = {which: [1, 2, 3] for which in ("replica_nodes", "isr_nodes")}
    alike = {"leader_id": 1, "leader_epoch": 0, "eligible_leader_replicas": [], "last_known_elr": [], **replicas}
    return message(
        DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic,
        error_code=code,
        name=name,
        topic_id=topic_id,
        topic_authorized_operations=0,
        partitions=[{"partition_index": index, **alike} for index in indexes],
    )
