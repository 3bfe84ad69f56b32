"""A broker that always names a next page: its walk ends as an error page that says so, in however many waves."""

from collections.abc import Callable
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
from kafka_census.error_codes import ErrorCode
from kafka_census.paging.page import Page
from kafka_census.protocol.retry import RETRIABLE
from kafka_census.protocol.settings import ClusterSettings, CollectSettings
from kafka_census.rpc.describe_groups import DESCRIBE_GROUPS
from kafka_messages.kip_1062 import PAGINATION, DescribeGroupsRequest, ListGroupsRequest, ListGroupsResponse
from unit.rpc.answers import answer
from unit.test_cluster_identity import cluster
from unit.walking import PATIENT, read_groups, walk

Serve = Callable[..., StandIn]
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


def read(serve: Serve, folder: Path, script: Callable[[Any, int], Any], **collect: int) -> list[dict[str, Any]]:
    broker = listing(serve, script)
    broker.scripts[DescribeClusterRequest] = cluster("k", broker)
    return read_groups(folder, broker.address, **collect)


def test_a_read_of_the_data_source_comes_to_an_end_too(serve: Serve, tmp_path: Path) -> None:
    rows = read(serve, tmp_path, endless_groups(items=False), pages_per_wave=2, max_empty_pages=5)
    assert [row["error"] for row in rows] == [None] * 4 + ["ENDLESS_WALK"]


def test_a_read_of_the_data_source_that_is_longer_than_a_wave_goes_on(serve: Serve, tmp_path: Path) -> None:
    """Until its chains have ended: a listing is never short in silence."""

    def seven(request: Any, _n: int) -> Any:
        number = int(request.cursor.group_id) if request.cursor else 0
        follows = ListGroupsResponse.Cursor(group_id=f"{number + 1:09d}") if number < 6 else None
        return listed_groups(f"{number:09d}", next_cursor=follows)

    rows = read(serve, tmp_path, seven, pages_per_wave=3)
    assert [item["group_id"] for row in rows for item in row["items"]] == [f"{number:09d}" for number in range(7)]
    assert [row["page_no"] for row in rows] == list(range(7))
