"""Walks at a broker that always names a next page, or that is restarted while a page waits."""

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kafka.protocol.admin import DescribeClusterRequest
from kafka.protocol.metadata import FindCoordinatorRequest

from harness.endless import endless_groups
from harness.responses import listed_groups
from harness.standin import StandIn
from kafka_census.deletion.writing.coordinators import Coordinators
from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.page import Page
from kafka_census.kafka.protocol.retry import RETRIABLE
from kafka_census.kafka.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.kafka.rpc.describe_groups import DESCRIBE_GROUPS
from kafka_messages.kip_1062 import PAGINATION, DescribeGroupsRequest, ListGroupsRequest, ListGroupsResponse
from unit.rpc.answers import answer
from unit.test_cluster_identity import cluster
from unit.walking import PATIENT, read_groups, walk

Serve = Callable[..., StandIn]
GROUPS = ("a", "b", "c")
LOADING = 14
PAUSE_MS = 400
BOUNDED = replace(PATIENT, max_empty_pages=5, max_waves=3)

pytestmark = pytest.mark.timeout(60)


def listing(serve: Serve, script: Callable[[Any, int], Any]) -> StandIn:
    return serve({ListGroupsRequest: script}, features={PAGINATION: 1})


def walked(broker: StandIn, collect: CollectSettings) -> list[Page]:
    """The pages of a walk, wave after wave as a census plans them."""
    pages = walk(broker, "ListGroups", "groups", collect=collect)
    while pages[-1].goes_on:
        chain = pages[-1].next_wave()
        where = {"page_no": chain.page_no, "cursor": chain.cursor}
        behind = {"waves": chain.waves, "empty_pages": chain.empty_pages}
        pages += walk(broker, "ListGroups", "groups", collect=collect, **where, **behind)
    return pages


@pytest.mark.parametrize("a_wave", [1, 2, 100])
def test_empty_pages_for_ever_end_in_an_error(serve: Serve, a_wave: int) -> None:
    pages = walked(listing(serve, endless_groups(items=False)), replace(BOUNDED, pages_per_wave=a_wave, max_waves=1000))
    assert [page.error_code for page in pages] == [0] * 4 + [ErrorCode.ENDLESS_WALK]
    said = "ListGroups: 5 pages in a row without an item (collect.max_empty_pages)"
    assert str(pages[-1].error_message).endswith(said)
    assert ErrorCode.ENDLESS_WALK not in RETRIABLE


def test_pages_with_items_in_between_are_no_end(serve: Serve) -> None:
    """Four empty ones in a row, again and again: what a broker hides from us may look so."""
    pages = walked(listing(serve, endless_groups(items=False, every=5)), replace(BOUNDED, pages_per_wave=20))
    assert [page.error_code for page in pages] == [0] * 60 + [ErrorCode.ENDLESS_WALK]
    assert sum(len(page.rows) for page in pages) == 12
    assert str(pages[-1].error_message).endswith("ListGroups: the walk did not end in 3 waves (collect.max_waves)")


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


def described(request: Any, code: int = 0, throttle_time_ms: int = 0) -> Any:
    """DescribeGroups of groups without members, one per page where pages are asked for."""
    start = request.cursor.group_id if request.cursor else ""
    rest = [one for one in sorted(request.groups) if one >= start]
    size = 1 if request.API_VERSION >= 7 else len(rest)
    found = [{"group_id": one, "error_code": code} for one in rest[:size]]
    follows = {"group_id": rest[size], "member_id": ""} if rest[size:] else None
    return answer("DescribeGroups", throttle_time_ms=throttle_time_ms, groups=found, next_cursor=follows)


def restart(broker: StandIn, features: dict[str, int]) -> None:
    """From now on it has these features, and every connection ends after the answer that is under way."""
    broker.features = features
    for sock in broker._sockets:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RD)


@pytest.mark.parametrize(
    ("wait", "features", "versions", "paging", "cursors"),
    [
        # It still offers the draft's version number, which means something else there: the walk begins again without.
        ({"code": LOADING}, {}, [7, 6], "window", [None]),
        ({"throttle_time_ms": PAUSE_MS}, {}, [7, 6], "window", [None]),
        # The new connection has the feature, too: the walk goes on where it was, which costs a question and no page.
        ({"code": LOADING}, {PAGINATION: 1}, [7], "cursor", [None, ("b", ""), ("c", "")]),
    ],
    ids=["loading, without the feature", "throttled, without the feature", "loading, with the feature"],
)
def test_a_draft_frame_follows_a_restart_with_the_feature_alone(
    serve: Serve, wait: dict[str, int], features: dict[str, int], versions: list[int], paging: str, cursors: list[Any]
) -> None:
    def describe(request: Any, n: int) -> Any:
        if n == 0:
            restart(broker, features)
        return described(request, **wait if n == 0 else {})

    broker = serve({DescribeGroupsRequest: describe}, features={PAGINATION: 1})
    collect = replace(PATIENT, retry_backoff_ms=PAUSE_MS, retry_backoff_max_ms=PAUSE_MS)
    pages = walk(broker, "DescribeGroups", "groups", GROUPS, collect=collect)
    asked = [request.API_VERSION for request in broker.of(DescribeGroupsRequest)]
    assert list(dict.fromkeys(asked)) == versions
    assert [(page.paging, page.error_code, page.request_cursor) for page in pages] == [
        (paging, 0, cursor) for cursor in cursors
    ]
    assert [row[0] for page in pages for row in page.rows] == list(GROUPS)
