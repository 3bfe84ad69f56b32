"""What ListOffsets asks, and what it makes of an answer."""

from typing import Any

import pytest

from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.protocol.settings import CollectSettings
from kafka_census.kafka.rpc import rpc
from unit.rpc.answers import answer, rows

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
