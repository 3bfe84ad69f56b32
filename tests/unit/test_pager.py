"""The pager against a scripted broker: every fault is healed, or reported in an error page."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from kafka.protocol.admin import (
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    ListGroupsRequest,
)
from kafka.protocol.metadata import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    MetadataRequest,
    MetadataResponse,
)

from harness.responses import described_partitions, described_topic, listed_groups
from harness.standin import Act, StandIn
from kafka_census.error_codes import ErrorCode
from kafka_census.paging.page import Chain
from kafka_census.protocol.settings import ClusterSettings
from kafka_census.source.fetch import Fetcher
from unit.walking import QUICK, walk

CLUSTER = ClusterSettings("standin", ("127.0.0.1:1",))
OTHER_ID = UUID(int=8)


def listing(*replies: Any) -> dict[Any, Callable[[Any, int], Any]]:
    """A broker that answers ListGroups with these, the last for ever."""
    return {ListGroupsRequest: lambda _request, n: replies[min(n, len(replies) - 1)]}


@pytest.mark.parametrize("limit", [{"page_limit": 2}, {"page_limits": {"ListGroups": 2}}])
def test_a_whole_answer_is_one_page_in_parts_of_at_most_page_limit(
    serve: Callable[..., StandIn], limit: dict[str, Any]
) -> None:
    """Parts are numbered, hold their total number, and their cost is counted once."""
    pages = walk(serve(listing(listed_groups("a", "b", "c"))), "ListGroups", "groups", collect=replace(QUICK, **limit))
    assert [(page.part_no, page.parts, len(page.rows), page.attempts) for page in pages] == [(0, 2, 2, 1), (1, 2, 1, 0)]
    assert [page.next_cursor for page in pages] == [None, None]


def test_an_empty_answer_is_a_page_without_items(serve: Callable[..., StandIn]) -> None:
    (page,) = walk(serve(listing(listed_groups())), "ListGroups", "groups")
    assert (page.error_code, page.rows, page.parts) == (0, (), 1)


@pytest.mark.parametrize(
    "misfortune",
    [
        pytest.param(Act(drop=True), id="dropped connection"),
        pytest.param(Act(silent=True), id="no answer in time"),
        pytest.param(listed_groups(error_code=14), id="coordinator is loading"),
        pytest.param(Act(listed_groups("a"), truncate=3), id="truncated frame"),
        pytest.param(Act(raw=b"\xff" * 9), id="undecodable answer"),
    ],
)
def test_what_passes_is_healed_by_asking_again(serve: Callable[..., StandIn], misfortune: Any) -> None:
    (page,) = walk(serve(listing(misfortune, listed_groups("a"))), "ListGroups", "groups")
    assert (page.error_code, [row[0] for row in page.rows], page.attempts) == (0, ["a"], 2)


@pytest.mark.parametrize(
    ("misfortune", "code"),
    [
        pytest.param(Act(drop=True), ErrorCode.CONNECTION_FAILED, id="dropped connection"),
        pytest.param(Act(silent=True), ErrorCode.DEADLINE_EXCEEDED, id="no answer in time"),
        pytest.param(listed_groups(error_code=14), 14, id="coordinator is loading"),
        pytest.param(Act(raw=b"\xff" * 9), ErrorCode.MALFORMED_RESPONSE, id="undecodable answer"),
        pytest.param(
            Act(announce=2**31 - 1, response=listed_groups()), ErrorCode.FRAME_TOO_LARGE, id="oversized frame"
        ),
        pytest.param(listed_groups(error_code=30), 30, id="refused"),
    ],
)
def test_what_does_not_pass_is_an_error_page(serve: Callable[..., StandIn], misfortune: Any, code: int) -> None:
    """Attempts are bounded; the page names the broker and holds no items."""
    (page,) = walk(serve(listing(misfortune)), "ListGroups", "groups")
    assert (page.error_code, page.rows) == (code, ())
    assert "broker 1 at 127.0.0.1" in str(page.error_message)
    assert page.attempts == (1 if code in {30, ErrorCode.FRAME_TOO_LARGE} else 3)


def test_a_listed_broker_where_nothing_listens_is_an_error_page(serve: Callable[..., StandIn]) -> None:
    endpoint = replace(serve(listing(listed_groups())).endpoint, port=1)
    chain = Chain(1, "chain", endpoint)
    (page,) = Fetcher("ListGroups", "groups", CLUSTER, QUICK).pages(iter([chain]))
    assert page.error_code == ErrorCode.CONNECTION_FAILED


def test_throttle_time_is_honoured_on_the_next_send(serve: Callable[..., StandIn]) -> None:
    """Nothing is sent on a connection while the broker has it muted (KIP-219)."""
    broker = serve(
        {
            ListGroupsRequest: lambda _request, n: listed_groups(
                "a", error_code=14 if n == 0 else 0, throttle_time_ms=200 if n == 0 else 0
            )
        }
    )
    (page,) = walk(broker, "ListGroups", "groups")
    assert broker.asked_at[1] - broker.asked_at[0] >= 0.2
    assert page.throttle_time_ms == 200


def test_a_slow_node_delays_nobody_else(serve: Callable[..., StandIn]) -> None:
    """The chains of one task's nodes run at the same time."""
    slow = serve(listing(Act(listed_groups("slow"), delay=0.25)), node_id=1)
    fast = serve(listing(listed_groups("fast")), node_id=2)
    chains = [Chain(one.node_id, f"groups-{one.node_id}", one.endpoint) for one in (slow, fast)]
    pages = Fetcher("ListGroups", "groups", CLUSTER, QUICK).pages(iter(chains))
    assert [page.chain.node_id for page in pages] == [2, 1]


