"""Answers as a client sees them: built with Kafka's own message schemas, encoded and decoded again at a version."""

from typing import Any
from uuid import UUID

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import MetadataResponse

EVERYTHING = Ask((), None, 2000)


def over_the_wire(response: Any, version: int) -> Any:
    """The response as a client sees it at that version."""
    response._header = None
    response.API_VERSION = version
    response.with_header(correlation_id=1)
    return type(response).decode(response.encode(header=True), version=version, header=True)


def items(name: str, scope: str, response: Any, version: int, ask: Ask = EVERYTHING, way: int = 0) -> list[Any]:
    """The response's items as dicts, by the RPC's nth way of asking."""
    one = rpc(name, scope)
    rows = one.apis[way].rows(over_the_wire(response, version), ask)
    return [dict(zip([field.name for field in one.item], row, strict=True)) for row in rows]


def sent(name: str, scope: str, version: int, ask: Ask, way: int = 0) -> Any:
    """The RPC's request as a broker reads it, by its nth way of asking."""
    request = rpc(name, scope).apis[way].build(version, ask)
    request.with_header(correlation_id=1, client_id="test")
    return type(request).decode(request.encode(header=True), version=version, header=True)


def page_of(request: Any) -> tuple[int, tuple[str | int, ...] | None]:
    """KIP-1062's limit and cursor of a request that a broker read; the defaults where its version has none."""
    position = request.cursor
    cursor = None if position is None else tuple(getattr(position, name) for name in type(position).fields)
    return request.response_pagination_limit, cursor


def metadata(error: int = 0) -> Any:
    """Metadata of one broker and one topic, with a partition or, instead, an error."""
    topic, broker = MetadataResponse.MetadataResponseTopic, MetadataResponse.MetadataResponseBroker
    part = topic.MetadataResponsePartition
    partition = part(
        error_code=0,
        partition_index=0,
        leader_id=1,
        leader_epoch=3,
        replica_nodes=[1, 2],
        isr_nodes=[1],
        offline_replicas=[2],
    )
    return MetadataResponse(
        throttle_time_ms=0,
        brokers=[broker(node_id=1, host="h", port=9, rack=None)],
        cluster_id="k",
        controller_id=1,
        topics=[
            topic(
                error_code=error,
                name="t",
                topic_id=UUID(int=7),
                is_internal=False,
                partitions=[] if error else [partition],
                authorized_operations={31},
            )
        ],
    )
