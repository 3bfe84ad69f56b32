"""Coordinators and leaders that move during a walk: keys are located again and asked there, from the same cursor."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import pytest
from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse

from harness.standin import Act, StandIn
from kafka_census.paging.page import Page
from kafka_messages.kip_1062 import (
    PAGINATION,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    MetadataRequest,
    MetadataResponse,
)
from unit.walking import PATIENT, QUICK, walk

Serve = Callable[..., StandIn]
NOT_LEADER, NOT_COORDINATOR, NOT_AVAILABLE = 6, 16, 15
WINDOWS = {DescribeGroupsRequest: (0, 6), ListOffsetsRequest: (0, 11), MetadataRequest: (0, 13)}


@dataclass
class Cluster:
    """Brokers and where their groups (with members) and partitions are; broker 1 is the bootstrap server."""

    groups: Mapping[str, tuple[str, ...]]
    at: dict[str, int]
    brokers: dict[int, StandIn] = field(default_factory=dict)
    placeable: bool = True
    dead: set[int] = field(default_factory=set)

    def describe(self, node: int, request: Any) -> Any:
        """DescribeGroups of one broker, in pages where it is asked for them."""
        if node in self.dead:
            return Act(drop=True)
        group = DescribeGroupsResponse.DescribedGroup
        empty = {"protocol_type": "", "protocol_data": "", "authorized_operations": None, "error_message": None}
        start = (request.cursor.group_id, request.cursor.member_id) if request.cursor else ("", "")
        left = request.response_pagination_limit if request.API_VERSION >= 7 else 1000
        found, follows = [], None
        for name in sorted(one for one in request.groups if one >= start[0]):
            if self.at[name] != node:
                found.append(group(error_code=NOT_COORDINATOR, group_id=name, group_state="", members=[], **empty))
                continue
            rest = [one for one in self.groups[name] if (name, one) >= start]
            if left and rest:
                members = [self._member(one) for one in rest[:left]]
                found.append(group(error_code=0, group_id=name, group_state="Stable", members=members, **empty))
            if rest[left:]:
                follows = DescribeGroupsResponse.Cursor(group_id=name, member_id=rest[left])
                break
            left -= len(rest[:left])
        return DescribeGroupsResponse(throttle_time_ms=0, groups=found, next_cursor=follows)

    def _member(self, member_id: str) -> Any:
        member = DescribeGroupsResponse.DescribedGroup.DescribedGroupMember
        who = {"group_instance_id": None, "client_id": "c", "client_host": "h"}
        return member(member_id=member_id, member_metadata=b"", member_assignment=b"", **who)

    def coordinators(self, request: Any) -> Any:
        """FindCoordinator of any broker."""
        one = FindCoordinatorResponse.Coordinator
        answers = []
        for key in request.coordinator_keys:
            endpoint = self.brokers[self.at[key]].endpoint
            where = {"host": endpoint.host, "port": endpoint.port, "error_code": 0, "error_message": None}
            if not self.placeable:
                where = {"host": "", "port": -1, "error_code": NOT_AVAILABLE, "error_message": "no"}
            answers.append(one(key=key, node_id=endpoint.node_id if self.placeable else -1, **where))
        return FindCoordinatorResponse(throttle_time_ms=0, coordinators=answers)


@pytest.fixture
def cluster(serve: Serve) -> Callable[..., Cluster]:
    """Start a cluster whose brokers offer DescribeGroups, by cursor if they have the feature."""

    def start(groups: Mapping[str, tuple[str, ...]], at: dict[str, int], *, paged: bool = False) -> Cluster:
        made = Cluster(groups, at)
        for node in (1, 2, 3):
            made.brokers[node] = serve(
                {
                    DescribeGroupsRequest: lambda request, _n, node=node: made.describe(node, request),
                    FindCoordinatorRequest: lambda request, _n: made.coordinators(request),
                },
                node_id=node,
                features={PAGINATION: 1} if paged else {},
                versions={} if paged else WINDOWS,
            )
        return made

    return start


def reported(pages: list[Page]) -> list[tuple[int, str, str | None, int]]:
    """Of each item: who answered, the group, the member and the group's error."""
    return [(page.chain.node_id, row[0], row[6], row[1]) for page in pages for row in page.rows]


def test_keys_that_are_elsewhere_are_asked_there(cluster: Callable[..., Cluster]) -> None:
    groups = cluster({"a": ("m",), "b": ("m",), "c": ("m",)}, {"a": 1, "b": 2, "c": 1})
    pages = walk(groups.brokers[1], "DescribeGroups", "groups", ("a", "b", "c"))
    assert reported(pages) == [(1, "a", "m", 0), (1, "c", "m", 0), (2, "b", "m", 0)]
    assert pages[-1].next_cursor is None
    assert [page.request_cursor for page in pages[1:]] == [page.next_cursor for page in pages[:-1]]


