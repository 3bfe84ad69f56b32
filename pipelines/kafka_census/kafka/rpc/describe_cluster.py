"""DescribeCluster (API 60, KIP-700; fenced brokers KIP-919/KIP-1073, v2): who is in the cluster.

Asked of any broker, whole. Below v2 only alive brokers are listed.
In KRaft mode a broker answers a random alive broker as `controller_id`. The
authorized operations are a bitfield (1 << AclOperation), kept as Kafka sends it; bit 31
alone (Integer.MIN_VALUE) means unknown. kafka-python decodes the bitfield to the set of its bits.
Without API 60 (before 2.8) Metadata names the brokers, and operations stay unknown.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from kafka.protocol.admin import DescribeClusterRequest
from kafka.protocol.metadata import MetadataRequest

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, top_level_error
from kafka_census.kafka.protocol.identity import contradiction

UNKNOWN = 31
"""The bit that means that the broker does not report the operations."""

ITEM = (
    Field("node_id", "int", "The broker's id."),
    Field("host", "string", "Host of its listener that was asked."),
    Field("port", "int", "Port of that listener."),
    Field("rack", "string", "broker.rack, null when not set."),
    Field("is_fenced", "boolean", "Registered, but not alive to the controller; null where the broker cannot say."),
    Field("controller_id", "int", "Controller id as answered: a random alive broker in KRaft."),
    Field("cluster_authorized_operations", "int", "What the principal may do to the cluster: 1 << AclOperation."),
)


def _build(version: int, _ask: Ask) -> Any:
    return DescribeClusterRequest(
        version=version, include_cluster_authorized_operations=True, endpoint_type=1, include_fenced_brokers=True
    )


def _brokers(response: Any) -> Iterator[tuple[Any, ...]]:
    knows_fenced = response.version >= 2  # noqa: PLR2004 - the first version with the field
    for broker in response.brokers:
        fenced = broker.is_fenced if knows_fenced else None
        yield broker.broker_id, broker.host, broker.port, broker.rack, fenced


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    operations = response.authorized_operations
    granted = None if operations is None or UNKNOWN in operations else sum(1 << bit for bit in operations)
    for broker in dict.fromkeys(_brokers(response)):
        yield *broker, response.controller_id, granted


def _error(response: Any) -> tuple[int, str | None]:
    code, message = top_level_error(response)
    return (code, message) if code else _contradicting(_brokers(response))


def _contradicting(brokers: Iterable[tuple[Any, ...]]) -> tuple[int, str | None]:
    """The error of an answer with two addresses for one broker id: another broker may answer better."""
    broken = contradiction(brokers)
    return (ErrorCode.MALFORMED_RESPONSE if broken else 0), broken


def _build_metadata(version: int, _ask: Ask) -> Any:
    return MetadataRequest(version=version, topics=[], allow_auto_topic_creation=False)


def _brokers_of_metadata(response: Any) -> Iterator[tuple[Any, ...]]:
    return ((broker.node_id, broker.host, broker.port, broker.rack, None) for broker in response.brokers)


def _rows_metadata(response: Any, _ask: Ask) -> Iterator[Row]:
    for broker in dict.fromkeys(_brokers_of_metadata(response)):
        yield *broker, response.controller_id, None


def _error_metadata(response: Any) -> tuple[int, str | None]:
    return _contradicting(_brokers_of_metadata(response))


DESCRIBE_CLUSTER = Rpc(
    name="DescribeCluster",
    scope="cluster",
    item=ITEM,
    apis=(
        Api(request=DescribeClusterRequest, versions=(0, 2), build=_build, rows=_rows, error=_error),
        Api(
            request=MetadataRequest, versions=(4, 13), build=_build_metadata, rows=_rows_metadata, error=_error_metadata
        ),
    ),
)
