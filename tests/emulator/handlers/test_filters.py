"""Filters of requests, which no census sends: what matches, and what is refused."""

from typing import Any

import pytest
from kafka.protocol.admin import DescribeClientQuotasRequest

from emulator.asking import ask, cluster
from kafka_messages.kip_1062 import DescribeAclsRequest, ListGroupsRequest, ListTransactionsRequest

ANY, MATCH, LITERAL, PREFIXED = 1, 2, 3, 4
TOPIC, GROUP, DENY = 2, 3, 2
ACLS = [
    {"resource_type": kind, "resource_name": name, "pattern_type": pattern, "principal": f"User:{who}", **more}
    for kind, name, pattern, who, more in (
        ("TOPIC", "foo", "LITERAL", "a", {"operation": "READ"}),
        ("TOPIC", "foo", "LITERAL", "b", {"operation": "WRITE", "permission": "DENY", "host": "10.0.0.1"}),
        ("TOPIC", "foo", "PREFIXED", "a", {}),
        ("GROUP", "foo", "LITERAL", "a", {}),
        ("TOPIC", "fo", "PREFIXED", "c", {"operation": "ALL"}),
        ("TOPIC", "foobar", "LITERAL", "c", {}),
        ("TOPIC", "*", "LITERAL", "c", {}),
        ("CLUSTER", "kafka-cluster", "LITERAL", "b", {}),
    )
]
EVERY_ACL = {
    "resource_type_filter": ANY,
    "resource_name_filter": None,
    "pattern_type_filter": ANY,
    "principal_filter": None,
    "host_filter": None,
    "operation": ANY,
    "permission_type": ANY,
}


def acls(version: int, asked: dict[str, Any], **security: Any) -> Any:
    return ask(cluster(security={"acls": ACLS} | security), DescribeAclsRequest(**EVERY_ACL | asked), version)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"resource_name_filter": "foo"}, [("foo", 2, 3), ("foo", 2, 4), ("foo", 3, 3)]),
        ({"resource_name_filter": "foo", "pattern_type_filter": LITERAL}, [("foo", 2, 3), ("foo", 3, 3)]),
        ({"resource_name_filter": "foo", "pattern_type_filter": PREFIXED}, [("foo", 2, 4)]),
        ({"resource_name_filter": "*"}, [("*", 2, 3)]),
        (
            {"resource_name_filter": "foobar", "pattern_type_filter": MATCH},
            [("*", 2, 3), ("fo", 2, 4), ("foo", 2, 4), ("foobar", 2, 3)],
        ),
        (
            {"resource_name_filter": "foo", "pattern_type_filter": MATCH, "resource_type_filter": TOPIC},
            [("*", 2, 3), ("fo", 2, 4), ("foo", 2, 3), ("foo", 2, 4)],
        ),
        ({"resource_type_filter": GROUP}, [("foo", 3, 3)]),
        ({"resource_name_filter": "nothing"}, []),
        ({"resource_type_filter": 99}, []),
        ({"permission_type": DENY}, [("foo", 2, 3)]),
        ({"host_filter": "10.0.0.1"}, [("foo", 2, 3)]),
        ({"operation": 2}, [("fo", 2, 4)]),
        ({"principal_filter": "User:a"}, [("foo", 2, 3), ("foo", 2, 4), ("foo", 3, 3)]),
        *(({name: 0}, 42) for name, value in EVERY_ACL.items() if value is not None),
    ],
)
def test_acls(asked: dict[str, Any], expected: Any) -> None:
    """As Kafka's ResourcePatternFilter has it; a resource comes with its matching entries alone; 0 is refused."""
    for version in (1, 3, 4):
        found = acls(version, asked)
        positions = [(one.resource_name, one.resource_type, one.pattern_type) for one in found.resources or ()]
        assert (found.error_code or positions) == expected
        if "principal_filter" in asked:
            assert {entry.principal for one in found.resources for entry in one.acls} == {asked["principal_filter"]}


def test_acls_need_an_authorizer_and_a_right() -> None:
    """With DESCRIBE on the cluster all are told, also those of resources that may not be described."""
    right = {"resource_type": "CLUSTER", "resource_name": "kafka-cluster", "operation": "DESCRIBE"}
    for security, code, resources in (
        ({"authorizer": False, "acls": []}, 54, 0),
        ({"super_users": [], "acls": []}, 31, 0),
        ({"super_users": [], "acls": [right], "generated_acls": 5}, 0, 6),
    ):
        found = acls(4, {}, **security)
        assert (found.error_code, len(found.resources)) == (code, resources)