def test_keys_that_went_to_several_brokers_are_asked_at_each(cluster: Callable[..., Cluster]) -> None:
    groups = cluster(dict.fromkeys("abcd", ("m",)), {"a": 2, "b": 3, "c": 2, "d": 3})
    pages = walk(groups.brokers[1], "DescribeGroups", "groups", tuple("abcd"))
    assert sorted(reported(pages)) == [(2, "a", "m", 0), (2, "c", "m", 0), (3, "b", "m", 0), (3, "d", "m", 0)]
    assert [len(page.rows) for page in pages] == [0, 2, 2]


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_a_coordinator_that_moves_during_a_large_group_keeps_the_cursor(
    cluster: Callable[..., Cluster], limit: int
) -> None:
    """The new coordinator is asked from the member at which the walk had come."""
    members = tuple(f"m{n}" for n in range(7))
    groups = cluster({"a": ("x",), "big": members, "z": ("y",)}, {"a": 1, "big": 1, "z": 1}, paged=True)
    described = groups.describe

    def moves(node: int, request: Any) -> Any:
        answer = described(node, request)
        if groups.brokers[1].of(DescribeGroupsRequest)[2:]:
            groups.at["big"] = 2
        return answer

    groups.describe = moves  # type: ignore[method-assign]
    pages = walk(
        groups.brokers[1], "DescribeGroups", "groups", ("a", "big", "z"), collect=replace(QUICK, page_limit=limit)
    )
    assert sorted(row[1:] for row in reported(pages)) == sorted(
        [("a", "x", 0), ("z", "y", 0)] + [("big", m, 0) for m in members]
    )
    assert pages[-1].next_cursor is None
    if limit == 2:
        (first, *_) = groups.brokers[2].of(DescribeGroupsRequest)
        assert (first.groups, first.cursor.group_id) == (["big"], "big")
        assert first.cursor.member_id > "m0"


def test_a_walk_goes_on_from_a_landed_position_elsewhere(cluster: Callable[..., Cluster]) -> None:
    """A crash between two pages loses neither the keys that are elsewhere nor where the walk goes on after them."""
    groups = cluster(dict.fromkeys("abcd", ("m",)), {"a": 1, "b": 2, "c": 1, "d": 3})
    keys = tuple("abcd")
    pages = walk(groups.brokers[1], "DescribeGroups", "groups", keys)
    for page, following in pairwise(pages):
        rest = walk(
            groups.brokers[1], "DescribeGroups", "groups", keys, cursor=page.next_cursor, page_no=following.page_no
        )
        assert reported(rest) == reported(pages[following.page_no :])


def test_keys_that_move_again_between_their_windows_are_reported_once(cluster: Callable[..., Cluster]) -> None:
    """A window of another broker was halved: its remaining keys are located again, and returned keys are not."""
    groups = cluster(dict.fromkeys("abcd", ("m",)), dict.fromkeys("abcd", 2))
    described = groups.describe

    def moves(node: int, request: Any) -> Any:
        answer = described(node, request)
        if node == 2 and len(request.groups) > 2:
            return Act(answer, announce=2**30)
        if node == 2:
            groups.at.update(a=3, c=3)
        return answer

    groups.describe = moves  # type: ignore[method-assign]
    pages = walk(groups.brokers[1], "DescribeGroups", "groups", tuple("abcd"), collect=PATIENT)
    assert reported(pages) == [(2, "a", "m", 0), (2, "b", "m", 0), (3, "c", "m", 0), (2, "d", "m", 0)]
    assert [page.error_code for page in pages] == [0] * len(pages)
    assert [page.request_cursor for page in pages[1:]] == [page.next_cursor for page in pages[:-1]]


def test_a_coordinator_that_dies_is_looked_for(cluster: Callable[..., Cluster]) -> None:
    """No answer at all: the keys are located again before the next attempt."""
    groups = cluster({"a": ("m",), "b": ("m",)}, {"a": 2, "b": 2})
    groups.dead.add(3)
    pages = walk(groups.brokers[3], "DescribeGroups", "groups", ("a", "b"), bootstrap=groups.brokers[1])
    assert reported(pages) == [(2, "a", "m", 0), (2, "b", "m", 0)]


