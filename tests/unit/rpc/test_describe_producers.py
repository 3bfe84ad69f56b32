"""What DescribeProducers makes of an answer."""

from typing import Any

import pytest

from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.rpc import rpc
from unit.rpc.answers import answer, rows, sent

NOT_KNOWN = {"last_sequence": -1, "last_timestamp": -1, "coordinator_epoch": -1, "current_txn_start_offset": -1}


def _partition(index: int, *producers: int, code: int = 0, **known: int) -> dict[str, Any]:
    active = [NOT_KNOWN | {"producer_id": one, "producer_epoch": 2} | known for one in producers]
    error = {"error_code": code, "error_message": "no" if code else None}
    return {"partition_index": index, "active_producers": active, **error}


def _producers(*partitions: dict[str, Any]) -> Any:
    return answer("DescribeProducers", topics=[{"name": "t", "partitions": partitions}])


@pytest.mark.parametrize("version", [0, 1])
def test_describe_producers_is_a_row_a_producer(version: int) -> None:
    open_one = {"last_sequence": 4, "last_timestamp": 1000, "coordinator_epoch": 0, "current_txn_start_offset": 0}
    response = _producers(_partition(0, 2**40, **open_one), _partition(1, 5), _partition(2), _partition(3, code=6))
    assert rows("DescribeProducers", "partitions", response, version) == [
        ("t", 0, 0, None, 2**40, 2, 4, 1000, 0, 0),
        ("t", 1, 0, None, 5, 2, None, None, None, None),
        ("t", 2, 0, *[None] * 7),
        ("t", 3, 6, "no", *[None] * 6),
    ]


def test_describe_producers_asks_for_and_answers_partitions() -> None:
    asked = sent("DescribeProducers", "partitions", 1, Ask(("t/0", "u/3", "t/2"), None, 7))
    assert [(topic.name, topic.partition_indexes) for topic in asked.topics] == [("t", [0, 2]), ("u", [3])]
    for api in rpc("DescribeProducers", "partitions").apis:
        (row,) = api.rows(_producers(_partition(7, 5)), Ask((), None, 1))
        assert api.key(row) == "t/7"
