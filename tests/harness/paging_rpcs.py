"""The 13 RPCs of KIP-1062 for `harness.paging_broker`: the order of their items, and how those become an answer.

What an answer says beside its names is a number made from the place, so that an item that came with another's
numbers is seen. The RPCs of groups and transactions are in `harness.paging_groups`.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any
from uuid import UUID
from zlib import crc32

from harness.paging_broker import Item, Paged, Place, utf16
from kafka_messages.kip_1062 import (
    DescribeAclsRequest,
    DescribeAclsResponse,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeProducersRequest,
    DescribeProducersResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    MetadataRequest,
    MetadataResponse,
)

BEGINNING = 2**63 - 1
"""The producer id with which a partition begins: no producer is above it."""


def number(place: Place) -> int:
    """A number that hardly any other place has."""
    return crc32(repr(place).encode()) % 1_000_000


def by(items: Iterable[Item], *fields: int) -> Iterator[tuple[Any, list[Item]]]:
    """Neighbours that agree in these fields of their places, together."""

    def key(item: Item) -> Any:
        return tuple(item.place[one] for one in fields)

    for same, those in groupby(items, key):
        yield (same[0] if len(same) == 1 else same), list(those)


def partition(place: Place) -> Place:
    """The topic and the partition of a place."""
    return place[:2]


def _log_dirs(items: Sequence[Item]) -> Any:
    result = DescribeLogDirsResponse.DescribeLogDirsResult
    topic = result.DescribeLogDirsTopic

    def replica(item: Item) -> Any:
        size = number(item.place)
        part = topic.DescribeLogDirsPartition
        return part(partition_index=item.place[1], partition_size=size, offset_lag=0, is_future_key=False)

    def held(those: list[Item]) -> list[Any]:
        full = [item for item in those if not (item.bare or item.code)]
        return [topic(name=name, partitions=[replica(one) for one in those]) for name, those in by(full, 0)]

    results = [
        result(error_code=those[0].code, log_dir=path, total_bytes=100, usable_bytes=50, topics=held(those))
        for path, those in by(sorted(items, key=lambda item: item.place[2]), 2)
    ]
    return DescribeLogDirsResponse(throttle_time_ms=0, error_code=0, results=results)


def _reassignments(items: Sequence[Item]) -> Any:
    topic = ListPartitionReassignmentsResponse.OngoingTopicReassignment
    part = topic.OngoingPartitionReassignment

    def moving(item: Item) -> Any:
        replicas = [number(item.place), 1]
        return part(
            partition_index=item.place[1], replicas=replicas, adding_replicas=replicas[:1], removing_replicas=[]
        )

    topics = [topic(name=name, partitions=[moving(one) for one in those]) for name, those in by(items, 0)]
    return ListPartitionReassignmentsResponse(throttle_time_ms=0, error_code=0, error_message=None, topics=topics)


def _offsets(items: Sequence[Item]) -> Any:
    topic = ListOffsetsResponse.ListOffsetsTopicResponse
    part = topic.ListOffsetsPartitionResponse

    def offset(item: Item) -> Any:
        at = -1 if item.code else number(item.place)
        return part(
            partition_index=item.place[1], error_code=item.code, offset=at, timestamp=-1, leader_epoch=min(at, 3)
        )

    topics = [topic(name=name, partitions=[offset(one) for one in those]) for name, those in by(items, 0)]
    return ListOffsetsResponse(throttle_time_ms=0, topics=topics)


def _metadata(items: Sequence[Item]) -> Any:
    topic, broker = MetadataResponse.MetadataResponseTopic, MetadataResponse.MetadataResponseBroker
    part = topic.MetadataResponsePartition

    def described(item: Item) -> Any:
        held = {"replica_nodes": [1], "isr_nodes": [1], "offline_replicas": []}
        return part(error_code=0, partition_index=item.place[1], leader_id=1, leader_epoch=0, **held)

    topics = [
        topic(
            error_code=those[0].code,
            name=name,
            topic_id=UUID(int=number((name,))),
            is_internal=False,
            partitions=[described(one) for one in those if not one.code],
        )
        for name, those in by(items, 0)
    ]
    brokers = [broker(node_id=1, host="127.0.0.1", port=1, rack=None)]
    return MetadataResponse(throttle_time_ms=0, brokers=brokers, cluster_id="k", controller_id=1, topics=topics)


def _producers(items: Sequence[Item]) -> Any:
    topic = DescribeProducersResponse.TopicResponse
    part = topic.PartitionResponse

    def producer(item: Item) -> Any:
        seen = number(item.place)
        return part.ProducerState(
            producer_id=item.place[2],
            producer_epoch=1,
            last_sequence=seen,
            last_timestamp=seen,
            coordinator_epoch=0,
            current_txn_start_offset=-1,
        )

    def described(index: int, those: list[Item]) -> Any:
        producers = [producer(one) for one in those if not (one.bare or one.code)]
        code = those[0].code
        return part(partition_index=index, error_code=code, error_message=None, active_producers=producers)

    topics = [
        topic(name=name, partitions=[described(index, held) for index, held in by(those, 1)])
        for name, those in by(items, 0)
    ]
    return DescribeProducersResponse(throttle_time_ms=0, topics=topics)


def _acls(items: Sequence[Item]) -> Any:
    resource = DescribeAclsResponse.DescribeAclsResource
    entry = resource.AclDescription

    def resources() -> Iterator[Any]:
        for item in items:
            name, kind, pattern = item.place
            acls = [entry(principal=who, host="*", operation=3, permission_type=3) for who in item.of]
            yield resource(resource_type=kind, resource_name=name, pattern_type=pattern, acls=acls)

    return DescribeAclsResponse(throttle_time_ms=0, error_code=0, error_message=None, resources=list(resources()))


def _configs(items: Sequence[Item]) -> Any:
    result = DescribeConfigsResponse.DescribeConfigsResult
    told = {"read_only": False, "is_sensitive": False, "synonyms": [], "config_type": 3, "documentation": None}

    def results() -> Iterator[Any]:
        for item in items:
            name, kind = item.place
            configs = [
                result.DescribeConfigsResourceResult(name=key, value=value, config_source=5, **told)
                for key, value in item.of
            ]
            yield result(
                error_code=item.code, error_message=None, resource_type=kind, resource_name=name, configs=configs
            )

    return DescribeConfigsResponse(throttle_time_ms=0, results=list(results()))


def _indexes(topics: Any) -> list[Place] | None:
    """The partitions that topics of a request name; null asks for all."""
    return None if topics is None else [(topic.name, index) for topic in topics for index in topic.partition_indexes]


def _listed_offsets(request: Any) -> list[Place]:
    return [(topic.name, one.partition_index) for topic in request.topics for one in topic.partitions]


def _named_topics(request: Any) -> list[str] | None:
    return None if request.topics is None else [topic.name for topic in request.topics]


DESCRIBE_LOG_DIRS = Paged(
    DescribeLogDirsRequest,
    6,
    _log_dirs,
    # Dirs without replicas, which have no place of their own, come with the last page.
    order=lambda place: (place[1] < 0, utf16(place)),
    cost=lambda item: 0 if item.code or item.bare else 1,
)
LIST_PARTITION_REASSIGNMENTS = Paged(
    ListPartitionReassignmentsRequest,
    1,
    _reassignments,
    named=lambda request: _indexes(request.topics),
    name=partition,
)
LIST_OFFSETS = Paged(
    ListOffsetsRequest,
    12,
    _offsets,
    named=_listed_offsets,
    name=partition,
    absent=lambda name: Item(name, code=3),
)
METADATA = Paged(MetadataRequest, 14, _metadata, named=_named_topics, absent=lambda name: Item((name, 0), code=3))
DESCRIBE_PRODUCERS = Paged(
    DescribeProducersRequest,
    1,
    _producers,
    order=lambda place: (*utf16(partition(place)), -place[2]),
    named=lambda request: _indexes(request.topics),
    name=partition,
    absent=lambda name: Item((*name, BEGINNING), bare=True),
    start=(BEGINNING,),
)
DESCRIBE_ACLS = Paged(DescribeAclsRequest, 4, _acls)
DESCRIBE_CONFIGS = Paged(
    DescribeConfigsRequest,
    5,
    _configs,
    named=lambda request: [(one.resource_name, one.resource_type) for one in request.resources],
    name=lambda place: place,
    absent=Item,
)
