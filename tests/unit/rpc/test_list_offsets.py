"""What ListOffsets asks, and what it makes of an answer."""

from typing import Any

import pytest

from kafka_census.paging.rpc import Ask
from kafka_census.protocol.settings import CollectSettings
from kafka_census.rpc import rpc
from unit.rpc.answers import answer, rows, sent

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
    """An error or a missing offset leaves null, an empty partition has offset 0."""
    found = rows("ListOffsets", scope, _offsets((0, 0, 2**40), (1, 6, -1), (2, 0, 0), (3, 0, -1)), version)
    assert found == [
        ("t", 0, 0, 2**40, None, 3),
        ("t", 1, 6, None, None, None),
        ("t", 2, 0, 0, None, 3),
        ("t", 3, 0, None, None, 3),
    ]
    # The offset is there from v1 on, its epoch from v4 on.
    assert rows("ListOffsets", "latest", _offsets((0, 0, 5)), 1) == [("t", 0, 0, 5, None, None)]


@pytest.mark.parametrize(
    ("scope", "timestamp", "isolation", "lowest"),
    [("earliest", -2, 0, 1), ("latest", -1, 0, 1), ("last_stable", -1, 1, 2), ("max_timestamp", -3, 0, 7)],
)
def test_list_offsets_asks_for_another_offset_in_each_walk(
    scope: str, timestamp: int, isolation: int, lowest: int
) -> None:
    """By timestamp and isolation level, as a consumer; v2 knows the last stable offset, v7 the newest record."""
    one = sent("ListOffsets", scope, 11, Ask(("a/0", "b.c/7", "a/2"), None, 10))
    assert (one.replica_id, one.timeout_ms, one.isolation_level) == (-1, 30_000, isolation)
    parts = [(topic.name, [p.partition_index for p in topic.partitions]) for topic in one.topics]
    assert parts == [("a", [0, 2]), ("b.c", [7])]
    asked = {(p.timestamp, p.current_leader_epoch) for topic in one.topics for p in topic.partitions}
    assert asked == {(timestamp, -1)}
    assert rpc("ListOffsets", scope).apis[1].min_version == lowest


def test_list_offsets_rows_answer_partitions() -> None:
    """Their keys are what was asked for; 6 is asked elsewhere, 78 here."""
    for api in rpc("ListOffsets", "latest").apis:
        (row,) = api.rows(_offsets((7, 0, 5)), Ask((), None, 1))
        assert api.key(row) == "t/7"
        assert (6 in api.unmapped, 78 in api.retriable, api.unmapped & api.retriable) == (True, True, frozenset())


def test_list_offsets_asks_for_as_many_partitions_at_a_time_as_a_page_has_items() -> None:
    """Where the broker knows the offset; for the newest record it searches each log."""
    collect = CollectSettings(page_limit=7, keys_per_request=3)
    assert [rpc("ListOffsets", scope).window_size(collect) for scope in SCOPES] == [7, 7, 7, 3]
    fewer = CollectSettings(page_limits={"ListOffsets": 5}, keys_per_request=3)
    assert rpc("ListOffsets", "latest").window_size(fewer) == 5
