"""OffsetFetch (API 9; batches KIP-709, v8; paged by KIP-1062): the offsets that groups have committed.

Asked of each group's coordinator, for all topics of a group. A group that does not exist
is no error: it has no offsets, like a group that never committed. Topics that the principal
may not DESCRIBE are left out without an error. A partition without a committed offset is not
in the answer, even where it is assigned to a member.

- v10 is never used: it has topic ids only, and drops the offsets of deleted topics without
  an error. The draft's v11 has the names again.
- v8 and v9 name many groups in a request, v2 to v7 one. Below v2 a request would have to
  name every partition.
- Offsets are read as they are committed (require_stable is false): a request that waits for
  open transactions would wait for writes, too.

The draft's cursor (group, topic, partition) may cut a group: such a group continues on the
next page, and is left out there when none of its offsets is left.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Ask, Field, Row, Rpc, coordinator_api, first_field
from kafka_messages.kip_1062 import OffsetFetchRequest, paged

ALL_TOPICS, BATCHES, NAMES_END, PAGED = 2, 8, 9, 11

_BEGINNING = "", 0
"""The last fields of a cursor at the start of a group."""

ITEM = (
    Field("group_id", "string", "Group id that was asked for."),
    Field("error_code", "int", "Kafka's error code for the group, or for the partition; 0 none."),
    Field("topic", "string", "Topic name; null for a group that has an error or no committed offset."),
    Field("partition", "int", "Partition index."),
    Field("committed_offset", "bigint", "Offset that the group reads next; null unknown, never 0 for that."),
    Field("leader_epoch", "int", "Leader epoch of the last record it read; null before v5 or unknown."),
    Field("metadata", "string", "What the group noted with the offset."),
)


def _build(version: int, ask: Ask) -> Any:
    request = OffsetFetchRequest
    groups = [request.OffsetFetchRequestGroup(group_id=key, topics=None) for key in ask.keys]
    page = paged(request, ask.limit, ask.cursor) if version >= PAGED else {}
    return request(version=version, groups=groups, require_stable=False, **page)


def _group(
    group_id: str, code: int, topics: list[Any], *, draft: bool = False, continued: bool = False
) -> Iterator[Row]:
    if code or not any(topic.partitions for topic in topics):
        if code or not continued:
            yield group_id, code, None, None, None, None, None
        return
    for topic in topics:
        name = topic.topic_name if draft else topic.name
        for p in topic.partitions:
            offset, epoch = p.committed_offset, p.committed_leader_epoch
            yield (
                group_id,
                p.error_code,
                name,
                p.partition_index,
                offset if offset >= 0 else None,
                epoch if epoch >= 0 else None,
                p.metadata,
            )


def _rows(response: Any, ask: Ask) -> Iterator[Row]:
    draft = response.version >= PAGED
    cut = ask.cursor[0] if draft and ask.cursor is not None and ask.cursor[1] else None
    for group in response.groups:
        continued = group.group_id == cut
        yield from _group(group.group_id, group.error_code, group.topics, draft=draft, continued=continued)


def _build_one(version: int, ask: Ask) -> Any:
    return OffsetFetchRequest(version=version, group_id=ask.keys[0], topics=None, require_stable=False)


def _rows_one(response: Any, ask: Ask) -> Iterator[Row]:
    return _group(ask.keys[0], response.error_code, response.topics)


def _positions(response: Any) -> Iterator[Cursor]:
    for group in response.groups:
        if not group.error_code:
            for topic in group.topics:
                yield from ((group.group_id, topic.topic_name, p.partition_index) for p in topic.partitions)
            if not group.topics:
                yield group.group_id, *_BEGINNING


_WINDOW = coordinator_api(
    request=OffsetFetchRequest, versions=(BATCHES, NAMES_END), paging="window", build=_build, rows=_rows
)

OFFSET_FETCH = Rpc(
    name="OffsetFetch",
    scope="groups",
    item=ITEM,
    apis=(
        _WINDOW.by_cursor(PAGED, positions=_positions, cut_key=first_field, key_start=("", 0)),
        _WINDOW,
        replace(_WINDOW, versions=(ALL_TOPICS, BATCHES - 1), build=_build_one, rows=_rows_one, one_key=True),
    ),
)
