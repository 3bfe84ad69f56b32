"""DescribeTopicPartitions (API 75, KIP-966): leader, replicas, ISR and ELR of each partition.

Asked of any broker by name, in windows; within a window the broker pages with its
cursor (topic, partition), inclusive, so that a page may end inside a topic. Naming
topics keeps the cost linear and makes every refusal a row: asking for all topics would sort
and authorize every remaining topic on each page, and leave out denied topics.

- Names before the cursor's topic are not sent again; the broker would skip them.
- A denied topic (29) is repeated on every page, after all others: it is kept from the first page only,
  at the beginning of its rows, since the last row is the position that the page reached.
- A topic that was re-created between two pages, or lost partitions, breaks the walk
  (`check`): its pages would not be of one topic.

Where ApiVersions does not offer API 75 (as in 2.8), Metadata is asked for the same windows by
name; it has no ELR: `elr_known` is false then. Metadata distinguishes a partition without a leader (5) from a
partition whose leader lacks the listener that was asked (72); API 75 names no leader in either case, and no error.
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.admin import DescribeTopicPartitionsRequest
from kafka.protocol.metadata import MetadataRequest

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, first_field, kafka_uuid, no_error

TOPIC_AUTHORIZATION_FAILED = 29
RETRIABLE = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.LEADER_NOT_AVAILABLE})
"""Topic errors of Metadata that may end once a broker that lags behind has caught up."""

ITEM = (
    Field("topic", "string", "Topic name."),
    Field("topic_id", "string", "Topic id as Kafka prints it; null where unknown."),
    Field("is_internal", "boolean", "Whether Kafka itself made the topic."),
    Field("error_code", "int", "Kafka's error code for the topic, 0 none; then partition is null."),
    Field("partition", "int", "Partition index; null where the topic has an error."),
    Field("leader_id", "int", "Broker id of the leader; -1 none, or none on the listener asked."),
    Field("leader_epoch", "int", "Leader epoch."),
    Field("replicas", "array<int>", "Broker ids of all replicas, adding and removing ones included."),
    Field("isr", "array<int>", "Broker ids of the in-sync replicas."),
    Field("eligible_leader_replicas", "array<int>", "ELR (KIP-966)."),
    Field("last_known_elr", "array<int>", "Last known ELR: in Kafka 4 the last leader of a leaderless partition."),
    Field("offline_replicas", "array<int>", "Replicas whose broker or log dir is offline."),
    Field("elr_known", "boolean", "Whether the broker could say what the ELR is."),
    Field(
        "partition_error_code",
        "int",
        "Kafka's error code for the partition: of Metadata 5 no leader, 72 a leader without the listener asked; of "
        "DescribeTopicPartitions always 0; null where the topic has an error.",
    ),
)
_TOPIC, _TOPIC_ID, _ERROR, _PARTITION = 0, 1, 3, 4


def _failed(topic: Any, *, elr_known: bool) -> Row:
    topic_id = kafka_uuid(topic.topic_id)
    head = topic.name, topic_id, topic.is_internal, topic.error_code
    return *head, None, None, None, [], [], [], [], [], elr_known, None


def _build(version: int, ask: Ask) -> Any:
    request = DescribeTopicPartitionsRequest
    cursor = None
    names = ask.keys
    if ask.cursor is not None:
        topic, partition = ask.cursor
        cursor = request.Cursor(topic_name=topic, partition_index=partition)
        # Topic names are ASCII, for which Python and Java sort alike.
        names = tuple(name for name in names if name >= str(topic))
    topics = [request.TopicRequest(name=name) for name in names]
    return request(version=version, topics=topics, response_partition_limit=ask.limit, cursor=cursor)


def _is_denied(topic: Any) -> bool:
    return bool(topic.error_code == TOPIC_AUTHORIZATION_FAILED)


def _rows(response: Any, ask: Ask) -> Iterator[Row]:
    if ask.cursor is None:
        yield from (_failed(topic, elr_known=True) for topic in response.topics if _is_denied(topic))
    for topic in response.topics:
        if _is_denied(topic):
            continue
        if topic.error_code:
            yield _failed(topic, elr_known=True)
            continue
        topic_id = kafka_uuid(topic.topic_id)
        for p in topic.partitions:
            yield (
                topic.name,
                topic_id,
                topic.is_internal,
                0,
                p.partition_index,
                p.leader_id,
                p.leader_epoch,
                p.replica_nodes,
                p.isr_nodes,
                p.eligible_leader_replicas or [],
                p.last_known_elr or [],
                p.offline_replicas,
                True,
                p.error_code,
            )


def _next_cursor(response: Any) -> Cursor | None:
    cursor = response.next_cursor
    return None if cursor is None else (cursor.topic_name, cursor.partition_index)


def _check(ask: Ask, before: Row | None, rows: tuple[Row, ...]) -> str | None:
    """Why a page does not continue the previous one: without a gap, and in the same topic; None where it does."""
    first = next((row for row in rows if not row[_ERROR]), None)
    if ask.cursor is not None and int(ask.cursor[1]) > 0:
        topic, partition = ask.cursor
        deleted = any(row[_TOPIC] == topic and row[_ERROR] for row in rows)
        if not deleted and (first is None or (first[_TOPIC], first[_PARTITION]) != (topic, partition)):
            return f"topic '{topic}' has no partition {partition} any more: it was re-created during the walk"
        if before is not None and first is not None and not deleted and first[_TOPIC_ID] != before[_TOPIC_ID]:
            return f"topic '{topic}' was re-created during the walk: its id changed between two pages"
    held: Row | None = None
    for row in rows:
        if row[_ERROR]:
            continue
        starts = held is None or held[_TOPIC] != row[_TOPIC]
        begun = ask.cursor[1] if held is None and ask.cursor is not None and ask.cursor[0] == row[_TOPIC] else 0
        expected = begun if starts or held is None else held[_PARTITION] + 1
        if row[_PARTITION] != expected:
            return f"topic '{row[_TOPIC]}' lacks partition {expected} in the broker's answer"
        held = row
    return None


def _build_metadata(version: int, ask: Ask) -> Any:
    topics = [MetadataRequest.MetadataRequestTopic(name=name) for name in ask.keys]
    return MetadataRequest(version=version, topics=topics, allow_auto_topic_creation=False)


def _rows_metadata(response: Any, _ask: Ask) -> Iterator[Row]:
    for topic in response.topics:
        if topic.error_code:
            yield _failed(topic, elr_known=False)
            continue
        topic_id = kafka_uuid(topic.topic_id)
        for p in topic.partitions:
            yield (
                topic.name,
                topic_id,
                topic.is_internal,
                0,
                p.partition_index,
                p.leader_id,
                p.leader_epoch,
                p.replica_nodes,
                p.isr_nodes,
                [],
                [],
                p.offline_replicas,
                False,
                p.error_code,
            )


DESCRIBE_TOPIC_PARTITIONS = Rpc(
    name="DescribeTopicPartitions",
    scope="topics",
    item=ITEM,
    apis=(
        Api(
            request=DescribeTopicPartitionsRequest,
            versions=(0, 0),
            paging="cursor",
            build=_build,
            rows=_rows,
            error=no_error,
            next_cursor=_next_cursor,
            cut_key=first_field,
            check=_check,
        ),
        Api(
            request=MetadataRequest,
            versions=(5, 13),
            paging="window",
            build=_build_metadata,
            rows=_rows_metadata,
            error=no_error,
            retriable=RETRIABLE,
        ),
    ),
)
