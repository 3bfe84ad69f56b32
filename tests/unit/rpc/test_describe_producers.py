"""What DescribeProducers makes of an answer."""

from typing import Any

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import DescribeProducersResponse
from unit.rpc.answers import items, over_the_wire, page_of, sent

BEGINNING = 2**63 - 1


def _partition(index: int, *producers: int, code: int = 0, **known: int) -> Any:
    part = DescribeProducersResponse.TopicResponse.PartitionResponse
    state = {"last_sequence": -1, "last_timestamp": -1, "coordinator_epoch": -1, "current_txn_start_offset": -1} | known
    return part(
        partition_index=index,
        error_code=code,
        error_message="no" if code else None,
        active_producers=[part.ProducerState(producer_id=one, producer_epoch=2, **state) for one in producers],
    )


def _producers(*partitions: Any, follows: tuple[int, int] | None = None) -> Any:
    cursor = DescribeProducersResponse.Cursor
    return DescribeProducersResponse(
        throttle_time_ms=0,
        topics=[DescribeProducersResponse.TopicResponse(name="t", partitions=list(partitions))],
        next_cursor=follows and cursor(topic_name="t", partition_index=follows[0], producer_id=follows[1]),
    )


def _reported(response: Any, cursor: tuple[Any, ...] | None) -> list[tuple[int, int, int | None]]:
    found = items("DescribeProducers", "partitions", response, 1, Ask(("t/0", "t/1"), cursor, 2))
    return [(item["partition"], item["error_code"], item["producer_id"]) for item in found]


def test_describe_producers_is_a_row_a_producer() -> None:
    """What is not known is null; a transaction's start at offset 0 is known."""
    open_one = {"last_sequence": 4, "last_timestamp": 1000, "coordinator_epoch": 0, "current_txn_start_offset": 0}
    response = _producers(_partition(0, 2**40, **open_one), _partition(1, 5))
    for version, way in ((0, 1), (1, 0)):
        found = items("DescribeProducers", "partitions", response, version, way=way)
        assert [tuple(item.values()) for item in found] == [
            ("t", 0, 0, None, 2**40, 2, 4, 1000, 0, 0),
            ("t", 1, 0, None, 5, 2, None, None, None, None),
        ]


def test_describe_producers_answers_for_every_partition() -> None:
    """One without producers, and one with an error, is a row without a producer."""
    response = _producers(_partition(0), _partition(1, code=6))
    for version, way in ((0, 1), (1, 0)):
        found = items("DescribeProducers", "partitions", response, version, way=way)
        assert [tuple(item.values())[:5] for item in found] == [("t", 0, 0, None, None), ("t", 1, 6, "no", None)]


def test_describe_producers_tells_of_a_partition_that_goes_on_once() -> None:
    """Producers left: their rows. None left: no row, since the page before had some; at the beginning: one row."""
    assert _reported(_producers(_partition(0, 3, 2), _partition(1)), ("t", 0, 4)) == [
        (0, 0, 3),
        (0, 0, 2),
        (1, 0, None),
    ]
    assert _reported(_producers(_partition(0), _partition(1)), ("t", 0, 4)) == [(1, 0, None)]
    assert _reported(_producers(_partition(0), _partition(1)), ("t", 0, BEGINNING)) == [(0, 0, None), (1, 0, None)]


def test_describe_producers_leaves_a_partition_to_the_page_that_follows() -> None:
    """A page that ends before a partition's first producer has no row for it."""
    assert _reported(_producers(_partition(0, 9), _partition(1), follows=(1, BEGINNING)), None) == [(0, 0, 9)]
    assert _reported(_producers(_partition(0, 9), _partition(1, 8), follows=(1, 7)), None) == [(0, 0, 9), (1, 0, 8)]


def test_describe_producers_tells_of_an_error_on_any_page() -> None:
    """A partition that fails half way is not complete: its error is a row."""
    assert _reported(_producers(_partition(0, code=6)), ("t", 0, 4)) == [(0, 6, None)]


def test_describe_producers_pages_by_the_broker_s_cursor_at_v1() -> None:
    """Limit and cursor are sent there, and not below; the cursor tells topic, partition, producer id."""
    ask = Ask(("t/0", "u/3", "t/2"), ("t", 2, BEGINNING), 7)
    asked = sent("DescribeProducers", "partitions", 1, ask)
    assert page_of(asked) == (7, ("t", 2, BEGINNING))
    assert [(topic.name, topic.partition_indexes) for topic in asked.topics] == [("t", [0, 2]), ("u", [3])]
    assert page_of(sent("DescribeProducers", "partitions", 0, ask, way=1)) == (2000, None)
    api = rpc("DescribeProducers", "partitions").apis[0]
    assert api.next_cursor(over_the_wire(_producers(follows=(1, 7)), 1)) == ("t", 1, 7)
    assert api.next_cursor(over_the_wire(_producers(), 1)) is None


def test_describe_producers_rows_answer_partitions() -> None:
    """Their keys are what was asked for."""
    for api in rpc("DescribeProducers", "partitions").apis:
        (row,) = api.rows(_producers(_partition(7, 5)), Ask((), None, 1))
        assert api.key(row) == "t/7"