def test_one_page_is_in_flight_a_node(serve: Callable[..., StandIn]) -> None:
    """Two chains of one node follow each other on one connection."""
    broker = serve(listing(listed_groups("a")))
    chains = [Chain(1, f"chain-{n}", broker.endpoint) for n in range(3)]
    assert len(list(Fetcher("ListGroups", "groups", CLUSTER, QUICK).pages(iter(chains)))) == 3
    assert broker.connections == 1


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_any_limit_gives_the_same_partitions(serve: Callable[..., StandIn], limit: int) -> None:
    sizes = {"a": 3, "b": 1, "c": 5}
    broker = serve({DescribeTopicPartitionsRequest: lambda request, _n: described_partitions(sizes, request)})
    pages = walk(broker, "DescribeTopicPartitions", "topics", tuple(sizes), collect=replace(QUICK, page_limit=limit))
    assert [(row[0], row[4]) for page in pages for row in page.rows] == [
        (topic, index) for topic, size in sizes.items() for index in range(size)
    ]
    assert max(len(page.rows) for page in pages) <= limit
    assert pages[0].request_cursor is None
    assert [page.request_cursor for page in pages[1:]] == [page.next_cursor for page in pages[:-1]]
    assert pages[-1].next_cursor is None


def test_a_broker_that_clamps_the_limit_is_walked_to_the_end(serve: Callable[..., StandIn]) -> None:
    broker = serve(
        {DescribeTopicPartitionsRequest: lambda request, _n: described_partitions({"a": 5}, request, limit=2)}
    )
    assert [len(page.rows) for page in walk(broker, "DescribeTopicPartitions", "topics", ("a",))] == [2, 2, 1]


def test_names_before_the_cursor_are_not_sent_again(serve: Callable[..., StandIn]) -> None:
    """The cost of a walk stays linear in its topics."""
    sizes = {"a": 1, "b": 1, "c": 1}
    broker = serve({DescribeTopicPartitionsRequest: lambda request, _n: described_partitions(sizes, request)})
    walk(broker, "DescribeTopicPartitions", "topics", tuple(sizes), collect=replace(QUICK, page_limit=1))
    assert [[topic.name for topic in request.topics] for request in broker.asked] == [
        ["a", "b", "c"],
        ["b", "c"],
        ["c"],
    ]


