"""DescribeClientQuotas: which entities a filter matches."""

from typing import Any

import pytest
from kafka.protocol.admin import DescribeClientQuotasRequest

from emulator.asking import ask, cluster

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
VALUES = {"producer_byte_rate": 1024.5, "consumer_byte_rate": 2.0}
SECURITY = {"quotas": [{"entity": one, "values": VALUES} for one in ENTITIES]}


def request(*components: tuple[str, int, str | None], strict: bool = False) -> Any:
    component = DescribeClientQuotasRequest.ComponentData
    asked = [component(entity_type=kind, match_type=how, match=match) for kind, how, match in components]
    return DescribeClientQuotasRequest(components=asked, strict=strict)


def entities(response: Any) -> list[dict[str, str | None]]:
    assert response.error_code == 0
    return [{one.entity_type: one.entity_name for one in entry.entity} for entry in response.entries]


@pytest.mark.parametrize("kafka", ["2.8", "3.9", "4.3"])
@pytest.mark.parametrize("version", [0, 1])
def test_without_a_filter_all_are_reported(kafka: str, version: int) -> None:
    server = cluster(as_version=kafka, kip_1062=False, security=SECURITY)
    response = ask(server, request(), version)
    assert entities(response) == ENTITIES
    assert {one.key: one.value for one in response.entries[0].values} == VALUES
    assert entities(ask(server, request(strict=True), version)) == []


@pytest.mark.parametrize(
    ("components", "loose", "strict"),
    [
        ([("user", EXACT, "alice")], [0, 3, 4], [0]),
        ([("user", DEFAULT, None)], [1], [1]),
        ([("user", SPECIFIED, None)], [0, 1, 3, 4, 5], [0, 1]),
        ([("client-id", EXACT, "app")], [2, 3, 5], [2]),
        ([("user", EXACT, "alice"), ("client-id", SPECIFIED, None)], [3, 4], [3, 4]),
        ([("client-id", DEFAULT, None), ("user", EXACT, "alice")], [4], [4]),
        ([("user", SPECIFIED, None), ("client-id", SPECIFIED, None)], [3, 4, 5], [3, 4, 5]),
        ([("ip", SPECIFIED, None)], [6, 7], [6, 7]),
        ([("ip", DEFAULT, None)], [7], [7]),
        ([("user", EXACT, "nobody")], [], []),
    ],
)
def test_filters(components: list[Any], loose: list[int], strict: list[int]) -> None:
    """Any given name includes the default; strictly an entity has no other type."""
    server = cluster(security=SECURITY)
    for version in (0, 1):
        assert entities(ask(server, request(*components), version)) == [ENTITIES[position] for position in loose]
        assert entities(ask(server, request(*components, strict=True), version)) == [ENTITIES[one] for one in strict]


@pytest.mark.parametrize(
    ("components", "code"),
    [
        ([("", EXACT, "a")], 42),
        ([("user", EXACT, "a"), ("user", DEFAULT, None)], 42),
        ([("user", EXACT, None)], 42),
        ([("user", DEFAULT, "a")], 42),
        ([("user", SPECIFIED, "a")], 42),
        ([("user", 3, None)], 42),
        ([("ip", DEFAULT, None), ("user", DEFAULT, None)], 42),
        ([("group", EXACT, "a")], 35),
    ],
)
def test_what_kafka_does_not_take_is_refused(components: list[Any], code: int) -> None:
    response = ask(cluster(security=SECURITY), request(*components), 1)
    assert (response.error_code, response.entries) == (code, None)
    assert response.error_message


def test_without_describe_configs_on_the_cluster_it_is_31() -> None:
    for operation, code in (("DESCRIBE", 31), ("DESCRIBE_CONFIGS", 0), ("ALTER_CONFIGS", 0)):
        acl = {"operation": operation, "resource_type": "CLUSTER", "resource_name": "kafka-cluster"}
        server = cluster(security={**SECURITY, "super_users": [], "acls": [acl]})
        assert ask(server, request(), 1).error_code == code
