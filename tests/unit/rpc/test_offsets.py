"""What OffsetFetch, OffsetCommit, DescribeShareGroupOffsets and ListOffsets ask, and what they make of an answer."""

from typing import Any

import pytest

from kafka_census.deletion.writing.offset_commit import Offset, offset_commit
from kafka_census.kafka.paging.rpc import Ask, Row
from kafka_census.kafka.protocol.collect_settings import CollectSettings
from kafka_census.kafka.rpc import rpc
from unit.rpc.answers import answer, rows, sent


def _topic(name: str, *offsets: int, code: int = 0) -> dict[str, Any]:
    at = [{"partition_index": n, "committed_offset": at, "committed_leader_epoch": at} for n, at in enumerate(offsets)]
    return {"name": name, "partitions": [one | {"metadata": "m", "error_code": code} for one in at]}


def _rows(version: int, *, code: int = 0, **groups: list[dict[str, Any]]) -> list[Row]:
    listed = [{"group_id": one, "topics": topics, "error_code": code} for one, topics in groups.items()]
    of_one = {"topics": listed[0]["topics"], "error_code": code}
    response = answer("OffsetFetch", **(of_one if version < 8 else {"groups": listed}))
    return rows("OffsetFetch", "groups", response, version, Ask(("é",), None, 1))


@pytest.mark.parametrize(("version", "epoch"), [(2, None), (4, None), (5, 5), (7, 5)])
def test_offset_fetch_of_one_group_has_no_leader_epoch_below_v5(version: int, epoch: int | None) -> None:
    """One group per request; the answer does not repeat its id."""
    assert _rows(version, é=[_topic("t", 5)]) == [("é", 0, "t", 0, 5, epoch, "m")]


def test_offset_fetch_does_not_take_an_unknown_offset_for_a_position() -> None:
    """-1 is null, 0 is an offset; a refused partition has its error, and a group of empty topics no offsets."""
    found = _rows(9, g=[_topic("t", -1, 0), _topic("u", -1, code=29)], h=[_topic("t")])
    assert [row[:6] for row in found] == [
        ("g", 0, "t", 0, None, None),
        ("g", 0, "t", 1, 0, 0),
        ("g", 29, "u", 0, None, None),
        ("h", 0, None, None, None, None),
    ]


@pytest.mark.parametrize("code", [0, 16])
def test_offset_fetch_of_one_group_without_offsets_or_with_an_error_is_one_row(code: int) -> None:
    assert _rows(2, é=[], code=code) == [("é", code, *[None] * 5)]


def test_offset_fetch_asks_for_no_member() -> None:
    """Or else a KIP-848 group would compare epochs."""
    window = sent("OffsetFetch", "groups", 9, Ask(("a", "b"), ("a",), 50))
    members = [(one.group_id, one.member_id, one.member_epoch) for one in window.groups]
    assert members == [("a", None, -1), ("b", None, -1)]
    one = sent("OffsetFetch", "groups", 7, Ask(("a",), None, 50))
    assert (one.group_id, one.topics, one.require_stable) == ("a", None, False)


def test_offset_fetch_never_asks_by_topic_id() -> None:
    """v10 drops the offsets of deleted topics."""
    apis = rpc("OffsetFetch", "groups").apis
    assert [(*api.versions, api.one_key) for api in apis] == [(11, 11, False), (8, 9, False), (2, 7, True)]


def test_offset_commit_knows_an_offset_without_a_leader_epoch() -> None:
    """Brokers keep any epoch but -1, and their log begins with epoch 0."""
    offsets = [Offset("t", partition, 5, epoch, "") for partition, epoch in enumerate((None, 0))]
    request = offset_commit({"g": offsets}).apis[0].build(9, Ask(("g",), None, 1))
    assert [one.committed_leader_epoch for one in request.topics[0].partitions] == [-1, 0]


@pytest.mark.parametrize(("version", "lag", "none"), [(0, None, None), (1, 3, 0)])
def test_describe_share_group_offsets_is_a_row_per_partition(version: int, lag: int | None, none: int | None) -> None:
    """The lag comes with v1; -1 is null, 0 is an offset or no lag, but beside an error it is no offset."""
    told = [("t", 5, 3, 0), ("u", -1, -1, 0), ("v", 0, 0, 0), ("w", 0, -1, 5)]
    known = {"partition_index": 2, "leader_epoch": 1, "error_message": None}
    topics = [
        {"topic_name": topic, "partitions": [known | {"start_offset": start, "lag": lag, "error_code": code}]}
        for topic, start, lag, code in told
    ]
    response = answer("DescribeShareGroupOffsets", groups=[{"group_id": "g", "topics": topics}])
    assert rows("DescribeShareGroupOffsets", "groups", response, version) == [
        ("g", 0, None, "t", 2, 5, 1, lag),
        ("g", 0, None, "u", 2, None, None, None),
        ("g", 0, None, "v", 2, 0, 1, none),
        ("g", 5, None, "w", 2, None, None, None),
    ]


SCOPES = ("earliest", "latest", "last_stable", "max_timestamp")


def _offsets(*partitions: tuple[int, int, int]) -> Any:
    listed = [
        {"partition_index": index, "error_code": code, "offset": offset, "leader_epoch": -1 if code else 3}
        for index, code, offset in partitions
    ]
    return answer("ListOffsets", topics=[{"name": "t", "partitions": listed}])


@pytest.mark.parametrize("version", [11, 12])
@pytest.mark.parametrize("scope", SCOPES)
def test_list_offsets_is_a_row_per_partition(version: int, scope: str) -> None:
    found = rows("ListOffsets", scope, _offsets((0, 0, 2**40), (1, 6, -1), (2, 0, 0), (3, 0, -1)), version)
    assert found == [
        ("t", 0, 0, 2**40, None, 3),
        ("t", 1, 6, None, None, None),
        ("t", 2, 0, 0, None, 3),
        ("t", 3, 0, None, None, 3),
    ]
    # The offset is there from v1 on, its epoch from v4 on.
    assert rows("ListOffsets", "latest", _offsets((0, 0, 5)), 1) == [("t", 0, 0, 5, None, None)]


def test_list_offsets_rows_answer_partitions() -> None:
    """Their keys are what was asked for; 6 is asked elsewhere, 78 here."""
    for api in rpc("ListOffsets", "latest").apis:
        (row,) = api.rows(_offsets((7, 0, 5)), Ask((), None, 1))
        assert api.key(row) == "t/7"
        assert (6 in api.unmapped, 78 in api.retriable, api.unmapped & api.retriable) == (True, True, frozenset())


def test_list_offsets_asks_for_as_many_partitions_at_a_time_as_a_page_has_items() -> None:
    """Where the broker knows the offset; for the newest record, which v7 knows, it searches each log."""
    assert [rpc("ListOffsets", scope).apis[1].min_version for scope in SCOPES] == [1, 1, 2, 7]
    collect = CollectSettings(page_limit=7, keys_per_request=3)
    assert [rpc("ListOffsets", scope).window_size(collect) for scope in SCOPES] == [7, 7, 7, 3]
    fewer = CollectSettings(page_limits={"ListOffsets": 5}, keys_per_request=3)
    assert rpc("ListOffsets", "latest").window_size(fewer) == 5