def test_a_broker_that_contradicts_find_coordinator_is_reported_in_the_row(cluster: Callable[..., Cluster]) -> None:
    """After bounded rounds its answer stands: NOT_COORDINATOR is an item, not an absence."""
    groups = cluster({"a": ("m",), "b": ("m",)}, {"a": 1, "b": 9})
    groups.brokers[9] = groups.brokers[2]
    pages = walk(groups.brokers[1], "DescribeGroups", "groups", ("a", "b"))
    assert reported(pages) == [(1, "a", "m", 0), (2, "b", None, NOT_COORDINATOR)]
    assert len(groups.brokers[2].of(DescribeGroupsRequest)) == QUICK.max_attempts


def test_keys_that_nobody_can_place_keep_the_answer_they_got(cluster: Callable[..., Cluster]) -> None:
    """FindCoordinator fails: the broker that was asked has the last word."""
    groups = cluster({"a": ("m",), "b": ("m",)}, {"a": 1, "b": 2})
    groups.placeable = False
    pages = walk(groups.brokers[1], "DescribeGroups", "groups", ("a", "b"))
    assert reported(pages) == [(1, "a", "m", 0), (1, "b", None, NOT_COORDINATOR)]


@pytest.mark.parametrize("paged", [False, True], ids=["windows", "cursor"])
def test_leaders_that_moved_are_followed(serve: Serve, paged: bool) -> None:
    leaders = {("t", 0): 1, ("t", 1): 2, ("u", 0): 1}
    brokers: dict[int, StandIn] = {}

    def offsets(node: int, request: Any) -> Any:
        topic = ListOffsetsResponse.ListOffsetsTopicResponse
        part = topic.ListOffsetsPartitionResponse
        every = sorted((one.name, p.partition_index) for one in request.topics for p in one.partitions)
        start = (request.cursor.topic_name, request.cursor.partition_index) if request.cursor else ("", 0)
        rest = [position for position in every if position >= start]
        limit = request.response_pagination_limit if request.API_VERSION >= 12 else len(rest)
        found = {"timestamp": -1, "leader_epoch": 0}
        topics = [
            topic(
                name=name,
                partitions=[
                    part(
                        partition_index=index,
                        error_code=0 if leaders[name, index] == node else NOT_LEADER,
                        offset=10 * node if leaders[name, index] == node else -1,
                        **found,
                    )
                    for of, index in rest[:limit]
                    if of == name
                ],
            )
            for name in dict.fromkeys(name for name, _ in rest[:limit])
        ]
        follows = None
        if rest[limit:]:
            follows = ListOffsetsResponse.Cursor(topic_name=rest[limit][0], partition_index=rest[limit][1])
        return ListOffsetsResponse(throttle_time_ms=0, topics=topics, next_cursor=follows)

    for node in (1, 2):
        brokers[node] = serve(
            {
                ListOffsetsRequest: lambda request, _n, node=node: offsets(node, request),
                MetadataRequest: lambda request, _n: _leaders(brokers, leaders, request),
            },
            node_id=node,
            features={PAGINATION: 1} if paged else {},
        )
    collect = replace(QUICK, page_limit=2)
    pages = walk(brokers[1], "ListOffsets", "latest", ("t/0", "t/1", "u/0"), collect=collect)
    assert sorted((row[0], row[1], row[2], row[3]) for page in pages for row in page.rows) == [
        ("t", 0, 0, 10),
        ("t", 1, 0, 20),
        ("u", 0, 0, 10),
    ]
    assert {page.paging for page in pages} == {"cursor" if paged else "window"}


def _leaders(brokers: dict[int, StandIn], leaders: dict[tuple[str, int], int], request: Any) -> Any:
    """Metadata of the named topics; creating one is not allowed."""
    assert request.allow_auto_topic_creation is False
    topic, broker = MetadataResponse.MetadataResponseTopic, MetadataResponse.MetadataResponseBroker
    lists = {"replica_nodes": [1, 2], "isr_nodes": [1, 2], "offline_replicas": []}

    def part(index: int, leader: int) -> Any:
        kind = topic.MetadataResponsePartition
        return kind(error_code=0, partition_index=index, leader_id=leader, leader_epoch=0, **lists)

    return MetadataResponse(
        throttle_time_ms=0,
        brokers=[
            broker(node_id=node, host=one.endpoint.host, port=one.endpoint.port, rack=None)
            for node, one in brokers.items()
        ],
        cluster_id="k",
        controller_id=1,
        topics=[
            topic(
                error_code=0,
                name=name,
                is_internal=False,
                authorized_operations={31},
                partitions=[part(index, leader) for (of, index), leader in leaders.items() if of == name],
            )
            for name in (one.name for one in request.topics)
        ],
    )
