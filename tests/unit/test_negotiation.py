"""Draft fields go only to a node whose present connection says that it has them; a node may change its mind."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from kafka.protocol.admin import DescribeTopicPartitionsRequest

from harness.responses import described_configs, described_partitions
from harness.standin import Act, StandIn
from kafka_census.error_codes import ErrorCode
from kafka_census.paging.page import Page
from kafka_messages.kip_1062 import (
    MIN_INSYNC_REPLICAS,
    PAGINATION,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    ListGroupsRequest,
    ListGroupsResponse,
    MetadataRequest,
    MetadataResponse,
)
from unit.walking import QUICK, walk

Serve = Callable[..., StandIn]
IDS = ("a", "b", "c", "d", "e")
TWO = replace(QUICK, page_limit=2)


def listed(request: Any, ids: tuple[str, ...] = IDS) -> Any:
    """ListGroups of a broker that pages where it is asked to."""
    start = request.cursor.group_id if request.cursor else ""
    rest = [one for one in sorted(ids) if one >= start]
    limit = request.response_pagination_limit if request.API_VERSION >= 6 else len(rest)
    group = ListGroupsResponse.ListedGroup
    groups = [group(group_id=one, protocol_type="", group_state="Empty", group_type="classic") for one in rest[:limit]]
    follows = ListGroupsResponse.Cursor(group_id=rest[limit]) if rest[limit:] else None
    return ListGroupsResponse(throttle_time_ms=0, error_code=0, groups=groups, next_cursor=follows)


def names(pages: list[Page]) -> list[str]:
    return [row[0] for page in pages for row in page.rows]


@pytest.mark.parametrize(
    ("features", "version", "paging"),
    [
        pytest.param({}, 5, "whole", id="offered without the feature"),
        pytest.param({PAGINATION: 0}, 5, "whole", id="level 0"),
        pytest.param({MIN_INSYNC_REPLICAS: 1}, 5, "whole", id="another feature"),
        pytest.param({PAGINATION: 1}, 6, "cursor", id="with the feature"),
        pytest.param({PAGINATION: 7}, 6, "cursor", id="a later level"),
    ],
)
def test_a_version_with_draft_fields_is_sent_only_with_the_feature(
    serve: Serve, features: dict[str, int], version: int, paging: str
) -> None:
    """A broker that offers ListGroups 0-6 without saying what its 6 is receives 5."""
    broker = serve({ListGroupsRequest: lambda request, _n: listed(request)}, features=features)
    pages = walk(broker, "ListGroups", "groups", collect=TWO)
    assert {request.API_VERSION for request in broker.of(ListGroupsRequest)} == {version}
    assert {(page.api_version, page.paging) for page in pages} == {(version, paging)}
    assert names(pages) == list(IDS)


def test_the_feature_without_the_version_is_of_no_use(serve: Serve) -> None:
    broker = serve(
        {ListGroupsRequest: lambda request, _n: listed(request)},
        features={PAGINATION: 1},
        versions={ListGroupsRequest: (0, 5)},
    )
    assert walk(broker, "ListGroups", "groups")[0].api_version == 5


def metadata(request: Any, *, pages: bool) -> Any:
    """Metadata of two topics of three partitions, min.insync.replicas 2; in pages or whole."""
    topic, broker = MetadataResponse.MetadataResponseTopic, MetadataResponse.MetadataResponseBroker
    every = [(name, index) for name in ("orders", "payments") for index in range(3)]
    start = (request.cursor.topic_name, request.cursor.partition_index) if request.cursor else ("", 0)
    rest = [one for one in every if one >= start]
    limit = request.response_pagination_limit if pages else len(rest)
    topics = [
        topic(
            error_code=0,
            name=name,
            is_internal=False,
            authorized_operations={31},
            min_insync_replicas=2,
            partitions=[_partition(index) for of, index in rest[:limit] if of == name],
        )
        for name in dict.fromkeys(name for name, _ in rest[:limit])
    ]
    follows = None
    if rest[limit:]:
        follows = MetadataResponse.Cursor(topic_name=rest[limit][0], partition_index=rest[limit][1])
    return MetadataResponse(
        throttle_time_ms=0,
        brokers=[broker(node_id=1, host="h", port=9, rack=None)],
        cluster_id="k",
        controller_id=1,
        topics=topics,
        next_cursor=follows,
    )


def _partition(index: int) -> Any:
    lists = {"replica_nodes": [1], "isr_nodes": [1], "offline_replicas": []}
    part = MetadataResponse.MetadataResponseTopic.MetadataResponsePartition
    return part(error_code=0, partition_index=index, leader_id=1, leader_epoch=0, **lists)


@pytest.mark.parametrize(
    ("features", "version", "paging", "min_isr"),
    [
        ((), 13, "whole", None),
        ((PAGINATION,), 14, "cursor", None),
        ((MIN_INSYNC_REPLICAS,), 15, "whole", 2),
        ((PAGINATION, MIN_INSYNC_REPLICAS), 15, "cursor", 2),
    ],
)
def test_metadata_has_four_shapes(
    serve: Serve, features: tuple[str, ...], version: int, paging: str, min_isr: int | None
) -> None:
    """The two features are independent; whatever the shape, each topic is one item with all of its partitions."""
    broker = serve(
        {MetadataRequest: lambda request, _n: metadata(request, pages=PAGINATION in features)},
        features=dict.fromkeys(features, 1),
    )
    pages = walk(broker, "Metadata", "names", collect=TWO)
    assert {(page.api_version, page.paging, page.error_code) for page in pages} == {(version, paging, 0)}
    assert [(row[0], row[3], row[5]) for page in pages for row in page.rows] == [
        ("orders", 3, min_isr),
        ("payments", 3, min_isr),
    ]


def test_a_node_that_pages_metadata_without_saying_so_is_not_short(serve: Serve) -> None:
    broker = serve(
        {MetadataRequest: lambda request, _n: metadata(replaced_limit(request), pages=True)},
        features={MIN_INSYNC_REPLICAS: 1},
    )
    (page,) = walk(broker, "Metadata", "names")
    assert (page.error_code, page.rows) == (-107, ())
    assert "a whole answer names a next page" in str(page.error_message)


def replaced_limit(request: Any) -> Any:
    request.response_pagination_limit = min(request.response_pagination_limit, 2)
    return request


def test_a_broker_that_is_downgraded_during_a_walk_is_asked_for_everything_again(serve: Serve) -> None:
    """The page that follows has no request cursor and holds all: it starts the chain over."""

    def answer(request: Any, n: int) -> Any:
        if n == 2:
            broker.features.clear()
            return Act(drop=True)
        return listed(request)

    broker = serve({ListGroupsRequest: answer}, features={PAGINATION: 1})
    first, *again = walk(broker, "ListGroups", "groups", collect=replace(QUICK, page_limit=3))
    assert (first.paging, first.next_cursor, names([first])) == ("cursor", ("d",), ["a", "b", "c"])
    assert {(page.page_no, page.paging, page.request_cursor) for page in again} == {(1, "whole", None)}
    assert names(again) == list(IDS)


def test_a_broker_that_is_upgraded_during_a_walk_is_walked_from_the_start(serve: Serve) -> None:
    """A window's key is no cursor of the broker's: the walk begins again, by cursor."""
    keys = ("a", "b", "c", "d")

    def answer(request: Any, n: int) -> Any:
        if n == 0:
            return Act(described_configs(request), announce=2**30)
        if n == 2:
            broker.features[PAGINATION] = 1
            return Act(drop=True)
        return described_configs(request)

    broker = serve({DescribeConfigsRequest: answer})
    window, again = walk(broker, "DescribeConfigs", "topics", keys)
    assert (window.paging, [row[1] for row in window.rows], window.next_cursor) == ("window", ["a", "b"], (0, "c"))
    assert (again.paging, again.page_no, again.request_cursor) == ("cursor", 1, None)
    assert [row[1] for row in again.rows] == list(keys)


def test_a_node_that_changes_each_time_does_not_keep_a_walk_for_ever(serve: Serve) -> None:
    """After as many changes as attempts the chain ends in an error page."""

    def answer(request: Any, _n: int) -> Any:
        if request.cursor is None and request.API_VERSION == 6:
            return listed(request)
        if PAGINATION in broker.features:
            broker.features.clear()
        else:
            broker.features[PAGINATION] = 1
        return Act(drop=True)

    broker = serve({ListGroupsRequest: answer}, features={PAGINATION: 1})
    pages = walk(broker, "ListGroups", "groups", collect=TWO)
    assert [page.error_code for page in pages] == [0] * (len(pages) - 1) + [ErrorCode.INCONSISTENT_PAGES]
    assert "pages in another way each time" in str(pages[-1].error_message)
    assert len(pages) <= TWO.max_attempts + 1


@pytest.mark.parametrize(
    ("value", "asked"), [("3", 3), ("5000", 4), (None, 4)], ids=["lower than ours", "higher", "not reported"]
)
def test_no_page_is_asked_larger_than_the_broker_says_it_gives(serve: Serve, value: str | None, asked: int) -> None:
    """max.request.pagination.size.limit of each node, read once; where it is not reported, ours."""

    def configured(request: Any, _n: int) -> Any:
        (resource,) = request.resources
        assert (resource.resource_type, resource.resource_name) == (4, "1")
        answer = described_configs(request, str(value))
        answer.results[0].configs[0].name = resource.configuration_keys[0]
        return answer if value else DescribeConfigsResponse(throttle_time_ms=0, results=[])

    broker = serve(
        {ListGroupsRequest: lambda request, _n: listed(request), DescribeConfigsRequest: configured},
        features={PAGINATION: 1},
    )
    pages = walk(broker, "ListGroups", "groups", collect=replace(QUICK, page_limit=4))
    limits = [request.response_pagination_limit for request in broker.of(ListGroupsRequest)]
    assert limits == [asked, 1, *[asked] * (len(pages) - 1)]
    assert len(broker.of(DescribeConfigsRequest)) == 1
    assert {page.page_limit for page in pages} == {asked}
    assert names(pages) == list(IDS)


def test_windows_say_how_many_keys_they_asked_for(serve: Serve) -> None:
    broker = serve(
        {DescribeConfigsRequest: lambda request, _n: described_configs(request)},
        versions={DescribeConfigsRequest: (0, 4)},
    )
    (page,) = walk(broker, "DescribeConfigs", "topics", ("a", "b", "c"))
    assert (page.paging, page.page_limit) == ("window", 3)


def test_topic_partitions_have_a_limit_of_their_own(serve: Serve) -> None:
    """DescribeTopicPartitions is bounded by max.request.partition.size.limit (KIP-966)."""
    asked = []

    def configured(request: Any, _n: int) -> Any:
        asked.extend(request.resources[0].configuration_keys)
        answer = described_configs(request, "2")
        answer.results[0].configs[0].name = asked[-1]
        return answer

    broker = serve(
        {
            DescribeTopicPartitionsRequest: lambda request, _n: described_partitions({"a": 3}, request),
            DescribeConfigsRequest: configured,
        }
    )
    pages = walk(broker, "DescribeTopicPartitions", "topics", ("a",))
    assert asked == ["max.request.partition.size.limit"]
    assert [len(page.rows) for page in pages] == [2, 1]
