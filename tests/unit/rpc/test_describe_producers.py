"""What DescribeProducers makes of an answer."""

from typing import Any

import pytest

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from unit.rpc.answers import answer, items, rows, sent

BEGINNING = 2**63 - 1
NOT_KNOWN = {"last_sequence": -1, "last_timestamp": -1, "coordinator_epoch": -1, "current_txn_start_offset": -1}


def _partition(index: int, *producers: int, code: int = 0, **known: int) -> dict[str, Any]:
    active = [NOT_KNOWN | {"producer_id": one, "producer_epoch": 2} | known for one in producers]
    error = {"error_code": code, "error_message": "no" if code else None}
    return {"partition_index": index, "active_producers": active, **error}


def _producers(*partitions: dict[str, Any], follows: tuple[int, int] | None = None) -> Any:
    cursor = follows and {"topic_name": "t", "partition_index": follows[0], "producer_id": follows[1]}
    return answer("DescribeProducers", topics=[{"name": "t", "partitions": partitions}], next_cursor=cursor)


@pytest.mark.parametrize("version", [0, 1])
def test_describe_producers_is_a_row_a_producer(version: int) -> None:
    """What is not known is null; a transaction's start at offset 0 is known; no producer or an error is a row."""
    open_one = {"last_sequence": 4, "last_timestamp": 1000, "coordinator_epoch": 0, "current_txn_start_offset": 0}
    response = _producers(_partition(0, 2**40, **open_one), _partition(1, 5), _partition(2), _partition(3, code=6))
    assert rows("DescribeProducers", "partitions", response, version) == [
        ("t", 0, 0, None, 2**40, 2, 4, 1000, 0, 0),
        ("t", 1, 0, None, 5, 2, None, None, None, None),
        ("t", 2, 0, *[None] * 7),
        ("t", 3, 6, "no", *[None] * 6),
    ]


ZERO, ONE = _partition(0), _partition(1)


@pytest.mark.parametrize(
    ("response", "cursor", "reported"),
    [
        # Producers left: their rows. None left: no row, since the page before had some; at the beginning: one row.
        (_producers(_partition(0, 3, 2), ONE), ("t", 0, 4), [(0, 0, 3), (0, 0, 2), (1, 0, None)]),
        (_producers(ZERO, ONE), ("t", 0, 4), [(1, 0, None)]),
        (_producers(ZERO, ONE), ("t", 0, BEGINNING), [(0, 0, None), (1, 0, None)]),
        # A page that ends before a partition's first producer has no row for it.
        (_producers(_partition(0, 9), ONE, follows=(1, BEGINNING)), None, [(0, 0, 9)]),
        (_producers(_partition(0, 9), _partition(1, 8), follows=(1, 7)), None, [(0, 0, 9), (1, 0, 8)]),
        # A partition that fails half way is not complete: its error is a row.
        (_producers(_partition(0, code=6)), ("t", 0, 4), [(0, 6, None)]),
    ],
)
def test_describe_producers_tells_of_a_partition_that_goes_on_once(
    response: Any, cursor: tuple[Any, ...] | None, reported: list[Any]
) -> None:
    found = items("DescribeProducers", "partitions", response, 1, Ask(("t/0", "t/1"), cursor, 2))
    assert [(item["partition"], item["error_code"], item["producer_id"]) for item in found] == reported


def test_describe_producers_asks_for_and_answers_partitions() -> None:
    asked = sent("DescribeProducers", "partitions", 1, Ask(("t/0", "u/3", "t/2"), None, 7))
    assert [(topic.name, topic.partition_indexes) for topic in asked.topics] == [("t", [0, 2]), ("u", [3])]
    for api in rpc("DescribeProducers", "partitions").apis:
        (row,) = api.rows(_producers(_partition(7, 5)), Ask((), None, 1))
        assert api.key(row) == "t/7"
