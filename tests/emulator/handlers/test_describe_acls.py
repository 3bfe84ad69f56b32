"""DescribeAcls: what a filter matches, at which version."""

from typing import Any

import pytest

from emulator.asking import ask, cluster
from kafka_messages.kip_1062 import DescribeAclsRequest

ANY, MATCH, LITERAL, PREFIXED = 1, 2, 3, 4
READ, DENY, ALLOW, TOPIC, GROUP = 3, 2, 3, 2, 3


def acl(name: str, kind: str = "TOPIC", pattern: str = "LITERAL", **fields: str) -> dict[str, str]:
    return {"resource_name": name, "resource_type": kind, "pattern_type": pattern, **fields}


ACLS = [
    acl("foo", principal="User:a", operation="READ"),
    acl("foo", principal="User:b", operation="WRITE", permission="DENY", host="10.0.0.1"),
    acl("foo", pattern="PREFIXED", principal="User:a"),
    acl("foo", kind="GROUP", principal="User:a"),
    acl("fo", pattern="PREFIXED", principal="User:c", operation="ALL"),
    acl("foobar", principal="User:c"),
    acl("*", principal="User:c"),
    acl("kafka-cluster", kind="CLUSTER", principal="User:b"),
    acl("alice", kind="USER", principal="User:b", operation="DESCRIBE"),
]
SECURITY: dict[str, Any] = {"acls": ACLS, "generated_acls": 7}


def request(**fields: Any) -> Any:
    """A filter; what is not given matches everything."""
    everything: dict[str, Any] = {
        "resource_type_filter": ANY,
        "resource_name_filter": None,
        "pattern_type_filter": ANY,
        "principal_filter": None,
        "host_filter": None,
        "operation": ANY,
        "permission_type": ANY,
    }
    return DescribeAclsRequest(**{**everything, **fields})


def positions(response: Any) -> list[tuple[str, int, int]]:
    assert response.error_code == 0
    return [(one.resource_name, one.resource_type, one.pattern_type) for one in response.resources]


def entries(response: Any) -> list[tuple[Any, ...]]:
    return [
        (r.resource_name, r.resource_type, r.pattern_type, a.principal, a.host, a.operation, a.permission_type)
        for r in response.resources
        for a in r.acls
    ]


def test_version_0_has_literal_patterns_only() -> None:
    """4.3 has it no more."""
    response = ask(
        cluster(as_version="3.9", kip_1062=False, security=SECURITY), request(pattern_type_filter=LITERAL), 0
    )
    assert [one.resource_name for one in response.resources if one.resource_name.startswith("fo")] == [
        "foo",
        "foo",
        "foobar",
    ]
    assert ask(cluster(security=SECURITY), request(pattern_type_filter=LITERAL), 0) is None


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
        ({"pattern_type_filter": PREFIXED}, [("fo", 2, 4), ("foo", 2, 4)]),
        ({"resource_name_filter": "nothing"}, []),
        ({"resource_type_filter": 99}, []),
        ({"permission_type": DENY}, [("foo", 2, 3)]),
        ({"host_filter": "10.0.0.1"}, [("foo", 2, 3)]),
        ({"operation": 2}, [("fo", 2, 4)]),
        ({"principal_filter": "User:a"}, [("foo", 2, 3), ("foo", 2, 4), ("foo", 3, 3)]),
    ],
)
def test_filters(asked: dict[str, Any], expected: list[tuple[str, int, int]]) -> None:
    """Names match as Kafka's ResourcePatternFilter has it; texts of entries are compared as they are."""
    for version in (1, 3, 4):
        assert positions(ask(cluster(security=SECURITY), request(**asked), version)) == expected


def test_a_resource_comes_with_the_matching_entries_only() -> None:
    response = ask(cluster(security=SECURITY), request(principal_filter="User:a", resource_name_filter="foo"), 3)
    assert entries(response)[0] == ("foo", TOPIC, LITERAL, "User:a", "*", READ, ALLOW)
    assert len(response.resources[0].acls) == 1


def test_without_an_authorizer_it_is_54() -> None:
    server = cluster(security={"authorizer": False})
    for version in (1, 2, 3, 4):
        response = ask(server, request(), version)
        assert (response.error_code, response.resources) == (54, [])
    assert response.next_cursor is None


def test_without_describe_on_the_cluster_it_is_31() -> None:
    """With that right all ACLs are returned, also those of resources that may not be described."""
    allowed = acl("kafka-cluster", kind="CLUSTER", operation="DESCRIBE")
    for acls, code in (([], 31), ([allowed], 0)):
        server = cluster(security={"super_users": [], "acls": acls, "generated_acls": 5})
        response = ask(server, request(), 4)
        assert (response.error_code, len(response.resources)) == (code, 0 if code else 6)


@pytest.mark.parametrize("field", ["resource_type_filter", "pattern_type_filter", "operation", "permission_type"])
def test_an_unknown_in_the_filter_is_refused(field: str) -> None:
    assert ask(cluster(security=SECURITY), request(**{field: 0}), 3).error_code == 42
