"""ListGroups: filters, rights on the cluster, and the broker's own limit."""

from typing import Any

from emulator.asking import ask, cluster
from emulator.handlers.by_cursor import one_page
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import ListGroupsRequest


def listed(server: Server, version: int = 5, broker: int = 1, **filters: Any) -> list[Any]:
    return list(ask(server, ListGroupsRequest(**filters), version, broker).groups)


def test_filters_of_state_and_type() -> None:
    server = cluster(groups={"count": 100})
    empty = listed(server, states_filter=["EMPTY"])
    assert {one.group_state for one in empty} == {"Empty"}
    share = listed(server, types_filter=["Share", "streams"])
    assert {one.group_type for one in share} == {"share", "streams"}
    both = {one.group_id for one in listed(server, states_filter=["empty"], types_filter=["share"])}
    assert both == {one.group_id for one in empty} & {one.group_id for one in share if one.group_type == "share"}
    assert listed(server, states_filter=["Emtpy"]) == []


def test_what_may_not_be_described_is_left_out() -> None:
    prefix = {"resource_type": "GROUP", "resource_name": "group-000000", "pattern_type": "PREFIXED"}
    of_cluster = {"resource_type": "CLUSTER", "resource_name": "kafka-cluster"}
    some = cluster(groups={"count": 50}, security={"super_users": [], "acls": [prefix]})
    seen = [one.group_id for broker in (1, 2, 3) for one in listed(some, broker=broker)]
    assert sorted(seen) == [f"group-000000{number}" for number in range(10)]
    every = cluster(groups={"count": 50}, security={"super_users": [], "acls": [of_cluster]})
    assert sum(len(listed(every, broker=broker)) for broker in (1, 2, 3)) == 50


def test_the_brokers_own_limit_holds() -> None:
    server = cluster(groups={"count": 60}, brokers={"count": 1, "configs": {"max.request.pagination.size.limit": "7"}})
    assert [len(one_page(server, ListGroupsRequest(), 6, limit).groups) for limit in (0, -5, 3, 2000)] == [1, 1, 3, 7]
