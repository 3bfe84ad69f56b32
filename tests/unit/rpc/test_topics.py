"""What the RPCs of topics ask, and what they make of an answer."""

from typing import Any

import pytest

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.rpc import rpc
from unit.rpc.answers import answer, items, over_the_wire, sent

BOTH, PAGES, MIN_ISR, OLD = range(4)
"""The ways of asking, in their order."""
WAYS = [(BOTH, 15), (PAGES, 14), (MIN_ISR, 15), (OLD, 13), (OLD, 12), (OLD, 4)]


def _topic(name: str, *partitions: int, error: int = 0, min_isr: int = -1) -> dict[str, Any]:
    known = {"error_code": error, "min_insync_replicas": min_isr}
    return known | {"name": name, "partitions": [{"partition_index": index} for index in partitions]}


def _page(*topics: dict[str, Any], follows: tuple[str, int] | None = None, brokers: int = 1) -> Any:
    nodes = [{"node_id": node, "host": "h", "port": 9} for node in range(brokers)]
    cursor = follows and {"topic_name": follows[0], "partition_index": follows[1]}
    return answer("Metadata", brokers=nodes, cluster_id="k", topics=topics, next_cursor=cursor)


def _counts(page: Any, cursor: tuple[str, int] | None) -> list[tuple[str, int]]:
    found = items("Metadata", "names", page, 14, Ask((), cursor, 2))
    return [(item["topic"], item["partition_count"]) for item in found]


@pytest.mark.parametrize(
    ("page", "cursor", "counts"),
    [
        # The last partition tells how many there are; the page on which a topic goes on is silent.
        (_page(_topic("a", 0), _topic("b", 0, 1), follows=("b", 2)), None, [("a", 1)]),
        (_page(_topic("b", 2, 3), follows=("b", 4)), ("b", 2), []),
        (_page(_topic("b", 4), _topic("c", 0)), ("b", 4), [("b", 5), ("c", 1)]),
        (_page(_topic("b", 4), follows=("c", 0)), ("b", 4), [("b", 5)]),
        # Nothing left: the pages before had all of its partitions below.
        (_page(_topic("b"), _topic("c", 0)), ("b", 4), [("b", 4), ("c", 1)]),
        # An error is told on the first page as on one that goes on.
        (_page(_topic("a", error=5), _topic("b", 0)), None, [("a", 0), ("b", 1)]),
        (_page(_topic("b", error=5)), ("b", 4), [("b", 0)]),
    ],
)
def test_metadata_tells_of_a_topic_on_the_page_on_which_it_ends(page: Any, cursor: Any, counts: list[Any]) -> None:
    assert _counts(page, cursor) == counts


@pytest.mark.parametrize(
    ("partitions", "cursor", "reason"),
    [((0, 2), None, "and not all before it"), ((2**31 - 1,), ("a", 1), "has partition 2147483647")],
)
def test_metadata_with_a_hole_between_partitions_makes_no_sense(
    partitions: tuple[int, ...], cursor: tuple[str, int] | None, reason: str
) -> None:
    """A number of two billion would be asked for as so many partitions later, or fit into no column."""
    with pytest.raises(ValueError, match=reason):
        _counts(_page(_topic("a", *partitions)), cursor)


@pytest.mark.parametrize(("way", "version"), WAYS)
def test_metadata_never_creates_a_topic_and_is_bounded_where_it_is_asked_in_pages(way: int, version: int) -> None:
    """A whole answer of the draft's version has no limit; older versions have no such field.

    Without brokers it is an error: below v13 a failed request for all topics has no code of its own.
    """
    asked = sent("Metadata", "names", version, Ask((), None, 7), way=way)
    limit = {BOTH: 7, PAGES: 7, MIN_ISR: 2**31 - 1, OLD: 2000}[way]
    assert (asked.topics, asked.allow_auto_topic_creation) == (None, False)
    assert (asked.response_pagination_limit, asked.cursor) == (limit, None)
    error = rpc("Metadata", "names").apis[way].error
    assert error(over_the_wire(_page(brokers=0), version))[0] == 5
    assert error(over_the_wire(_page(), version)) == (0, None)


def test_metadata_that_was_to_be_whole_and_goes_on_is_an_error() -> None:
    """A broker that cuts all the same would leave out the rest in silence; what it does not know is null."""
    known = _page(_topic("a", 0, min_isr=2), _topic("b", 0))
    for way, version, told in ((BOTH, 15, 2), (MIN_ISR, 15, 2), (PAGES, 14, None)):
        found = items("Metadata", "names", known, version, way=way)
        assert [(item["topic_id"], item["min_insync_replicas"]) for item in found] == [(None, told), (None, None)]
    error = rpc("Metadata", "names").apis[MIN_ISR].error
    assert error(over_the_wire(_page(_topic("a", 0)), 15)) == (0, None)
    assert error(over_the_wire(_page(_topic("a", 0), follows=("b", 0)), 15))[0] == ErrorCode.INCONSISTENT_PAGES
