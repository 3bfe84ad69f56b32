"""Metadata (API 3): the names of all topics; a request never creates a topic.

Asked of any broker, whole. The answer lists topics that the principal may DESCRIBE; others are
left out without an error, which is why visibility is checked separately. Auto-creation is
switched off in every request; versions before 4, which cannot do that, are not used.

With KIP-1062 the broker pages: its cursor is topic and partition; the limit counts
partitions, so that a page may end inside a topic. Such a topic is an item of the page on
which it ends, whose last partition gives the partition count. KIP-637's min.insync.replicas
is on one more version, with or without pages: without pages the request has the largest
possible limit, and an answer with a next cursor is an error.

Topics that brokers' log dirs hold and this listing lacks are asked for by name (scope `unlisted`, in windows of
names): a topic that the principal may not DESCRIBE is then answered by 29, TOPIC_AUTHORIZATION_FAILED.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, kafka_uuid, known
from kafka_messages.kip_1062 import (
    MIN_INSYNC_REPLICAS,
    MIN_ISR_VERSION,
    PAGINATION,
    MetadataRequest,
    next_cursor,
    paged,
)

PAGED = 14
UNLIMITED = 2**31 - 1

ITEM = (
    Field("topic", "string", "Topic name."),
    Field("topic_id", "string", "Topic id as Kafka prints it; null before Metadata v10."),
    Field("is_internal", "boolean", "Whether Kafka itself made the topic."),
    Field("partition_count", "int", "Number of partitions."),
    Field("error_code", "int", "Kafka's error code for this topic, 0 none."),
    Field(
        "min_insync_replicas",
        "int",
        "min.insync.replicas as Metadata tells it (KIP-637); null where the broker does not.",
    ),
)


def _build(version: int, ask: Ask) -> Any:
    page = paged(MetadataRequest, ask.limit, ask.cursor) if version >= PAGED else {}
    return MetadataRequest(version=version, topics=None, allow_auto_topic_creation=False, **page)


def _build_whole(version: int, ask: Ask) -> Any:
    return _build(version, replace(ask, cursor=None, limit=UNLIMITED))


def _build_named(version: int, ask: Ask) -> Any:
    topics = [MetadataRequest.MetadataRequestTopic(name=name) for name in ask.keys]
    return MetadataRequest(version=version, topics=topics, allow_auto_topic_creation=False)


def _row(topic: Any, partition_count: int) -> Row:
    # Read only where the version has it: reading a field that it lacks takes ten times as long.
    replicas = known(topic.min_insync_replicas) if topic.version >= MIN_ISR_VERSION else None
    return topic.name, kafka_uuid(topic.topic_id), topic.is_internal, partition_count, topic.error_code, replicas


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for topic in response.topics:
        yield _row(topic, len(topic.partitions))


def _rows_of_page(response: Any, ask: Ask) -> Iterator[Row]:
    follows = next_cursor(response)
    topic_of_cursor, start = ask.cursor or ("", 0)
    for topic in response.topics:
        if topic.error_code:
            yield _row(topic, len(topic.partitions))
        elif follows is None or follows[0] != topic.name:
            goes_on = topic.name == topic_of_cursor
            count = max((p.partition_index + 1 for p in topic.partitions), default=int(start) if goes_on else 0)
            # A topic that continues on another page may have been re-created meanwhile with other partitions.
            if count > (UNLIMITED if goes_on else len(topic.partitions)):
                raise ValueError(f"topic {topic.name!r} has partition {count - 1}, and not all before it")
            yield _row(topic, count)
    if start and topic_of_cursor not in {topic.name for topic in response.topics}:
        # Deleted since the previous page, or re-created with fewer partitions: it existed, and is asked for by name.
        yield topic_of_cursor, None, None, start, 0, None


def _error(response: Any) -> tuple[int, str | None]:
    # Below v13 a failed request for all topics is an answer without brokers and without a code.
    if not response.error_code and not response.brokers:
        return 5, "the broker answered without any broker: its metadata is not loaded"
    return response.error_code or 0, None


def _error_whole(response: Any) -> tuple[int, str | None]:
    if response.next_cursor is not None:
        return ErrorCode.INCONSISTENT_PAGES, "a whole answer names a next page"
    return _error(response)


def _positions(response: Any) -> Iterator[Cursor]:
    described = (topic for topic in response.topics if not topic.error_code)
    return ((topic.name, p.partition_index) for topic in described for p in topic.partitions)


_WHOLE = Api(request=MetadataRequest, versions=(4, 13), build=_build, rows=_rows, error=_error)
_PAGED = _WHOLE.by_cursor(PAGED, rows=_rows_of_page, positions=_positions)

METADATA = Rpc(
    name="Metadata",
    scope="names",
    item=ITEM,
    apis=(
        replace(_PAGED, versions=(MIN_ISR_VERSION, MIN_ISR_VERSION), features=(PAGINATION, MIN_INSYNC_REPLICAS)),
        _PAGED,
        replace(
            _WHOLE,
            versions=(MIN_ISR_VERSION, MIN_ISR_VERSION),
            build=_build_whole,
            error=_error_whole,
            features=(MIN_INSYNC_REPLICAS,),
        ),
        _WHOLE,
    ),
)
METADATA_UNLISTED = Rpc(
    name="Metadata", scope="unlisted", item=ITEM, apis=(replace(_WHOLE, paging="window", build=_build_named),)
)
