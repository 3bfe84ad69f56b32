"""ListOffsets (API 2; isolation v2, leader epochs v4, timeout KIP-1075 v10): first and last offsets of partitions.

Asked of the leader of each partition, by partition, in four walks: `earliest` (the log's
start, tiered segments included), `latest` (the high watermark, not the log's end),
`last_stable` (the last stable offset: the start of the first open transaction, or
else the high watermark) and `max_timestamp` (the newest record by the timestamp that it bears,
KIP-734, v7). The high watermark stands still while a partition is under its
min ISR. Code 0 without an offset means that there is no such offset.

A leader that has just been elected does not know its high watermark yet (78; 5 below v5).
A broker that does not lead a partition answers 6, or 74 or 75 where it knows another epoch.

With KIP-1062 the broker pages: its cursor is topic and partition; the limit counts partitions.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, known, no_error, partition_key, partitions_of
from kafka_messages.kip_1062 import ListOffsetsRequest, paged

PAGED = 12
ISOLATION = 2
NEWEST = 7
CONSUMER = -1
# Milliseconds that the broker may wait for remote storage.
TIMEOUT_MS = 30_000

LATEST, EARLIEST, MAX_TIMESTAMP = -1, -2, -3
READ_UNCOMMITTED, READ_COMMITTED = 0, 1
RETRIABLE = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.OFFSET_NOT_AVAILABLE,
    }
)
UNMAPPED = frozenset(
    {
        ErrorCode.LEADER_NOT_AVAILABLE,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
    }
)

ITEM = (
    Field("topic", "string", "Topic name."),
    Field("partition", "int", "Partition index."),
    Field("error_code", "int", "Kafka's error code for the partition, 0 none; then the rest is null."),
    Field("offset", "bigint", "The offset; null where there is none."),
    Field("timestamp", "bigint", "Timestamp of the record there, ms since 1970; null where the broker does not look."),
    Field("leader_epoch", "int", "Leader epoch of that offset; null before v4 or unknown."),
)


def _builder(timestamp: int, isolation_level: int) -> Callable[[int, Ask], Any]:
    topic = ListOffsetsRequest.ListOffsetsTopic

    @lru_cache(maxsize=1000)  # most topics have the same few indexes, and to make the object is most of the work
    def partition(index: int) -> Any:
        return topic.ListOffsetsPartition(partition_index=index, current_leader_epoch=-1, timestamp=timestamp)

    def build(version: int, ask: Ask) -> Any:
        named = partitions_of(ask.keys).items()
        topics = [topic(name=name, partitions=[partition(index) for index in indexes]) for name, indexes in named]
        page = paged(ListOffsetsRequest, ask.limit, ask.cursor) if version >= PAGED else {}
        return ListOffsetsRequest(
            version=version,
            replica_id=CONSUMER,
            isolation_level=isolation_level,
            topics=topics,
            timeout_ms=TIMEOUT_MS,
            **page,
        )

    return build


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for topic in response.topics:
        for p in topic.partitions:
            found = known(p.offset), known(p.timestamp), known(p.leader_epoch)
            yield topic.name, p.partition_index, p.error_code, *found


def _key(row: Row) -> str:
    return partition_key(row[0], row[1])


def _rpc(scope: str, timestamp: int, isolation_level: int = READ_UNCOMMITTED, lowest: int = 1) -> Rpc:
    window = Api(
        request=ListOffsetsRequest,
        versions=(lowest, PAGED - 1),
        paging="window",
        build=_builder(timestamp, isolation_level),
        rows=_rows,
        error=no_error,
        key=_key,
        retriable=RETRIABLE,
        unmapped=UNMAPPED,
    )
    # For the newest record a broker searches the log; it knows the other offsets.
    large = timestamp != MAX_TIMESTAMP
    return Rpc("ListOffsets", scope, ITEM, (window.by_cursor(PAGED), window), large_windows=large)


LIST_OFFSETS_EARLIEST = _rpc("earliest", EARLIEST)
LIST_OFFSETS_LATEST = _rpc("latest", LATEST)
# Below v2 a request cannot state its isolation level.
LIST_OFFSETS_LAST_STABLE = _rpc("last_stable", LATEST, READ_COMMITTED, ISOLATION)
LIST_OFFSETS_MAX_TIMESTAMP = _rpc("max_timestamp", MAX_TIMESTAMP, lowest=NEWEST)
