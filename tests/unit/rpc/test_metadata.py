"""What Metadata makes of an answer."""

from typing import Any
from uuid import UUID

import pytest

from kafka_census.error_codes import ErrorCode
from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import MIN_INSYNC_REPLICAS, PAGINATION, MetadataResponse
from unit.rpc.answers import items, metadata, over_the_wire, page_of, sent

BOTH, PAGES, MIN_ISR, OLD = range(4)
"""The ways of asking, in their order."""


def _topic(name: str, *partitions: int, error: int = 0, min_isr: int = -1) -> Any:
    topic = MetadataResponse.MetadataResponseTopic
    part = topic.MetadataResponsePartition
    nodes = {"leader_id": 1, "leader_epoch": 3, "replica_nodes": [1], "isr_nodes": [1], "offline_replicas": []}
    return topic(
        error_code=error,
        name=name,
        topic_id=UUID(int=7),
        is_internal=False,
        partitions=[part(error_code=0, partition_index=index, **nodes) for index in partitions],
        authorized_operations={31},
        min_insync_replicas=min_isr,
    )


def _page(*topics: Any, follows: tuple[str, int] | None = None, brokers: int = 1) -> Any:
    broker = MetadataResponse.MetadataResponseBroker
    return MetadataResponse(
        throttle_time_ms=0,
        brokers=[broker(node_id=node, host="h", port=9, rack=None) for node in range(brokers)],
        cluster_id="k",
        controller_id=1,
        topics=list(topics),
        error_code=0,
        next_cursor=follows and MetadataResponse.Cursor(topic_name=follows[0], partition_index=follows[1]),
    )


def _counts(page: Any, cursor: tuple[str, int] | None) -> list[tuple[str, int]]:
    found = items("Metadata", "names", page, 14, Ask((), cursor, 2), way=PAGES)
    return [(item["topic"], item["partition_count"]) for item in found]


def test_metadata_lists_names_with_their_sizes() -> None:
    """A name is all that is kept; ids are null before v10."""
    assert items("Metadata", "names", metadata(), 13, way=OLD) == [
        {
            "topic": "t",
            "topic_id": "AAAAAAAAAAAAAAAAAAAABw",
            "is_internal": False,
            "partition_count": 1,
            "error_code": 0,
            "min_insync_replicas": None,
        }
    ]
    assert items("Metadata", "names", metadata(), 4, way=OLD)[0]["topic_id"] is None


@pytest.mark.parametrize("way", [BOTH, MIN_ISR])
def test_metadata_tells_min_insync_replicas_at_v15(way: int) -> None:
    """With pages and without; null where the broker does not know it."""
    page = _page(_topic("a", 0, min_isr=2), _topic("b", 0))
    reported = [item["min_insync_replicas"] for item in items("Metadata", "names", page, 15, way=way)]
    assert reported == [2, None]
    assert [item["min_insync_replicas"] for item in items("Metadata", "names", page, 14, way=PAGES)] == [None, None]


def test_metadata_tells_of_a_topic_on_the_page_on_which_it_ends() -> None:
    """Its last partition tells how many it has; the page on which it goes on is silent."""
    assert _counts(_page(_topic("a", 0), _topic("b", 0, 1), follows=("b", 2)), None) == [("a", 1)]
    assert _counts(_page(_topic("b", 2, 3), follows=("b", 4)), ("b", 2)) == []
    assert _counts(_page(_topic("b", 4), _topic("c", 0)), ("b", 4)) == [("b", 5), ("c", 1)]
    assert _counts(_page(_topic("b", 4), follows=("c", 0)), ("b", 4)) == [("b", 5)]


def test_metadata_of_a_topic_that_has_nothing_left_counts_to_the_cursor() -> None:
    """The pages before had all of its partitions below."""
    assert _counts(_page(_topic("b"), _topic("c", 0)), ("b", 4)) == [("b", 4), ("c", 1)]


@pytest.mark.parametrize("partitions", [(0, 2), (1,), (2**31 - 1,)])
def test_metadata_with_a_hole_between_partitions_makes_no_sense(partitions: tuple[int, ...]) -> None:
    """A number of two billion would be asked for as so many partitions later, or fit into no column."""
    with pytest.raises(ValueError, match="and not all before it"):
        _counts(_page(_topic("a", *partitions)), None)
    with pytest.raises(ValueError, match="has partition 2147483647"):
        _counts(_page(_topic("a", 2**31 - 1)), ("a", 1))


def test_metadata_tells_of_a_topic_with_an_error_as_it_comes() -> None:
    """On the first page as on one that goes on."""
    assert _counts(_page(_topic("a", error=5), _topic("b", 0)), None) == [("a", 0), ("b", 1)]
    assert _counts(_page(_topic("b", error=5)), ("b", 4)) == [("b", 0)]


def test_metadata_pages_by_the_broker_s_cursor_where_the_node_says_so() -> None:
    """Each feature opens its own way; without pages no limit and no cursor matter."""
    ask = Ask((), ("t", 3), 7)
    assert page_of(sent("Metadata", "names", 15, ask, way=BOTH)) == (7, ("t", 3))
    assert page_of(sent("Metadata", "names", 14, ask, way=PAGES)) == (7, ("t", 3))
    assert page_of(sent("Metadata", "names", 15, ask, way=MIN_ISR)) == (2**31 - 1, None)
    assert page_of(sent("Metadata", "names", 13, ask, way=OLD)) == (2000, None)
    apis = rpc("Metadata", "names").apis
    assert [api.features for api in apis] == [
        (PAGINATION, MIN_INSYNC_REPLICAS),
        (PAGINATION,),
        (MIN_INSYNC_REPLICAS,),
        (),
    ]
    assert apis[PAGES].next_cursor(over_the_wire(_page(follows=("t", 3)), 14)) == ("t", 3)
    assert apis[PAGES].next_cursor(over_the_wire(_page(), 14)) is None


def test_metadata_never_creates_a_topic() -> None:
    """Whatever the way: all topics are asked for, and none may be made."""
    for way, version in ((BOTH, 15), (PAGES, 14), (MIN_ISR, 15), (OLD, 13), (OLD, 4)):
        asked = sent("Metadata", "names", version, Ask((), None, 7), way=way)
        assert (asked.topics, asked.allow_auto_topic_creation) == (None, False)


def test_metadata_that_was_to_be_whole_and_goes_on_is_an_error() -> None:
    """A broker that cuts all the same would leave out the rest in silence."""
    error = rpc("Metadata", "names").apis[MIN_ISR].error
    assert error(over_the_wire(_page(_topic("a", 0)), 15)) == (0, None)
    assert error(over_the_wire(_page(_topic("a", 0), follows=("b", 0)), 15))[0] == ErrorCode.INCONSISTENT_PAGES


@pytest.mark.parametrize(("way", "version"), [(BOTH, 15), (PAGES, 14), (MIN_ISR, 15), (OLD, 12), (OLD, 4)])
def test_metadata_without_brokers_is_an_error(way: int, version: int) -> None:
    """Below v13 a failed request for all topics has no code of its own; no page is without brokers either."""
    assert rpc("Metadata", "names").apis[way].error(over_the_wire(_page(brokers=0), version))[0] == 5
    assert rpc("Metadata", "names").apis[way].error(over_the_wire(_page(), version)) == (0, None)
