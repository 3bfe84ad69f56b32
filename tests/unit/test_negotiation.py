"""Walks at nodes that page in another way from one connection to the next, or name a next page for ever."""

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kafka.protocol.admin import DescribeClusterRequest
from kafka.protocol.metadata import FindCoordinatorRequest

from emulator import asking
from harness.responses import described_configs, endless_groups, listed_groups
from harness.standin import Act, StandIn
from kafka_census.deletion.writing.coordinators import Coordinators
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Page
from kafka_census.kafka.protocol.retry import RETRIABLE
from kafka_census.kafka.protocol.settings import ClusterSettings
from kafka_census.kafka.rpc.describe_groups import DESCRIBE_GROUPS
from kafka_emulator.features import Speaks
from kafka_messages.kip_1062 import (
    MIN_INSYNC_REPLICAS,
    PAGINATION,
    DescribeConfigsRequest,
    DescribeGroupsRequest,
    ListGroupsRequest,
    ListGroupsResponse,
)
from unit.rpc.answers import answer
from unit.test_cluster_identity import cluster
from unit.walking import PATIENT, QUICK, Serve, paged, read_groups, walk

IDS = ("a", "b", "c", "d", "e")
TWO = replace(QUICK, page_limit=2)


GROUPS = ("a", "b", "c")


def names(pages: list[Page], column: int = 0) -> list[str]:
    return [row[column] for page in pages for row in page.rows]


