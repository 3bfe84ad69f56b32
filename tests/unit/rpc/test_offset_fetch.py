"""What OffsetFetch asks, and what it makes of an answer."""

from typing import Any
from uuid import UUID

import pytest

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import OffsetFetchRequest, OffsetFetchResponse
from unit.rpc.answers import items, over_the_wire

PAGED, BATCHES, ONE = 0, 1, 2
GROUP = OffsetFetchResponse.OffsetFetchResponseGroup
TOPIC = GROUP.OffsetFetchResponseTopics


def _topic(name: str, offsets: list[int], code: int = 0) -> Any:
    part = TOPIC.OffsetFetchResponsePartitions
    partitions = [
        part(partition_index=n, committed_offset=at, committed_leader_epoch=at, metadata="m", error_code=code)
        for n, at in enumerate(offsets)
    ]
    return TOPIC(name=name, topic_name=name, topic_id=UUID(int=7), partitions=partitions)


def _groups(code: int = 0, **topics: list[Any]) -> Any:
    groups = [GROUP(group_id=one, topics=of, error_code=code) for one, of in topics.items()]
    return OffsetFetchResponse(throttle_time_ms=0, groups=groups, next_cursor=None)


def _one_group(topics: list[Any], code: int = 0) -> Any:
    topic = OffsetFetchResponse.OffsetFetchResponseTopic
    part = topic.OffsetFetchResponsePartition
    known = [topic(name=one.name, partitions=[part(**p.to_dict()) for p in one.partitions]) for one in topics]
    return OffsetFetchResponse(throttle_time_ms=0, topics=known, error_code=code)


def _sent(version: int, ask: Ask, way: int) -> Any:
    request = rpc("OffsetFetch", "groups").apis[way].build(version, ask)
    return OffsetFetchRequest.decode(request.encode(), version=version)


@pytest.mark.parametrize(("version", "way"), [(8, BATCHES), (9, BATCHES), (11, PAGED)])
def test_offset_fetch_is_a_row_per_partition(version: int, way: int) -> None:
    """Topics have a name up to v9, and in the draft again."""
    response = _groups(g=[_topic("t", [5]), _topic("u", [0])], h=[_topic("t", [9])])
    answer = items("OffsetFetch", "groups", response, version, way=way)
    assert [(item["group_id"], item["topic"], item["committed_offset"]) for item in answer] == [
        ("g", "t", 5),
        ("g", "u", 0),
        ("h", "t", 9),
    ]
    first = answer[0]
    assert (first["error_code"], first["partition"], first["leader_epoch"], first["metadata"]) == (0, 0, 5, "m")


@pytest.mark.parametrize(("version", "epoch"), [(2, None), (4, None), (5, 5), (7, 5)])
def test_offset_fetch_of_one_group_has_no_leader_epoch_below_v5(version: int, epoch: int | None) -> None:
    """One group per request; the answer does not repeat its id."""
    asked = Ask(("é",), None, 1)
    (item,) = items("OffsetFetch", "groups", _one_group([_topic("t", [5])]), version, asked, way=ONE)
    assert (item["group_id"], item["topic"], item["committed_offset"], item["leader_epoch"]) == ("é", "t", 5, epoch)


def test_offset_fetch_does_not_take_an_unknown_offset_for_a_position() -> None:
    """-1 is null, 0 is an offset."""
    unknown, first = items("OffsetFetch", "groups", _groups(g=[_topic("t", [-1, 0])]), 9, way=BATCHES)
    assert (unknown["partition"], unknown["committed_offset"], unknown["leader_epoch"]) == (0, None, None)
    assert (first["partition"], first["committed_offset"], first["leader_epoch"]) == (1, 0, 0)


def test_offset_fetch_keeps_the_error_of_a_partition() -> None:
    """A refused partition is a row of its own, not a partition without offset."""
    (item,) = items("OffsetFetch", "groups", _groups(g=[_topic("t", [-1], code=29)]), 9, way=BATCHES)
    assert (item["topic"], item["partition"], item["error_code"], item["committed_offset"]) == ("t", 0, 29, None)