def test_a_walk_goes_on_from_a_landed_cursor(serve: Callable[..., StandIn]) -> None:
    broker = serve({DescribeTopicPartitionsRequest: lambda request, _n: described_partitions({"a": 5}, request)})
    (page,) = walk(broker, "DescribeTopicPartitions", "topics", ("a",), page_no=1, cursor=("a", 3), try_no=1)
    assert (page.page_no, [row[4] for row in page.rows]) == (1, [3, 4])


def test_a_chain_that_fills_its_wave_stays_open_with_its_keys(serve: Callable[..., StandIn]) -> None:
    """pages_per_wave bounds what a crash can lose; the keys are there to go on with."""
    broker = serve({DescribeTopicPartitionsRequest: lambda request, _n: described_partitions({"a": 5}, request)})
    collect = replace(QUICK, page_limit=1, pages_per_wave=2)
    first, second = walk(broker, "DescribeTopicPartitions", "topics", ("a",), collect=collect)
    assert (first.open_keys, second.open_keys, second.next_cursor) == ((), ("a",), ("a", 2))


def test_a_repeated_cursor_is_an_error_not_a_loop(serve: Callable[..., StandIn]) -> None:

    def stuck(_request: Any, _n: int) -> Any:
        response = DescribeTopicPartitionsResponse
        cursor = response.Cursor(topic_name="a", partition_index=0)
        return response(throttle_time_ms=0, topics=[described_topic("a", [0])], next_cursor=cursor)

    pages = walk(serve({DescribeTopicPartitionsRequest: stuck}), "DescribeTopicPartitions", "topics", ("a",))
    assert pages[-1].error_code == ErrorCode.CURSOR_REPEATED
    assert len(pages) == 2


def _then(second: Callable[[Any], Any]) -> Callable[[Any, int], Any]:
    """An honest first page of two partitions, then something else."""
    return lambda request, n: (
        described_partitions({"a": 5}, request, limit=2) if n == 0 else second(DescribeTopicPartitionsResponse)
    )


@pytest.mark.parametrize(
    ("second", "words"),
    [
        pytest.param(
            lambda r: r(throttle_time_ms=0, topics=[described_topic("a", [])], next_cursor=None),
            "has no partition 2 any more",
            id="re-created with fewer partitions",
        ),
        pytest.param(
            lambda r: r(throttle_time_ms=0, topics=[described_topic("a", [2, 3], topic_id=OTHER_ID)], next_cursor=None),
            "its id changed",
            id="re-created with as many",
        ),
        pytest.param(
            lambda r: r(throttle_time_ms=0, topics=[described_topic("a", [2, 4])], next_cursor=None),
            "lacks partition 3",
            id="a partition left out",
        ),
    ],
)
def test_pages_that_do_not_follow_each_other_are_an_error_page(
    serve: Callable[..., StandIn], second: Callable[[Any], Any], words: str
) -> None:
    """A topic that changed between two pages is not published as one topic."""
    pages = walk(serve({DescribeTopicPartitionsRequest: _then(second)}), "DescribeTopicPartitions", "topics", ("a",))
    assert pages[-1].error_code == ErrorCode.INCONSISTENT_PAGES
    assert words in str(pages[-1].error_message)


def test_the_first_page_begins_with_the_first_partition(serve: Callable[..., StandIn]) -> None:
    """No cursor says so: a page lost before it would be lost in silence."""

    def late(request: Any, _n: int) -> Any:
        request.cursor = DescribeTopicPartitionsRequest.Cursor(topic_name="a", partition_index=2)
        return described_partitions({"a": 5}, request, limit=9)

    (page,) = walk(serve({DescribeTopicPartitionsRequest: late}), "DescribeTopicPartitions", "topics", ("a",))
    assert page.error_code == ErrorCode.INCONSISTENT_PAGES
    assert "topic 'a' lacks partition 0" in str(page.error_message)


