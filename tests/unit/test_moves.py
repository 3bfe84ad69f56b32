"""Keys that move between their windows, and brokers that contradict each other; other moves: test_mixed_cluster.py."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse

from harness.responses import message
from harness.standin import Act, StandIn
from kafka_census.paging.page import Page
from kafka_messages.kip_1062 import DescribeGroupsRequest, DescribeGroupsResponse
from unit.walking import PATIENT, walk

NOT_COORDINATOR = 16


@dataclass
class Cluster:
    """Brokers that describe in windows the groups that are at them; broker 1 is the bootstrap server."""

    at: dict[str, int]
    brokers: dict[int, StandIn] = field(default_factory=dict)

    def describe(self, node: int, request: Any) -> Any:
        """DescribeGroups of one broker: each of its groups has one member."""
        member = {"members": [{"member_id": "m", "client_id": "c", "client_host": "h"}]}
        elsewhere = {"error_code": NOT_COORDINATOR}
        found = [{"group_id": one} | (member if self.at[one] == node else elsewhere) for one in request.groups]
        return message(DescribeGroupsResponse, groups=found)

    def coordinators(self, request: Any, _n: int) -> Any:
        """FindCoordinator of any broker."""
        at = [(key, self.brokers[self.at[key]].endpoint) for key in request.coordinator_keys]
        found = [{"key": key, "node_id": one.node_id, "host": one.host, "port": one.port} for key, one in at]
        return message(FindCoordinatorResponse, coordinators=found)

    def walk(self, keys: str) -> list[Page]:
        """The pages of a walk that begins at broker 1, each linked with the one before and without errors."""
        pages = walk(self.brokers[1], "DescribeGroups", "groups", tuple(keys), collect=PATIENT)
        assert [page.error_code for page in pages] == [0] * len(pages)
        assert [page.request_cursor for page in pages[1:]] == [page.next_cursor for page in pages[:-1]]
        return pages


@pytest.fixture
def cluster(serve: Callable[..., StandIn]) -> Callable[..., Cluster]:
    """Start a cluster of three brokers."""

    def start(**at: int) -> Cluster:
        made = Cluster(at)
        for node in (1, 2, 3):
            describe = {DescribeGroupsRequest: lambda request, _n, node=node: made.describe(node, request)}
            scripts = {**describe, FindCoordinatorRequest: made.coordinators}
            made.brokers[node] = serve(scripts, node_id=node, versions={DescribeGroupsRequest: (0, 6)})
        return made

    return start


def reported(pages: list[Page]) -> list[tuple[int, str, str | None, int]]:
    """Of each item: who answered, the group, the member and the group's error."""
    return [(page.chain.node_id, row[0], row[6], row[1]) for page in pages for row in page.rows]


def test_keys_that_move_again_between_their_windows_are_reported_once(cluster: Callable[..., Cluster]) -> None:
    """A window of another broker was halved: its remaining keys are located again, and returned keys are not."""
    groups = cluster(a=2, b=2, c=2, d=2)
    described = groups.describe

    def moves(node: int, request: Any) -> Any:
        answer = described(node, request)
        if node == 2 and len(request.groups) > 2:
            return Act(answer, announce=2**30)
        if node == 2:
            groups.at.update(a=3, c=3)
        return answer

    groups.describe = moves  # type: ignore[method-assign]
    assert reported(groups.walk("abcd")) == [(2, "a", "m", 0), (2, "b", "m", 0), (3, "c", "m", 0), (2, "d", "m", 0)]


def test_a_broker_that_contradicts_find_coordinator_is_reported_in_the_row(cluster: Callable[..., Cluster]) -> None:
    """After bounded rounds its answer stands: NOT_COORDINATOR is an item, not an absence."""
    groups = cluster(a=1, b=9)
    groups.brokers[9] = groups.brokers[2]
    assert reported(groups.walk("ab")) == [(1, "a", "m", 0), (2, "b", None, NOT_COORDINATOR)]
    assert len(groups.brokers[2].of(DescribeGroupsRequest)) == PATIENT.max_attempts
