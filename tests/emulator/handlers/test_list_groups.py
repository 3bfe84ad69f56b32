"""ListGroups: what a broker coordinates, filtered, and by authorization."""

from typing import Any

import pytest

from emulator.asking import ask, cluster
from emulator.handlers.by_cursor import one_page, pages
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import ListGroupsRequest


def listed(server: Server, version: int = 5, broker: int = 1, **filters: Any) -> list[Any]:
    """The groups of one broker."""
    return list(ask(server, ListGroupsRequest(**filters), version, broker).groups)


@pytest.mark.parametrize("version", range(7))
def test_every_version_lists_the_groups_of_each_broker(version: int) -> None:
    """States from v4 on, types from v5."""
    server = cluster(groups={"count": 60})
    found = {one.group_id: one for broker in (1, 2, 3) for one in listed(server, version, broker)}
    assert sorted(found) == list(server.world.groups.names)
    for name, one in found.items():
        group = server.world.groups.get(name)
        assert group is not None
        assert one.protocol_type == group.shape.protocol_type
        assert version < 4 or one.group_state == group.shape.state
        assert version < 5 or one.group_type == group.shape.type


def test_filters_of_state_and_type() -> None:
    """Whatever their case; both must match."""
    server = cluster(groups={"count": 100})
    empty = listed(server, states_filter=["EMPTY"])
    assert {one.group_state for one in empty} == {"Empty"}
    share = listed(server, types_filter=["Share", "streams"])
    assert {one.group_type for one in share} == {"share", "streams"}
    both = {one.group_id for one in listed(server, states_filter=["empty"], types_filter=["share"])}
    assert both == {one.group_id for one in empty} & {one.group_id for one in share if one.group_type == "share"}
    assert listed(server, states_filter=["Emtpy"]) == []


def test_what_may_not_be_described_is_left_out() -> None:
    """Unless the cluster may be described."""
    prefix = {"resource_type": "GROUP", "resource_name": "group-000000", "pattern_type": "PREFIXED"}
    of_cluster = {"resource_type": "CLUSTER", "resource_name": "kafka-cluster"}
    some = cluster(groups={"count": 50}, security={"super_users": [], "acls": [prefix]})
    seen = [one.group_id for broker in (1, 2, 3) for one in listed(some, broker=broker)]
    assert sorted(seen) == [f"group-000000{number}" for number in range(10)]
    every = cluster(groups={"count": 50}, security={"super_users": [], "acls": [of_cluster]})
    assert sum(len(listed(every, broker=broker)) for broker in (1, 2, 3)) == 50


@pytest.mark.parametrize("limit", [1, 2, 7, 2000])
def test_any_limit_gives_the_same_groups(limit: int) -> None:
    """In the order of their ids, filtered first."""
    server = cluster(groups={"count": 60, "declared": [{"id": "\U0001f600"}, {"id": "\uffee"}, {"id": ""}]})
    for filters in ({}, {"types_filter": ["share"]}):
        walked = pages(server, lambda filters=filters: ListGroupsRequest(**filters), 6, limit)  # type: ignore[misc]
        assert [one.group_id for page in walked for one in page.groups] == [
            one.group_id for one in listed(server, **filters)
        ]
        assert all(len(page.groups) == limit for page in walked[:-1])


def test_a_cursor_whose_group_is_gone_goes_on_with_the_next() -> None:
    """And one behind all of them is the end."""
    server = cluster(groups={"count": 60})
    names = [one.group_id for one in listed(server)]
    server.world.delete_groups([names[3]])
    page = one_page(server, ListGroupsRequest(), 6, 2, (names[3],))
    assert [one.group_id for one in page.groups] == names[4:6]
    last = one_page(server, ListGroupsRequest(), 6, 2, ("z",))
    assert (list(last.groups), last.next_cursor) == ([], None)


def test_the_brokers_own_limit_holds() -> None:
    """Whatever is asked for."""
    server = cluster(groups={"count": 60}, brokers={"count": 1, "configs": {"max.request.pagination.size.limit": "7"}})
    assert [len(one_page(server, ListGroupsRequest(), 6, limit).groups) for limit in (0, -5, 3, 2000)] == [1, 1, 3, 7]
