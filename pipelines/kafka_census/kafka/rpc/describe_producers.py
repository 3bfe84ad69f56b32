"""DescribeProducers (API 61, KIP-664): who produces to each partition with a producer id, and in which transaction.

Asked of the leader of each partition, by partition; it needs READ on the topic. A producer
id is kept for a day after its last record (`producer.id.expiration.ms`), longer while its
transaction is open. A follower would answer too, from the records that it has copied so far.

Partitions that had an open transaction are asked for again (scope `recheck`) after the transactions were
listed and described: three answers are no snapshot, and a transaction that ended meanwhile is not hanging.

With KIP-1062 the broker pages: its cursor is topic, partition and producer id, with the ids of
a partition in descending order; the limit counts producer ids. A partition begins at the
largest possible id (2**63 - 1): with that id in the cursor, no page has reported it yet. With
any other id an earlier page has reported some of its producers, and a page without further
producers has no row for it. An error is a row on any page: it means that the rest is missing.
"""

from collections.abc import Iterator
from typing import Any

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, known, no_error, partition_key, partitions_of
from kafka_messages.kip_1062 import DescribeProducersRequest, next_cursor, paged

PAGED = 1
BEGINNING = 2**63 - 1
RETRIABLE = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.KAFKA_STORAGE_ERROR})
UNMAPPED = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER})

ITEM = (
    Field("topic", "string", "Topic name."),
    Field("partition", "int", "Partition index."),
    Field("error_code", "int", "Kafka's error code for the partition, 0 none; then producer_id is null."),
    Field("error_message", "string", "Kafka's message for it."),
    Field("producer_id", "bigint", "Producer id; null where the partition has none."),
    Field("producer_epoch", "int", "Its epoch."),
    Field("last_sequence", "int", "Sequence number of its last record; null unknown."),
    Field(
        "last_timestamp", "bigint", "Timestamp of its last batch as the batch tells it, ms since 1970; null unknown."
    ),
    Field("coordinator_epoch", "int", "Epoch of the coordinator that ended its last transaction; null unknown."),
    Field("current_txn_start_offset", "bigint", "Where its open transaction begins; null without one."),
)


def _build(version: int, ask: Ask) -> Any:
    topics = [
        DescribeProducersRequest.TopicRequest(name=name, partition_indexes=indexes)
        for name, indexes in partitions_of(ask.keys).items()
    ]
    page = paged(DescribeProducersRequest, ask.limit, ask.cursor) if version >= PAGED else {}
    return DescribeProducersRequest(version=version, topics=topics, **page)


def _rows(response: Any, ask: Ask) -> Iterator[Row]:
    elsewhere = _on_other_pages(response, ask)
    for topic in response.topics:
        for p in topic.partitions:
            head = topic.name, p.partition_index, p.error_code, p.error_message
            if p.error_code or (not p.active_producers and (topic.name, p.partition_index) not in elsewhere):
                yield *head, None, None, None, None, None, None
                continue
            for one in p.active_producers:
                last = known(one.last_sequence), known(one.last_timestamp), known(one.coordinator_epoch)
                yield *head, one.producer_id, one.producer_epoch, *last, known(one.current_txn_start_offset)


def _on_other_pages(response: Any, ask: Ask) -> set[tuple[str | int, ...]]:
    """Partitions of this page that the previous page has begun, or that the next page continues."""
    follows = next_cursor(response)
    begun = {ask.cursor[:2]} if ask.cursor is not None and ask.cursor[-1] != BEGINNING else set()
    return begun if follows is None else begun | {follows[:2]}


def _key(row: Row) -> str:
    return partition_key(row[0], row[1])


def _cut_key(cursor: Cursor) -> str:
    return partition_key(cursor[0], cursor[1])


def _positions(response: Any) -> Iterator[Cursor]:
    for topic in response.topics:
        for p in topic.partitions:
            if not p.error_code:
                yield from ((topic.name, p.partition_index, one.producer_id) for one in p.active_producers)
                if not p.active_producers:
                    yield topic.name, p.partition_index, BEGINNING


_WINDOW = Api(
    request=DescribeProducersRequest,
    versions=(0, 0),
    paging="window",
    build=_build,
    rows=_rows,
    error=no_error,
    key=_key,
    retriable=RETRIABLE,
    unmapped=UNMAPPED,
)
_APIS = (_WINDOW.by_cursor(PAGED, positions=_positions, cut_key=_cut_key, key_start=(BEGINNING,)), _WINDOW)

DESCRIBE_PRODUCERS = Rpc("DescribeProducers", "partitions", ITEM, _APIS)
DESCRIBE_PRODUCERS_RECHECK = Rpc("DescribeProducers", "recheck", ITEM, _APIS)
