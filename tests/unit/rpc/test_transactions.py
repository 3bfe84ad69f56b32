"""What the RPCs of transactions ask, and what they make of an answer."""

from typing import Any

import pytest

from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.rpc import rpc
from unit.rpc.answers import EVERYTHING, answer, items, rows, sent

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


KNOWN = {"transaction_state": "Ongoing", "transaction_timeout_ms": 60_000, "producer_id": 2**40, "producer_epoch": 2}


def _one(name: str, start: int = 1000, **topics: list[int]) -> dict[str, Any]:
    touched = [{"topic": topic, "partitions": partitions} for topic, partitions in topics.items()]
    return KNOWN | {"transactional_id": name, "transaction_start_time_ms": start, "topics": touched}


@pytest.mark.parametrize("version", [0, 1])
def test_describe_transactions_is_a_row_per_partition_of_the_transaction(version: int) -> None:
    """Without partitions there is one row; the zeros beside an error are no producer id."""
    states = [_one("a", t=[0, 2], u=[1]), _one("b", -1), {"transactional_id": "c", "error_code": 53}]
    response = answer("DescribeTransactions", transaction_states=states)
    reported = ("Ongoing", 60_000, 1000, 2**40, 2)
    assert rows("DescribeTransactions", "transactional_ids", response, version) == [
        ("a", 0, *reported, "t", 0),
        ("a", 0, *reported, "t", 2),
        ("a", 0, *reported, "u", 1),
        ("b", 0, "Ongoing", 60_000, None, 2**40, 2, None, None),
        ("c", 53, *[None] * 7),
    ]
    asked = sent("DescribeTransactions", "transactional_ids", version, Ask(("a", "b"), None, 7))
    assert asked.transactional_ids == ["a", "b"]


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_list_transactions_is_a_row_per_id(version: int) -> None:
    """No version filters; without filters none is unknown."""
    one = {"transactional_id": "tx", "producer_id": 2**40, "transaction_state": "Ongoing"}
    response = answer("ListTransactions", transaction_states=[one])
    assert items("ListTransactions", "transactions", response, version) == [one]
    asked = sent("ListTransactions", "transactions", version, EVERYTHING)
    assert (asked.state_filters, asked.producer_id_filters) == ([], [])
    assert (asked.duration_filter, asked.transactional_id_pattern) == (-1, None)
