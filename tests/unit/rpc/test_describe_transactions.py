"""What DescribeTransactions makes of an answer."""

from typing import Any

import pytest

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import DescribeTransactionsResponse
from unit.rpc.answers import items, over_the_wire, page_of, sent

WAYS = ((0, 1), (1, 0))


def _one(name: str, topics: dict[str, list[int]], *, code: int = 0, start: int = 1000) -> Any:
    state = DescribeTransactionsResponse.TransactionState
    return state(
        error_code=code,
        transactional_id=name,
        transaction_state="" if code else "Ongoing",
        transaction_timeout_ms=0 if code else 60_000,
        transaction_start_time_ms=start,
        producer_id=0 if code else 2**40,
        producer_epoch=0 if code else 2,
        topics=[state.TopicData(topic=topic, partitions=partitions) for topic, partitions in topics.items()],
    )


def _transactions(*states: Any, **page: Any) -> Any:
    return DescribeTransactionsResponse(throttle_time_ms=0, transaction_states=list(states), **page)


@pytest.mark.parametrize(("version", "way"), WAYS)
def test_describe_transactions_is_a_row_per_partition_of_the_transaction(version: int, way: int) -> None:
    """Each row has all columns of the transaction; without partitions there is one row."""
    response = _transactions(_one("a", {"t": [0, 2], "u": [1]}), _one("b", {}, start=-1))
    found = items("DescribeTransactions", "transactional_ids", response, version, way=way)
    reported = ("Ongoing", 60_000, 1000, 2**40, 2)
    assert [tuple(item.values()) for item in found] == [
        ("a", 0, *reported, "t", 0),
        ("a", 0, *reported, "t", 2),
        ("a", 0, *reported, "u", 1),
        ("b", 0, "Ongoing", 60_000, None, 2**40, 2, None, None),
    ]


@pytest.mark.parametrize(("version", "way"), WAYS)
def test_describe_transactions_tells_nothing_of_an_id_with_an_error(version: int, way: int) -> None:
    """The zeros beside the code are no producer id."""
    response = _transactions(_one("a", {}, code=53, start=0))
    (item,) = items("DescribeTransactions", "transactional_ids", response, version, way=way)
    assert tuple(item.values()) == ("a", 53, None, None, None, None, None, None, None)


def test_describe_transactions_pages_by_the_broker_s_cursor_at_v1() -> None:
    """Limit and cursor are sent there, and not below."""
    ask = Ask(("a", "b"), ("b", 5), 7)
    asked = sent("DescribeTransactions", "transactional_ids", 1, ask)
    assert (page_of(asked), asked.transactional_ids) == ((7, ("b", 5)), ["a", "b"])
    assert page_of(sent("DescribeTransactions", "transactional_ids", 0, ask, way=1)) == (2000, None)
    api = rpc("DescribeTransactions", "transactional_ids").apis[0]
    follows = DescribeTransactionsResponse.Cursor(transactional_id="b", producer_id=2**40)
    assert api.next_cursor(over_the_wire(_transactions(next_cursor=follows), 1)) == ("b", 2**40)
    assert api.next_cursor(over_the_wire(_transactions(), 1)) is None
