"""OffsetFetch (API 9; batches v8, topic ids v10, KIP-1062 v11 with names and ids): the offsets that groups committed.

- An unknown group, or a share group, is no error: it has no offsets. Named partitions then have offset -1.
- All topics (null, v2): topics that may not be described are left out. Named topics: 29 for each partition,
  behind the others; by an unknown id 100.
- The error of a group is at the group from v8, at the top from v2, on each named partition in v1.
- A member id (v9) must be one of a consumer or streams group (25) with its epoch (113).

A page's limit counts partitions; a group without partitions costs one. No commit is pending, so no offset is unstable.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from kafka_emulator.call import Call
from kafka_emulator.fetched import IDS, NO_ID, Asked, Fetched, FetchedPartition, FetchedTopic, asked_of, reported
from kafka_emulator.groups import Group
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.named_groups import code_of, in_turn, nested, offsets_of
from kafka_emulator.offsets import Offsets
from kafka_emulator.paging import Cursor, InvalidCursor
from kafka_messages.kip_1062 import OffsetFetchRequest, OffsetFetchResponse

UNKNOWN_MEMBER_ID, STALE_MEMBER_EPOCH = 25, 113
TOP_LEVEL_CODE, EPOCHS, BATCHES, MEMBERS, IDS_AND_NAMES = 2, 5, 8, 9, 11
WITH_MEMBERS = ("consumer", "streams")


def _answer(request: Any, call: Call) -> Any:
    if call.version < BATCHES:
        return _one(request, call)
    if call.paged:
        # The first of duplicate groups counts.
        asked = {one.group_id: one for one in reversed(request.groups)}
        groups = in_turn(asked, lambda group_id: _fetched(asked[group_id], call), request, call)
        return _page(groups, request, call)
    whole = [(one.group_id, _whole(one, call)) for one in request.groups]
    rows = [(group_id, topics, code) for group_id, (code, topics) in whole]
    return OffsetFetchResponse(throttle_time_ms=0, groups=rows)


def _page(groups: Sequence[Fetched], request: Any, call: Call) -> Any:
    listing = nested(groups, lambda holder: groups[holder].offsets, ("", 0), call, _partition_is_possible)
    page = call.page(listing, request)
    parts = [(groups[part.holder], part.begin, part.end) for part in listing.parts(page)]
    rows = [
        (one.group_id, _topics(_by_topic(partitions), call), one.code)
        for (one, *_), partitions in zip(parts, reported(parts), strict=True)
    ]
    return OffsetFetchResponse(throttle_time_ms=0, groups=rows, **call.follows(OffsetFetchResponse, page))


def _partition_is_possible(cursor: Cursor) -> None:
    if cursor[2] < 0:
        raise InvalidCursor


def _one(request: Any, call: Call) -> Any:
    """The answer before v8, to a request about one group."""
    code, topics = _whole(request, call)
    if code and call.version < TOP_LEVEL_CODE:
        failed = [
            FetchedTopic(
                one.name,
                NO_ID,
                [FetchedPartition(one.name, NO_ID, index, code, None) for index in one.partition_indexes],
            )
            for one in request.topics or ()
        ]
        topics = _topics(failed, call)
    return OffsetFetchResponse(throttle_time_ms=0, error_code=code, topics=topics)


def _whole(asked: Any, call: Call) -> tuple[int, list[tuple[Any, ...]]]:
    """Without pages: the code of a group, and the rows of its topics, each as often as the request names it."""
    code, offsets = _committed(asked, call)
    if code or asked.topics is not None:
        return code, _topics([] if code else asked_of(asked.topics, offsets, call), call)
    (partitions,) = reported([(Fetched(asked.group_id, 0, offsets), 0, len(offsets))])
    return 0, _topics(_by_topic(partitions), call)


def _fetched(asked: Any, call: Call) -> Fetched:
    """The code and the offsets of a group, for paging."""
    code, offsets = _committed(asked, call)
    if code or asked.topics is None:
        return Fetched(asked.group_id, code, Asked(()) if code else offsets)
    named = asked_of(asked.topics, offsets, call)
    return Fetched(asked.group_id, 0, Asked(one for topic in named for one in topic.partitions))


def _committed(asked: Any, call: Call) -> tuple[int, Offsets]:
    """The code of a group, and its offsets where the code is 0."""
    code = code_of(asked.group_id, call)
    group = None if code else call.world.groups.get(asked.group_id)
    if group is not None and group.shape.type == "share":
        group = None
    if group is not None and call.version >= MEMBERS and asked.member_id is not None:
        code = _member_code(group, asked.member_id, asked.member_epoch, call)
    return code, offsets_of(None if code else group, call)


def _member_code(group: Group, member_id: str, epoch: int, call: Call) -> int:
    if group.shape.type not in WITH_MEMBERS:
        return 0
    members = call.world.members(group)
    position = members.ids.find(member_id)
    if position is None:
        return UNKNOWN_MEMBER_ID
    return 0 if members[position].epoch == epoch else STALE_MEMBER_EPOCH


def _by_topic(partitions: Iterable[FetchedPartition]) -> list[FetchedTopic]:
    """Sorted partitions, grouped by topic."""
    same = groupby(partitions, itemgetter(0, 1))
    return [FetchedTopic(topic, topic_id, list(found)) for (topic, topic_id), found in same]


def _topics(topics: Iterable[FetchedTopic], call: Call) -> list[tuple[Any, ...]]:
    """The rows of topics, in the order of the version's fields."""
    names, ids = call.version < IDS, call.version >= IDS
    epochs = call.version >= EPOCHS
    return [
        (
            *((topic,) if names or call.version >= IDS_AND_NAMES else ()),
            *((topic_id,) if ids else ()),
            [_row(one, epochs=epochs) for one in partitions],
        )
        for topic, topic_id, partitions in topics
    ]


def _row(reported: FetchedPartition, *, epochs: bool) -> tuple[Any, ...]:
    committed = reported.committed
    offset, epoch, metadata = (
        (committed.offset, committed.leader_epoch, committed.metadata) if committed else (-1, -1, "")
    )
    return reported.partition, offset, *((epoch,) if epochs else ()), metadata, reported.code


OFFSET_FETCH = Handler(
    OffsetFetchRequest,
    OffsetFetchResponse,
    {"2.8": (1, 7), "3.9": (1, 9), "4.3": (1, 10)},
    _answer,
    paged=11,
)