@pytest.mark.parametrize(
    ("features", "offered", "version", "paging"),
    [
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
    scripts = {ListGroupsRequest: lambda request, _n: paged(IDS, request)}
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
            return paged(IDS, request)
        if PAGINATION in broker.features:
            broker.features.clear()
        else:
            broker.features[PAGINATION] = 1
        return Act(drop=True)

    broker = serve({ListGroupsRequest: answer}, features={PAGINATION: 1})
    pages = walk(broker, "ListGroups", "groups", collect=TWO)
    assert [page.error_code for page in pages] == [0] * (len(pages) - 1) + [ErrorCode.INCONSISTENT_PAGES]
    assert "pages in another way each time" in str(pages[-1].error_message)
    # The first page, and one after two changes; the fourth change ends the walk.
    assert len(pages) == TWO.max_attempts


LOADING = 14
PAUSE_MS = 400
BOUNDED = replace(PATIENT, max_empty_pages=5, max_waves=3)

pytestmark = pytest.mark.timeout(60)


def listing(serve: Serve, script: Callable[[Any, int], Any]) -> StandIn:
    return serve({ListGroupsRequest: script}, features={PAGINATION: 1})


def test_a_walk_for_ever_ends_in_an_error(serve: Serve) -> None:
    """Four empty pages and one with an item, again and again: what a broker hides from us may look so.

    (All waves of a walk, and empty pages alone: tests/spark/test_landing.py.)
    """
    broker, collect = listing(serve, endless_groups(items=False, every=5)), replace(BOUNDED, pages_per_wave=20)
    pages = walk(broker, "ListGroups", "groups", collect=collect)
    assert [page.error_code for page in pages] == [0] * 20
    assert len(names(pages)) == 4
    (last,) = walk(broker, "ListGroups", "groups", collect=collect, waves=BOUNDED.max_waves)
    assert last.error_code == ErrorCode.ENDLESS_WALK
    assert str(last.error_message).endswith("ListGroups: the walk did not end in 3 waves (collect.max_waves)")
    assert ErrorCode.ENDLESS_WALK not in RETRIABLE


def test_what_writes_comes_to_an_end_too(serve: Serve) -> None:
    def describe(request: Any, _n: int) -> Any:
        number = int(request.cursor.member_id or 0) if request.cursor else 0
        return answer("DescribeGroups", next_cursor={"group_id": "a", "member_id": str(number + 1)})

    broker = serve({DescribeGroupsRequest: describe}, features={PAGINATION: 1})
    here = {"key": "a", "node_id": 1, "host": "127.0.0.1", "port": broker.port}
    broker.scripts[FindCoordinatorRequest] = answer("FindCoordinator", coordinators=[here])
    settings = ClusterSettings("prod", (broker.address,))
    with Coordinators(settings, replace(BOUNDED, pages_per_wave=2, max_waves=1000)) as coordinators:
        reported = coordinators.ask(DESCRIBE_GROUPS, ["a"])
    assert reported["a"].error_code == ErrorCode.ENDLESS_WALK
    assert "5 pages in a row without an item (collect.max_empty_pages)" in str(reported["a"].error_message)
    assert len(broker.of(DescribeGroupsRequest)) == 5


def test_a_read_of_the_data_source_that_is_longer_than_a_wave_goes_on(serve: Serve, tmp_path: Path) -> None:
    """Until its chains have ended: a listing is never short in silence."""

    def seven(request: Any, _n: int) -> Any:
        number = int(request.cursor.group_id) if request.cursor else 0
        follows = ListGroupsResponse.Cursor(group_id=f"{number + 1:09d}") if number < 6 else None
        return listed_groups(f"{number:09d}", next_cursor=follows)

    broker = listing(serve, seven)
    broker.scripts[DescribeClusterRequest] = cluster("k", broker)
    rows = read_groups(tmp_path, broker.address, pages_per_wave=3)
    assert [item["group_id"] for row in rows for item in row["items"]] == [f"{number:09d}" for number in range(7)]
    assert [row["page_no"] for row in rows] == list(range(7))


@pytest.mark.parametrize(
    ("wait", "features", "versions", "paging", "cursors"),
    [
        # It still offers the draft's version number, which means something else there: the walk begins again without.
        ({"code": LOADING}, {}, [7, 6], "window", [None]),
        ({"throttle_ms": PAUSE_MS}, {}, [7, 6], "window", [None]),
        # The new connection has the feature, too: the walk goes on where it was, which costs a question and no page.
        ({"code": LOADING}, {PAGINATION: 1}, [7], "cursor", [None, ("b", ""), ("c", "")]),
    ],
    ids=["loading, without the feature", "throttled, without the feature", "loading, with the feature"],
)
def test_a_draft_frame_follows_a_restart_with_the_feature_alone(
    serve: Serve, wait: dict[str, int], features: dict[str, int], versions: list[int], paging: str, cursors: list[Any]
) -> None:
    def describe(request: Any, n: int) -> Any:
        """Groups without members, one per page where pages are asked for.

        After the first answer the broker has these features, and every connection ends.
        """
        now = wait if n == 0 else {}
        if n == 0:
            broker.features = features
            for sock in broker._sockets:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RD)
        start = request.cursor.group_id if request.cursor else ""
        rest = [one for one in sorted(request.groups) if one >= start]
        size = 1 if request.API_VERSION >= 7 else len(rest)
        found = [{"group_id": one, "error_code": now.get("code", 0)} for one in rest[:size]]
        follows = {"group_id": rest[size], "member_id": ""} if rest[size:] else None
        throttle_ms = now.get("throttle_ms", 0)
        return answer("DescribeGroups", throttle_time_ms=throttle_ms, groups=found, next_cursor=follows)

    broker = serve({DescribeGroupsRequest: describe}, features={PAGINATION: 1})
    collect = replace(PATIENT, retry_backoff_ms=PAUSE_MS, retry_backoff_max_ms=PAUSE_MS)
    pages = walk(broker, "DescribeGroups", "groups", GROUPS, collect=collect)
    asked = [request.API_VERSION for request in broker.of(DescribeGroupsRequest)]
    assert list(dict.fromkeys(asked)) == versions
    assert [(page.paging, page.error_code, page.request_cursor) for page in pages] == [
        (paging, 0, cursor) for cursor in cursors
    ]
    assert [row[0] for page in pages for row in page.rows] == list(GROUPS)
