"""Draft fields go only to a node whose present connection says that it has them; a node may change its mind."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from emulator import asking
from harness.responses import described_configs, message
from harness.standin import Act, StandIn
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Page
from kafka_emulator.features import Speaks
from kafka_messages.kip_1062 import (
    MIN_INSYNC_REPLICAS,
    PAGINATION,
    DescribeConfigsRequest,
    ListGroupsRequest,
    ListGroupsResponse,
)
from unit.walking import QUICK, walk

Serve = Callable[..., StandIn]
IDS = ("a", "b", "c", "d", "e")
TWO = replace(QUICK, page_limit=2)


def listed(request: Any) -> Any:
    """ListGroups of a broker that pages where it is asked to."""
    start = request.cursor.group_id if request.cursor else ""
    rest = [one for one in IDS if one >= start]
    limit = request.response_pagination_limit if request.API_VERSION >= 6 else len(rest)
    follows = ListGroupsResponse.Cursor(group_id=rest[limit]) if rest[limit:] else None
    return message(ListGroupsResponse, groups=[{"group_id": one} for one in rest[:limit]], next_cursor=follows)


def names(pages: list[Page], column: int = 0) -> list[str]:
    return [row[column] for page in pages for row in page.rows]


@pytest.mark.parametrize(
    ("features", "offered", "version", "paging"),
    [
        pytest.param({}, 6, 5, "whole", id="offered without the feature"),
        pytest.param({PAGINATION: 0}, 6, 5, "whole", id="level 0"),
        pytest.param({MIN_INSYNC_REPLICAS: 1}, 6, 5, "whole", id="another feature"),
        pytest.param({PAGINATION: 1}, 5, 5, "whole", id="the feature without the version"),
        pytest.param({PAGINATION: 1}, 6, 6, "cursor", id="with the feature"),
        pytest.param({PAGINATION: 7}, 6, 6, "cursor", id="a later level"),
    ],
)
def test_a_version_with_draft_fields_is_sent_only_with_the_feature(
    serve: Serve, features: dict[str, int], offered: int, version: int, paging: str
) -> None:
    """A broker that offers ListGroups 0-6 without saying what its 6 is receives 5."""
    scripts = {ListGroupsRequest: lambda request, _n: listed(request)}
    broker = serve(scripts, features=features, versions={ListGroupsRequest: (0, offered)})
    pages = walk(broker, "ListGroups", "groups", collect=TWO)
    assert {request.API_VERSION for request in broker.of(ListGroupsRequest)} == {version}
    assert {(page.api_version, page.paging) for page in pages} == {(version, paging)}
    assert names(pages) == list(IDS)


@pytest.mark.parametrize(
    ("kip_1062", "kip_637", "version", "paging"),
    [(False, False, 13, "whole"), (True, False, 14, "cursor"), (False, True, 15, "whole"), (True, True, 15, "cursor")],
)
def test_metadata_has_four_shapes(kip_1062: bool, kip_637: bool, version: int, paging: str) -> None:
    """The two features are independent; whatever the shape, each topic is one item with all of its partitions."""
    topics = [{"name": name, "partitions": 3, "configs": {"min.insync.replicas": "2"}} for name in ("a", "b")]
    server = asking.cluster(
        topics={"partitions": 0, "declared": topics}, groups={"count": 0}, transactions={"count": 0}
    )
    server.speaks = dict.fromkeys(server.speaks, Speaks(kip_1062=kip_1062, kip_637=kip_637))
    with asking.serving(server):
        pages = asking.walk(server, "Metadata", "names", collect=TWO)
    assert {(page.api_version, page.paging, page.error_code) for page in pages} == {(version, paging, 0)}
    found = [(row[0], row[3], row[5]) for page in pages for row in page.rows if row[0] in ("a", "b")]
    assert found == [(name, 3, 2 if kip_637 else None) for name in ("a", "b")]


def test_a_broker_that_is_upgraded_during_a_walk_is_walked_from_the_start(serve: Serve) -> None:
    """A window's key is no cursor of the broker's: the walk begins again, by cursor. Its limit is its size."""

    def answer(request: Any, n: int) -> Any:
        if n == 0:
            return Act(described_configs(request), announce=2**30)
        if n == 2:
            broker.features[PAGINATION] = 1
            return Act(drop=True)
        return described_configs(request)

    broker = serve({DescribeConfigsRequest: answer})
    window, again = walk(broker, "DescribeConfigs", "topics", tuple("abcd"))
    assert (window.paging, window.page_limit, window.next_cursor) == ("window", 2, (0, "c"))
    assert (again.paging, again.page_no, again.request_cursor) == ("cursor", 1, None)
    assert (names([window], 1), names([again], 1)) == (["a", "b"], ["a", "b", "c", "d"])


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
