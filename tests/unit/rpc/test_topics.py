"""What the RPCs of topics ask, and what they make of an answer."""

from typing import Any
from uuid import UUID

import pytest

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.rpc import Ask
from kafka_census.kafka.rpc import rpc
from unit.rpc.answers import EVERYTHING, answer, items, metadata, over_the_wire, rows, sent, way_of

BOTH, PAGES, MIN_ISR, OLD = range(4)
"""The ways of asking, in their order."""
WAYS = [(BOTH, 15), (PAGES, 14), (MIN_ISR, 15), (OLD, 13), (OLD, 12), (OLD, 4)]


def _topic(name: str, *partitions: int, error: int = 0, min_isr: int = -1) -> dict[str, Any]:
    known = {"error_code": error, "topic_id": UUID(int=7), "min_insync_replicas": min_isr}
    return known | {"name": name, "partitions": [{"partition_index": index} for index in partitions]}


def _page(*topics: dict[str, Any], follows: tuple[str, int] | None = None, brokers: int = 1) -> Any:
    nodes = [{"node_id": node, "host": "h", "port": 9} for node in range(brokers)]
    cursor = follows and {"topic_name": follows[0], "partition_index": follows[1]}
    return answer("Metadata", brokers=nodes, cluster_id="k", topics=topics, next_cursor=cursor)


def _counts(page: Any, cursor: tuple[str, int] | None) -> list[tuple[str, int]]:
    found = items("Metadata", "names", page, 14, Ask((), cursor, 2))
    return [(item["topic"], item["partition_count"]) for item in found]


@pytest.mark.parametrize(("version", "topic_id"), [(13, "AAAAAAAAAAAAAAAAAAAABw"), (4, None)])
def test_metadata_lists_names_with_their_sizes(version: int, topic_id: str | None) -> None:
    """Ids are null before v10."""
    assert rows("Metadata", "names", metadata(), version) == [("t", topic_id, False, 1, 0, None)]


@pytest.mark.parametrize(
    ("way", "version", "told"), [(BOTH, 15, [2, None]), (MIN_ISR, 15, [2, None]), (PAGES, 14, [None, None])]
)
def test_metadata_tells_min_insync_replicas_at_v15(way: int, version: int, told: list[int | None]) -> None:
    """With pages and without; null where the broker does not know it."""
    page = _page(_topic("a", 0, min_isr=2), _topic("b", 0))
    assert [item["min_insync_replicas"] for item in items("Metadata", "names", page, version, way=way)] == told


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
    """A whole answer of the draft's version has no limit; older versions have no such field."""
    asked = sent("Metadata", "names", version, Ask((), None, 7), way=way)
    limit = {BOTH: 7, PAGES: 7, MIN_ISR: 2**31 - 1, OLD: 2000}[way]
    assert (asked.topics, asked.allow_auto_topic_creation) == (None, False)
    assert (asked.response_pagination_limit, asked.cursor) == (limit, None)


def test_metadata_that_was_to_be_whole_and_goes_on_is_an_error() -> None:
    """A broker that cuts all the same would leave out the rest in silence."""
    error = rpc("Metadata", "names").apis[MIN_ISR].error
    assert error(over_the_wire(_page(_topic("a", 0)), 15)) == (0, None)
    assert error(over_the_wire(_page(_topic("a", 0), follows=("b", 0)), 15))[0] == ErrorCode.INCONSISTENT_PAGES


@pytest.mark.parametrize(("way", "version"), WAYS)
def test_metadata_without_brokers_is_an_error(way: int, version: int) -> None:
    """Below v13 a failed request for all topics has no code of its own; no page is without brokers either."""
    error = rpc("Metadata", "names").apis[way].error
    assert error(over_the_wire(_page(brokers=0), version))[0] == 5
    assert error(over_the_wire(_page(), version)) == (0, None)


def test_describe_topic_partitions_is_a_row_per_partition_and_one_for_a_failed_topic() -> None:
    replicas = {"replica_nodes": [1, 2], "isr_nodes": [], "offline_replicas": [1]}
    partition = replicas | {"leader_id": -1, "eligible_leader_replicas": [2], "last_known_elr": None}
    topics = [{"name": "t", "topic_id": UUID(int=7), "partitions": [partition]}, {"name": "gone", "error_code": 3}]
    follows = {"topic_name": "t", "partition_index": 0}
    response = answer("DescribeTopicPartitions", topics=topics, next_cursor=follows)
    first, second = items("DescribeTopicPartitions", "topics", response, 0)
    assert (first["leader_id"], first["isr"]) == (-1, [])
    assert (first["eligible_leader_replicas"], first["last_known_elr"], first["elr_known"]) == ([2], [], True)
    assert (second["topic"], second["error_code"], second["partition"], second["replicas"]) == ("gone", 3, None, [])
    assert way_of("DescribeTopicPartitions", "topics", 0).next_cursor(over_the_wire(response, 0)) == ("t", 0)


def test_describe_topic_partitions_by_metadata_does_not_know_the_elr() -> None:
    (item,) = items("DescribeTopicPartitions", "topics", metadata(), 9, Ask(("t",), None, 1))
    assert (item["replicas"], item["isr"], item["offline_replicas"]) == ([1, 2], [1], [2])
    assert (item["eligible_leader_replicas"], item["elr_known"]) == ([], False)


@pytest.mark.parametrize(("version", "everything", "keyed"), [(0, 1, 2), (1, 0, 0)])
def test_list_partition_reassignments_asks_a_window_partition_by_partition(
    version: int, everything: int, keyed: int
) -> None:
    """The API takes partitions by number: a key is a topic and how many it has."""
    assert sent("ListPartitionReassignments", "cluster", version, EVERYTHING, everything).topics is None
    asked = sent("ListPartitionReassignments", "cluster", version, Ask(("a/2", "b.c/1"), None, 10), keyed)
    assert [(topic.name, topic.partition_indexes) for topic in asked.topics] == [("a", [0, 1]), ("b.c", [0])]