def test_a_topic_deleted_during_the_walk_is_a_row_with_its_error(serve: Callable[..., StandIn]) -> None:
    """Asked by name, a topic that went away is answered, not left out."""
    broker = serve(
        {
            DescribeTopicPartitionsRequest: lambda request, n: described_partitions(
                {"a": 3, "b": 2} if n == 0 else {"b": 2}, request, limit=2
            )
        }
    )
    pages = walk(broker, "DescribeTopicPartitions", "topics", ("a", "b"))
    assert [page.error_code for page in pages] == [0, 0]
    assert [(row[0], row[3], row[4]) for page in pages for row in page.rows] == [
        ("a", 0, 0),
        ("a", 0, 1),
        ("a", 3, None),
        ("b", 0, 0),
        ("b", 0, 1),
    ]


def test_a_denied_topic_is_kept_once(serve: Callable[..., StandIn]) -> None:
    """A broker repeats denied names on every page, behind all others: they are the first rows of the first."""

    def denied(request: Any, _n: int) -> Any:
        answer = described_partitions({"a": 3}, request, limit=2)
        answer.topics.append(described_topic("z", [], code=29))
        return answer

    broker = serve({DescribeTopicPartitionsRequest: lambda request, n: denied(_without_z(request), n)})
    rows = [row for page in walk(broker, "DescribeTopicPartitions", "topics", ("a", "z")) for row in page.rows]
    assert [(row[0], row[3]) for row in rows] == [("z", 29), ("a", 0), ("a", 0), ("a", 0)]


def _without_z(request: Any) -> Any:
    request.topics = [topic for topic in request.topics if topic.name != "z"]
    return request


def test_a_broker_without_api_75_is_asked_by_metadata_windows(serve: Callable[..., StandIn]) -> None:
    """ApiVersions decides; the page says what went over the wire, and that the ELR is not known."""
    topic = MetadataResponse.MetadataResponseTopic
    part = topic.MetadataResponsePartition

    def metadata(request: Any, _n: int) -> Any:
        assert request.allow_auto_topic_creation is False
        return MetadataResponse(
            throttle_time_ms=0,
            brokers=[],
            cluster_id="k",
            controller_id=1,
            topics=[
                topic(
                    error_code=0,
                    name=one.name,
                    is_internal=False,
                    partitions=[
                        part(
                            error_code=0,
                            partition_index=0,
                            leader_id=1,
                            leader_epoch=0,
                            replica_nodes=[1],
                            isr_nodes=[1],
                            offline_replicas=[],
                        )
                    ],
                )
                for one in request.topics
            ],
        )

    broker = serve({MetadataRequest: metadata}, versions={MetadataRequest: (0, 9)})
    (page,) = walk(broker, "DescribeTopicPartitions", "topics", ("a", "b"))
    assert (page.api, page.api_version, page.paging) == ("Metadata", 9, "window")
    assert [(row[0], row[-1]) for row in page.rows] == [("a", False), ("b", False)]


def test_an_rpc_that_a_broker_lacks_is_a_page_that_says_so(serve: Callable[..., StandIn]) -> None:
    """Unsupported is a row, not an absence, and is not asked again."""
    broker = serve({MetadataRequest: lambda _request, _n: None})
    (page,) = walk(broker, "ListGroups", "groups")
    assert (page.error_code, page.attempts) == (ErrorCode.UNSUPPORTED_VERSION, 0)
    assert page.error_message == f"broker 1 at 127.0.0.1:{broker.endpoint.port} does not offer ListGroups"


def configs(request: Any) -> DescribeConfigsResponse:
    """An answer of DescribeConfigs for what was asked."""
    result = DescribeConfigsResponse.DescribeConfigsResult
    return DescribeConfigsResponse(
        throttle_time_ms=0,
        results=[
            result(error_code=0, error_message=None, resource_type=2, resource_name=one.resource_name, configs=[])
            for one in request.resources
        ],
    )


