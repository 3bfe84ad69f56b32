"""Metadata (API 3): the names of all topics, never creating one.

Asked of any broker, whole: no version pages (KIP-1062 would). The answer lists what
the principal may DESCRIBE; the rest is left out in silence, which is why visibility
is judged apart. Auto-creation is switched off in every request; versions before 4,
which cannot do that, are not used.
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.metadata import MetadataRequest

from kafka_census.paging.rpc import Api, Ask, Field, Row, Rpc, kafka_uuid

ITEM = (
    Field("topic", "string", "Topic name."),
    Field("topic_id", "string", "Topic id as Kafka prints it; null before Metadata v10."),
    Field("is_internal", "boolean", "Whether Kafka itself made the topic."),
    Field("partition_count", "int", "Number of partitions."),
    Field("error_code", "int", "Kafka's error code for this topic, 0 none."),
)


def _build(version: int, _ask: Ask) -> Any:
    return MetadataRequest(version=version, topics=None, allow_auto_topic_creation=False)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for topic in response.topics:
        yield topic.name, kafka_uuid(topic.topic_id), topic.is_internal, len(topic.partitions), topic.error_code


def _error(response: Any) -> tuple[int, str | None]:
    # Below v13 a failed request for all topics is an answer without brokers and without a code.
    if not response.error_code and not response.brokers:
        return 5, "the broker answered without any broker: its metadata is not loaded"
    return response.error_code or 0, None


METADATA = Rpc(
    name="Metadata",
    scope="names",
    item=ITEM,
    apis=(Api(MetadataRequest, 4, 13, "whole", _build, _rows, _error),),
)
