"""What ListOffsets makes of an answer."""

from typing import Any

import pytest

from kafka_census.paging.rpc import Ask
from kafka_census.protocol.settings import CollectSettings
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import ListOffsetsResponse
from unit.rpc.answers import items, over_the_wire, page_of, sent

SCOPES = ("earliest", "latest", "last_stable", "max_timestamp")


def _offsets(*partitions: tuple[int, int, int], **page: Any) -> Any:
    topic = ListOffsetsResponse.ListOffsetsTopicResponse
    part = topic.ListOffsetsPartitionResponse
    listed = [
        part(partition_index=index, error_code=code, timestamp=-1, offset=offset, leader_epoch=-1 if code else 3)
        for index, code, offset in partitions
    ]
    return ListOffsetsResponse(throttle_time_ms=0, topics=[topic(name="t", partitions=listed)], **page)


@pytest.mark.parametrize("scope", SCOPES)
def test_list_offsets_is_a_row_per_partition(scope: str) -> None:
    """An error or a missing offset leaves null, an empty partition has offset 0."""
    found = items("ListOffsets", scope, _offsets((0, 0, 2**40), (1, 6, -1), (2, 0, 0), (3, 0, -1)), 11, way=1)
    assert [tuple(item.values()) for item in found] == [
        ("t", 0, 0, 2**40, None, 3),
        ("t", 1, 6, None, None, None),
        ("t", 2, 0, 0, None, 3),
        ("t", 3, 0, None, None, 3),
    ]


def test_list_offsets_has_no_epoch_below_v4() -> None:
    """The offset is there from v1 on."""
    (old,) = items("ListOffsets", "latest", _offsets((0, 0, 5)), 1, way=1)
    assert (old["offset"], old["leader_epoch"]) == (5, None)


def test_list_offsets_asks_for_another_offset_in_each_walk() -> None:
    """By timestamp and isolation level, as a consumer; v2 knows the last stable offset, v7 the newest record."""
    keys = Ask(("a/0", "b.c/7", "a/2"), None, 10)
    asked = {scope: sent("ListOffsets", scope, 11, keys, way=1) for scope in SCOPES}
    assert {scope: one.topics[0].partitions[0].timestamp for scope, one in asked.items()} == {
        "earliest": -2,
        "latest": -1,
        "last_stable": -1,
        "max_timestamp": -3,
    }
    assert {scope: one.isolation_level for scope, one in asked.items()} == {
        "earliest": 0,
        "latest": 0,
        "last_stable": 1,
        "max_timestamp": 0,
    }
    one = asked["latest"]
    assert (one.replica_id, one.timeout_ms) == (-1, 30_000)
    assert [(topic.name, [p.partition_index for p in topic.partitions]) for topic in one.topics] == [
        ("a", [0, 2]),
        ("b.c", [7]),
    ]
    assert {p.current_leader_epoch for topic in one.topics for p in topic.partitions} == {-1}
    assert [rpc("ListOffsets", scope).apis[1].min_version for scope in SCOPES] == [1, 1, 2, 7]


def test_list_offsets_pages_by_the_broker_s_cursor_at_v12() -> None:
    """Limit and cursor are sent there, and not below."""
    ask = Ask(("t/0", "t/1"), ("t", 1), 7)
    assert page_of(sent("ListOffsets", "latest", 12, ask)) == (7, ("t", 1))
    assert page_of(sent("ListOffsets", "latest", 11, ask, way=1)) == (2000, None)
    page = _offsets((0, 0, 5), next_cursor=ListOffsetsResponse.Cursor(topic_name="t", partition_index=1))
    assert [item["offset"] for item in items("ListOffsets", "latest", page, 12)] == [5]
    api = rpc("ListOffsets", "latest").apis[0]
    assert api.next_cursor(over_the_wire(page, 12)) == ("t", 1)
    assert api.next_cursor(over_the_wire(_offsets((1, 0, 5)), 12)) is None


def test_list_offsets_rows_answer_partitions() -> None:
    """Their keys are what was asked for; 6 is asked elsewhere, 78 here."""
    for api in rpc("ListOffsets", "latest").apis:
        (row,) = api.rows(_offsets((7, 0, 5)), Ask((), None, 1))
        assert api.key(row) == "t/7"
        assert 6 in api.unmapped
        assert 78 in api.retriable
        assert not api.unmapped & api.retriable


def test_list_offsets_asks_for_as_many_partitions_at_a_time_as_a_page_has_items() -> None:
    """Where the broker knows the offset; for the newest record it searches each log."""
    collect = CollectSettings(page_limit=7, keys_per_request=3)
    assert [rpc("ListOffsets", scope).window_size(collect) for scope in SCOPES] == [7, 7, 7, 3]
    fewer = CollectSettings(page_limits={"ListOffsets": 5}, keys_per_request=3)
    assert rpc("ListOffsets", "latest").window_size(fewer) == 5
