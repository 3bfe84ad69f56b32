"""The pager against a scripted broker: parts, windows, connections, keys asked again. Faults are in tests/emulator."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from kafka.protocol.admin import DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse, ListGroupsRequest
from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse

from harness.responses import described_partitions, described_topic, listed_groups, message
from harness.standin import Act
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Chain
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.landing.fetch.fetch import Fetcher
from unit.walking import QUICK, Serve, walk

CLUSTER = ClusterSettings("standin", ("127.0.0.1:1",))
OTHER_ID = UUID(int=8)


@pytest.mark.parametrize("limit", [{"page_limit": 2}, {"page_limits": {"ListGroups": 2}}])
@pytest.mark.parametrize(("groups", "parts"), [("abc", [(0, 2, 2, 1), (1, 2, 1, 0)]), ("", [(0, 1, 0, 1)])])
def test_a_whole_answer_is_one_page_in_parts_of_at_most_page_limit(
    serve: Serve, limit: dict[str, Any], groups: str, parts: list[tuple[int, ...]]
) -> None:
    """Parts are numbered, hold their total number, and their cost is counted once. An empty answer has one."""
    broker = serve({ListGroupsRequest: listed_groups(*groups)})
    pages = walk(broker, "ListGroups", "groups", collect=replace(QUICK, **limit))
    assert [(page.part_no, page.parts, len(page.rows), page.attempts) for page in pages] == parts
    assert {(page.error_code, page.next_cursor) for page in pages} == {(0, None)}


def test_a_slow_node_delays_nobody_else_and_one_page_is_in_flight_a_node(serve: Serve) -> None:
    slow = serve({ListGroupsRequest: Act(listed_groups("slow"), delay=0.5)}, node_id=1)
    fast = serve({ListGroupsRequest: listed_groups("fast")}, node_id=2)
    chains = [Chain(one.node_id, f"chain-{n}", one.endpoint) for n, one in enumerate((slow, fast, fast, fast))]
    pages = Fetcher("ListGroups", "groups", CLUSTER, QUICK).pages(iter(chains))
    assert [page.chain.node_id for page in pages] == [2, 2, 2, 1]
    assert fast.connections == 1


def test_names_before_the_cursor_are_not_sent_again(serve: Serve) -> None:
    """The cost of a walk stays linear in its topics."""
    sizes = dict.fromkeys("abc", 1)
    broker = serve({DescribeTopicPartitionsRequest: lambda request, _n: described_partitions(sizes, request)})
    walk(broker, "DescribeTopicPartitions", "topics", tuple(sizes), collect=replace(QUICK, page_limit=1))
    assert ["".join(topic.name for topic in request.topics) for request in broker.asked] == ["abc", "bc", "c"]


def test_a_chain_that_fills_its_wave_stays_open_with_its_keys(serve: Serve) -> None:
    """pages_per_wave bounds what a crash can lose; the keys are there to go on with."""
    broker = serve({DescribeTopicPartitionsRequest: lambda request, _n: described_partitions({"a": 5}, request)})
    collect = replace(QUICK, page_limit=1, pages_per_wave=2)
    first, second = walk(broker, "DescribeTopicPartitions", "topics", ("a",), collect=collect)
    assert (first.open_keys, second.open_keys, second.next_cursor) == ((), ("a",), ("a", 2))


@pytest.mark.parametrize(
    ("before", "partitions", "changed", "words"),
    [
        (2, [], {}, "has no partition 2 any more"),
        (2, [2, 3], {"topic_id": OTHER_ID}, "its id changed"),
        (2, [2, 4], {}, "lacks partition 3"),
        # No cursor says so: a page lost before the first would be lost in silence.
        (0, [2, 3], {}, "topic 'a' lacks partition 0"),
    ],
)
def test_pages_that_do_not_follow_each_other_are_an_error_page(
    serve: Serve, before: int, partitions: list[int], changed: dict[str, Any], words: str
) -> None:
    """A topic that changed between two pages is not published as one topic."""

    def answer(request: Any, n: int) -> Any:
        if before and n == 0:
            return described_partitions({"a": 5}, request, limit=before)
        return DescribeTopicPartitionsResponse(topics=[described_topic("a", partitions, **changed)], next_cursor=None)

    pages = walk(serve({DescribeTopicPartitionsRequest: answer}), "DescribeTopicPartitions", "topics", ("a",))
    assert pages[-1].error_code == ErrorCode.INCONSISTENT_PAGES
    assert words in str(pages[-1].error_message)


def test_unsettled_keys_alone_are_asked_again(serve: Serve) -> None:
    """A key that comes right is one good row; the settled ones are not asked twice."""

    def coordinators(request: Any, n: int) -> Any:
        found = [
            {"key": key, "node_id": 2, "host": "h", "port": 9}
            | ({"node_id": -1, "error_code": 15} if key == "b" and n == 0 else {})
            for key in request.coordinator_keys
        ]
        return message(FindCoordinatorResponse, coordinators=found)

    broker = serve({FindCoordinatorRequest: coordinators})
    (page,) = walk(broker, "FindCoordinator", "groups", ("a", "b"))
    assert (page.error_code, sorted((row[0], row[1]) for row in page.rows)) == (0, [("a", 0), ("b", 0)])
    assert ["".join(request.coordinator_keys) for request in broker.asked] == ["ab", "b"]