@pytest.mark.parametrize("code", [0, 16])
def test_offset_fetch_of_a_group_without_offsets_or_with_an_error_is_one_row(code: int) -> None:
    """Every group that was asked for has an answer, at every way of asking."""
    asked = Ask(("g",), None, 1)
    answers = [
        items("OffsetFetch", "groups", _groups(code, g=[]), 11, asked, way=PAGED),
        items("OffsetFetch", "groups", _groups(code, g=[]), 8, asked, way=BATCHES),
        items("OffsetFetch", "groups", _one_group([], code), 2, asked, way=ONE),
    ]
    for (item,) in answers:
        assert (item["group_id"], item["error_code"]) == ("g", code)
        assert [item[name] for name in ("topic", "partition", "committed_offset", "metadata")] == [None] * 4


def test_offset_fetch_answers_a_group_of_topics_without_partitions() -> None:
    """Such topics say nothing: the group has no offsets."""
    (item,) = items("OffsetFetch", "groups", _groups(g=[_topic("t", [])]), 9, way=BATCHES)
    assert (item["group_id"], item["error_code"], item["topic"]) == ("g", 0, None)


def test_offset_fetch_does_not_repeat_a_group_that_goes_on_with_nothing() -> None:
    """The group of the cursor had rows on the page before; one that begins here has not."""
    response = _groups(g=[], h=[])
    goes_on, begins = Ask(("g", "h"), ("g", "t", 3), 9), Ask(("g", "h"), ("g", "", 0), 9)
    assert [item["group_id"] for item in items("OffsetFetch", "groups", response, 11, goes_on)] == ["h"]
    assert [item["group_id"] for item in items("OffsetFetch", "groups", response, 11, begins)] == ["g", "h"]
    past_the_end = _groups(g=[_topic("t", [])])
    assert items("OffsetFetch", "groups", past_the_end, 11, goes_on) == []
    (moved,) = items("OffsetFetch", "groups", _groups(16, g=[]), 11, goes_on)
    assert moved["error_code"] == 16


def test_offset_fetch_hands_on_the_cursor_of_the_draft() -> None:
    """In the order of its fields."""
    response = _groups(g=[_topic("t", [5])])
    response.next_cursor = OffsetFetchResponse.Cursor(group_id="g", topic_name="t", partition_index=1)
    paged = rpc("OffsetFetch", "groups").apis[PAGED]
    assert paged.next_cursor(over_the_wire(response, 11)) == ("g", "t", 1)


def test_offset_fetch_asks_for_all_topics_of_all_groups_and_waits_for_nothing() -> None:
    """The limit and the cursor go into the draft's version only."""
    paged = _sent(11, Ask(("a", "b"), ("a", "t", 3), 50), PAGED)
    assert [(one.group_id, one.topics) for one in paged.groups] == [("a", None), ("b", None)]
    assert (paged.response_pagination_limit, tuple(paged.cursor)) == (50, ("a", "t", 3))
    assert _sent(11, Ask(("a",), None, 50), PAGED).cursor is None
    window = _sent(9, Ask(("a", "b"), ("a",), 50), BATCHES)
    assert [(one.group_id, one.member_id, one.member_epoch, one.topics) for one in window.groups] == [
        ("a", None, -1, None),
        ("b", None, -1, None),
    ]
    one = _sent(7, Ask(("a",), None, 50), ONE)
    assert (one.group_id, one.topics) == ("a", None)
    assert not any(request.require_stable for request in (paged, window, one))


def test_offset_fetch_never_asks_by_topic_id() -> None:
    """v10 drops the offsets of deleted topics."""
    apis = rpc("OffsetFetch", "groups").apis
    assert [(api.min_version, api.max_version, api.one_key) for api in apis] == [
        (11, 11, False),
        (8, 9, False),
        (2, 7, True),
    ]
