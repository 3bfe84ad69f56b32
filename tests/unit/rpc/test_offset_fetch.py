"""What OffsetFetch asks, and what it makes of an answer."""

from typing import Any

import pytest

from kafka_census.kafka.paging.rpc import Ask, Row
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