@pytest.mark.parametrize(
    "too_much",
    [
        pytest.param(Act(silent=True), id="no answer in time"),
        pytest.param(Act(configs, announce=2**30), id="oversized"),
    ],
)
def test_a_window_that_is_too_large_is_halved_and_grows_back(serve: Callable[..., StandIn], too_much: Act) -> None:
    """Every key is answered once; the window's first key is the cursor."""

    def answer(request: Any, _n: int) -> Any:
        if len(request.resources) > 2:
            return replace(too_much, response=configs(request))
        return configs(request)

    broker = serve({DescribeConfigsRequest: answer})
    keys = ("a", "b", "c", "d", "e")
    pages = walk(broker, "DescribeConfigs", "topics", keys)
    assert [row[1] for page in pages for row in page.rows] == list(keys)
    assert [page.error_code for page in pages] == [0] * len(pages)
    assert [page.request_cursor for page in pages[1:]] == [page.next_cursor for page in pages[:-1]]


def coordinators(request: Any, failing: set[str]) -> FindCoordinatorResponse:
    """A batched answer of FindCoordinator."""
    one = FindCoordinatorResponse.Coordinator
    return FindCoordinatorResponse(
        throttle_time_ms=0,
        coordinators=[
            one(key=key, node_id=-1, host="", port=-1, error_code=15, error_message="no")
            if key in failing
            else one(key=key, node_id=2, host="h", port=9, error_code=0, error_message=None)
            for key in request.coordinator_keys
        ],
    )


def test_unsettled_keys_alone_are_asked_again(serve: Callable[..., StandIn]) -> None:
    """A key that comes right is one good row; the settled ones are not asked twice."""
    broker = serve({FindCoordinatorRequest: lambda request, n: coordinators(request, {"b"} if n == 0 else set())})
    (page,) = walk(broker, "FindCoordinator", "groups", ("a", "b"))
    assert sorted((row[0], row[1]) for row in page.rows) == [("a", 0), ("b", 0)]
    assert [request.coordinator_keys for request in broker.asked] == [["a", "b"], ["b"]]


def test_a_coordinator_that_stays_away_is_a_row_after_bounded_rounds(serve: Callable[..., StandIn]) -> None:
    """A leader without the listener looks transient and is not."""
    broker = serve({FindCoordinatorRequest: lambda request, _n: coordinators(request, {"b"})})
    (page,) = walk(broker, "FindCoordinator", "groups", ("a", "b"))
    assert (page.error_code, len(broker.asked)) == (0, 3)
    assert sorted((row[0], row[1]) for row in page.rows) == [("a", 0), ("b", 15)]


def test_older_brokers_are_asked_one_key_at_a_time_and_it_is_counted(serve: Callable[..., StandIn]) -> None:
    """Below v4 there are no batches (KIP-699)."""
    response = FindCoordinatorResponse(
        throttle_time_ms=0, error_code=0, error_message=None, node_id=2, host="h", port=9
    )
    broker = serve({FindCoordinatorRequest: lambda _request, _n: response}, versions={FindCoordinatorRequest: (0, 3)})
    (page,) = walk(broker, "FindCoordinator", "groups", ("a", "b", "c"))
    assert [row[0] for row in page.rows] == ["a", "b", "c"]
    assert (page.attempts, page.api_version) == (3, 3)


def test_no_send_goes_above_what_kafka_4_3_1_defines(serve: Callable[..., StandIn]) -> None:
    """A future broker whose own next version means something else never receives it."""
    broker = serve(listing(listed_groups("a")), versions={ListGroupsRequest: (0, 6)})
    walk(broker, "ListGroups", "groups")
    assert broker.asked[0].API_VERSION == 5


def test_a_chain_gives_up_at_its_deadline(serve: Callable[..., StandIn]) -> None:
    """However many attempts are left, a chain takes no longer than chain_deadline_ms and a request."""
    collect = replace(QUICK, max_attempts=1000, retry_backoff_max_ms=50, chain_deadline_ms=400)
    start = time.monotonic()
    (page,) = walk(serve(listing(listed_groups(error_code=14))), "ListGroups", "groups", collect=collect)
    assert page.error_code == ErrorCode.DEADLINE_EXCEEDED
    assert "chain_deadline_ms" in str(page.error_message)
    assert time.monotonic() - start < 2