EXACT, DEFAULT, SPECIFIED = 0, 1, 2
ENTITIES: list[dict[str, str | None]] = [
    {"user": "alice"},
    {"user": None},
    {"client-id": "app"},
    {"user": "alice", "client-id": "app"},
    {"user": "alice", "client-id": None},
    {"user": "bob", "client-id": "app"},
    {"ip": "10.0.0.1"},
    {"ip": None},
]
QUOTAS = [{"entity": one, "values": {"producer_byte_rate": 1024.5, "consumer_byte_rate": 2.0}} for one in ENTITIES]


def quotas(version: int, components: list[Any], *, strict: bool = False) -> int | list[int]:
    component = DescribeClientQuotasRequest.ComponentData
    asked = [component(entity_type=kind, match_type=how, match=match) for kind, how, match in components]
    request = DescribeClientQuotasRequest(components=asked, strict=strict)
    found = ask(cluster(security={"quotas": QUOTAS}), request, version)
    if found.error_code:
        assert (found.entries, bool(found.error_message)) == (None, True)
        return int(found.error_code)
    return [ENTITIES.index({one.entity_type: one.entity_name for one in entry.entity}) for entry in found.entries]


@pytest.mark.parametrize(
    ("components", "loose", "strict"),
    [
        ([], list(range(8)), []),
        ([("user", EXACT, "alice")], [0, 3, 4], [0]),
        ([("user", DEFAULT, None)], [1], [1]),
        ([("user", SPECIFIED, None)], [0, 1, 3, 4, 5], [0, 1]),
        ([("client-id", EXACT, "app")], [2, 3, 5], [2]),
        ([("user", EXACT, "alice"), ("client-id", SPECIFIED, None)], [3, 4], [3, 4]),
        ([("client-id", DEFAULT, None), ("user", EXACT, "alice")], [4], [4]),
        ([("ip", SPECIFIED, None)], [6, 7], [6, 7]),
        ([("user", EXACT, "nobody")], [], []),
        *(
            (refused, code, code)
            for code, refused in (
                (42, [("", EXACT, "a")]),
                (42, [("user", EXACT, "a"), ("user", DEFAULT, None)]),
                (42, [("user", EXACT, None)]),
                (42, [("user", DEFAULT, "a")]),
                (42, [("user", SPECIFIED, "a")]),
                (42, [("user", 3, None)]),
                (42, [("ip", DEFAULT, None), ("user", DEFAULT, None)]),
                (35, [("group", EXACT, "a")]),
            )
        ),
    ],
)
def test_quotas(components: list[Any], loose: Any, strict: Any) -> None:
    """Any given name includes the default; strictly an entity has no other type."""
    for version in (0, 1):
        assert (quotas(version, components), quotas(version, components, strict=True)) == (loose, strict)


def test_states_and_types_of_groups() -> None:
    server = cluster(groups={"count": 100})

    def listed(**filters: Any) -> Any:
        found = ask(server, ListGroupsRequest(**filters), 5).groups
        return {(one.group_id, one.group_state, one.group_type) for one in found}

    every = listed()
    empty = {one for one in every if one[1] == "Empty"}
    some = {one for one in every if one[2] in ("share", "streams")}
    assert listed(states_filter=["EMPTY"]) == empty
    assert listed(types_filter=["Share", "streams"]) == some
    assert listed(states_filter=["empty"], types_filter=["share", "STREAMS"]) == empty & some != set()
    assert listed(states_filter=["Emtpy"]) == set()


def test_states_and_producers_of_transactions() -> None:
    """A state that is misspelt alone filters everything out; others go on holding."""
    declared = [{"id": name, "producer_id": 7, "state": state} for name, state in (("a", "Empty"), ("b", "Ongoing"))]
    server = cluster(brokers={"count": 1}, transactions={"count": 60, "declared": declared})

    def listed(states: Any = (), producers: Any = (), version: int = 2) -> Any:
        named = {"state_filters": list(states), "producer_id_filters": list(producers)}
        request = ListTransactionsRequest(**named, duration_filter=-1, transactional_id_pattern=None)
        found = ask(server, request, version)
        return found.unknown_state_filters, {
            (one.transactional_id, one.producer_id, one.transaction_state) for one in found.transaction_states
        }

    _, every = listed()
    empty = {one for one in every if one[2] == "Empty"}
    for version in (0, 1, 2, 3):
        assert listed(["Empty"], version=version) == ([], empty)
        assert listed(["Empty"], [7], version) == ([], {("a", 7, "Empty")})
        assert listed([], [7, 5], version) == ([], {one for one in every if one[1] == 7})
    assert listed(["ongoing"]) == (["ongoing"], set())
    assert listed(["ongoing", "Empty", "ongoing"]) == (["ongoing"], empty)
