"""DescribeLogDirs (API 35): the replicas in each log dir of each broker, and their sizes.

Every broker is asked about its own dirs, whole. A replica that moves between two dirs
of one broker is listed twice, once as future. An offline dir (56) has no partitions
in the answer: it is one item without a partition. Sizes are of local segments, in bytes.
Below v3 a denial is an empty answer without a code (31 from v3 on): an answer without
any dir is landed as that refusal, since an alive broker always has a dir.

With KIP-1062 the broker pages: its cursor is topic, partition and dir; the limit counts
replicas. A page groups its replicas by dir and names only their dirs, with the dirs'
sizes; dirs without any replica, empty or offline, are named on the last page only.
"""

from collections.abc import Iterator
from heapq import merge
from typing import Any

from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, known
from kafka_messages.kip_1062 import DescribeLogDirsRequest, paged

ERROR_CODE, CORDONED, PAGED = 3, 5, 6
CLUSTER_AUTHORIZATION_FAILED = 31

ITEM = (
    Field("log_dir", "string", "Absolute path of the log dir."),
    Field("error_code", "int", "Kafka's error code for the dir; 56 offline."),
    Field("total_bytes", "bigint", "Size of the dir's volume, bytes; null before v4 or unknown."),
    Field("usable_bytes", "bigint", "Usable bytes of that volume; null before v4 or unknown."),
    Field("topic", "string", "Topic name; null for a dir without partitions."),
    Field("partition", "int", "Partition index."),
    Field("size", "bigint", "Bytes of the replica's local segments."),
    Field("offset_lag", "bigint", "Lag of a future replica behind the current one; -1 offline."),
    Field("is_future", "boolean", "Whether this is a replica moving into the dir."),
    Field("is_cordoned", "boolean", "Whether new replicas are kept out of the dir; null before v5."),
)


def _build(version: int, ask: Ask) -> Any:
    page = paged(DescribeLogDirsRequest, ask.limit, ask.cursor) if version >= PAGED else {}
    return DescribeLogDirsRequest(version=version, topics=None, **page)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for result in response.results:
        head = result.log_dir, result.error_code, known(result.total_bytes), known(result.usable_bytes)
        cordoned = result.is_cordoned if response.version >= CORDONED else None
        if not result.topics:
            yield *head, None, None, None, None, None, cordoned
        for topic in result.topics:
            for p in topic.partitions:
                yield *head, topic.name, p.partition_index, p.partition_size, p.offset_lag, p.is_future_key, cordoned


def _error(response: Any) -> tuple[int, str | None]:
    if response.version < ERROR_CODE and not response.results:
        return CLUSTER_AUTHORIZATION_FAILED, "an answer without log dirs: DESCRIBE on the cluster is missing"
    return response.error_code or 0, None


def _positions(response: Any) -> Iterator[Cursor]:
    # Within each dir of a page the replicas are in order.
    return merge(*map(_positions_in, response.results))


def _positions_in(result: Any) -> Iterator[Cursor]:
    return ((topic.name, p.partition_index, result.log_dir) for topic in result.topics for p in topic.partitions)


_WHOLE = Api(request=DescribeLogDirsRequest, versions=(1, 5), build=_build, rows=_rows, error=_error)

DESCRIBE_LOG_DIRS = Rpc(
    name="DescribeLogDirs",
    scope="log_dirs",
    item=ITEM,
    apis=(_WHOLE.by_cursor(PAGED, positions=_positions), _WHOLE),
)
