"""Answers as a client sees them: built with Kafka's own message schemas, encoded and decoded again at a version."""

from typing import Any
from uuid import UUID

from golden.kept import codec
from harness.responses import message
from kafka_census.kafka.paging.rpc import Api, Ask, Row
from kafka_census.kafka.rpc import rpc

EVERYTHING = Ask((), None, 2000)


def answer(name: str, **fields: Any) -> Any:
    """An RPC's response with these fields, by its name."""
    return message(codec(f"{name}Response"), **fields)


def over_the_wire(response: Any, version: int) -> Any:
    """The response as a client sees it at that version."""
    response._header = None
    response.API_VERSION = version
    response.with_header(correlation_id=1)
    return type(response).decode(response.encode(header=True), version=version, header=True)


def way_of(name: str, scope: str, version: int, way: int | None = None) -> Api:
    """The RPC's nth way of asking; without `way` the first that has the version."""
    apis = rpc(name, scope).apis
    return next(one for one in apis if one.min_version <= version <= one.max_version) if way is None else apis[way]


def rows(
    name: str, scope: str, response: Any, version: int, ask: Ask = EVERYTHING, way: int | None = None
) -> list[Row]:
    return [tuple(row) for row in way_of(name, scope, version, way).rows(over_the_wire(response, version), ask)]


def items(name: str, scope: str, *answered: Any, **asked: Any) -> list[dict[str, Any]]:
    """The same with the names of their columns."""
    names = [field.name for field in rpc(name, scope).item]
    return [dict(zip(names, row, strict=True)) for row in rows(name, scope, *answered, **asked)]


def sent(name: str, scope: str, version: int, ask: Ask, way: int | None = None) -> Any:
    request = way_of(name, scope, version, way).build(version, ask)
    request.with_header(correlation_id=1, client_id="test")
    return type(request).decode(request.encode(header=True), version=version, header=True)


def metadata() -> Any:
    replicas = {"replica_nodes": [1, 2], "isr_nodes": [1], "offline_replicas": [2]}
    topic = {"name": "t", "topic_id": UUID(int=7), "authorized_operations": {31}}
    return answer(
        "Metadata",
        brokers=[{"node_id": 1, "host": "h", "port": 9}],
        cluster_id="k",
        controller_id=1,
        topics=[topic | {"partitions": [{"leader_id": 1, "leader_epoch": 3, **replicas}]}],
    )
