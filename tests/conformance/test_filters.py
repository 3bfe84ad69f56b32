"""Filters of requests, which no census sends: what matches, and what is refused, broker by broker."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from kafka.protocol.admin import DescribeClientQuotasRequest

from conformance.both import send
from conformance.test_odd_requests import answers
from harness.kafka_cluster import KafkaCluster

ANY, MATCH, LITERAL, PREFIXED = 1, 2, 3, 4
TOPIC, BROKER, CLIENT_METRICS, GROUP, UNKNOWN = 2, 4, 16, 32, 3
EVERY_ACL: dict[str, Any] = {
    **dict.fromkeys(("resource_type_filter", "pattern_type_filter", "operation", "permission_type"), ANY),
    **dict.fromkeys(("resource_name_filter", "principal_filter", "host_filter")),
}
ACLS: tuple[dict[str, Any], ...] = (
    *({"resource_name_filter": "orders", "pattern_type_filter": how} for how in (ANY, MATCH, LITERAL, PREFIXED)),
    {"resource_name_filter": "*"},
    {"resource_name_filter": "orders_of_ours", "pattern_type_filter": MATCH},
    {"resource_name_filter": "orders", "pattern_type_filter": MATCH, "resource_type_filter": TOPIC},
    {"resource_name_filter": "nothing"},
    *({"resource_type_filter": 3}, {"permission_type": 2}, {"operation": 2}),
    *({"host_filter": "10.0.0.1"}, {"principal_filter": "User:billing"}),
    *({name: 0} for name, value in EVERY_ACL.items() if value),
)


def acls(server: str, version: int, asked: dict[str, Any]) -> list[Any]:
    """As Kafka's ResourcePatternFilter has it; a resource comes with its matching entries alone; 0 is refused."""
    found = send(server, "DescribeAcls", version, **EVERY_ACL | asked)
    resources = [
        (one.resource_type, one.resource_name, one.pattern_type, entry.principal, entry.operation, entry.host)
        for one in found.resources
        for entry in one.acls
    ]
    return [found.error_code, sorted(resources)]


EXACT, DEFAULT, SPECIFIED = 0, 1, 2
COMPONENTS: tuple[list[tuple[str, int, str | None]], ...] = (
    [],
    *([("user", how, name)] for how, name in ((EXACT, "billing"), (DEFAULT, None), (SPECIFIED, None))),
    *([("client-id", EXACT, "batch")], [("ip", SPECIFIED, None)], [("user", EXACT, "nobody")]),
    [("user", EXACT, "billing"), ("client-id", SPECIFIED, None)],
    [("client-id", DEFAULT, None), ("user", EXACT, "billing")],
    # Refused.
    *([("", EXACT, "a")], [("group", EXACT, "a")], [("user", 3, None)]),
    *([("user", how, name)] for how, name in ((EXACT, None), (DEFAULT, "a"), (SPECIFIED, "a"))),
    [("user", EXACT, "a"), ("user", DEFAULT, None)],
    [("ip", DEFAULT, None), ("user", DEFAULT, None)],
)


def quotas(server: str, version: int, components: list[Any]) -> list[Any]:
    """Any given name includes the default; strictly an entity has no other type."""
    component = DescribeClientQuotasRequest.ComponentData
    asked = [component(entity_type=kind, match_type=how, match=match) for kind, how, match in components]
    found = [send(server, "DescribeClientQuotas", version, components=asked, strict=strict) for strict in (False, True)]
    return [
        (
            *(one.error_code, bool(one.error_message)),
            sorted(str({of.entity_type: of.entity_name for of in entry.entity}) for entry in one.entries or ()),
        )
        for one in found
    ]


GROUPS: tuple[dict[str, list[str]], ...] = (
    *({"states_filter": states} for states in (["EMPTY"], ["Emtpy"], ["stable", "Empty"])),
    {"types_filter": ["Share", "streams"]},
    {"states_filter": ["stable"], "types_filter": ["share", "CLASSIC"]},
)


def groups(server: str, filters: dict[str, list[str]]) -> Any:
    found = send(server, "ListGroups", 5, **filters).groups
    return [0, sorted((one.group_id, one.group_state, one.group_type) for one in found)]


TRANSACTIONS: tuple[tuple[list[str], str | None], ...] = (
    (["Empty"], None),
    ([], "committed"),
    (["CompleteCommit", "Ongoing"], "committed"),
    (["Ongoing"], "committed"),
    (["ongoing"], None),
    (["ongoing", "Empty", "ongoing"], None),
)
"""States, and the transaction whose producer is named: its id is drawn."""


def transactions(server: str, version: int, states: list[str], of: str | None) -> Any:
    """A state that is misspelt alone filters everything out; others go on holding."""
    others = {"duration_filter": -1, "transactional_id_pattern": None}
    every = send(server, "ListTransactions", version, state_filters=[], producer_id_filters=[], **others)
    producers = [one.producer_id for one in every.transaction_states if one.transactional_id == of] or [10**9]
    named = {"state_filters": states, "producer_id_filters": producers if of else []}
    found = send(server, "ListTransactions", version, **named, **others)
    listed = sorted((one.transactional_id, one.transaction_state) for one in found.transaction_states)
    return [0, found.unknown_state_filters, listed]


def config_resources(server: str, version: int, types: list[int]) -> Any:
    """Version 0 has client metrics alone, which nobody has configured; a type that there is not is refused."""
    found = send(server, "ListConfigResources", version, resource_types=types)
    return [found.error_code, sorted((one.resource_type, one.resource_name) for one in found.config_resources)]


FILTERS: dict[str, Callable[[str], Any]] = {
    **{f"ACLs v{one}, {asked}": partial(acls, version=one, asked=asked) for asked in ACLS for one in (1, 3)},
    **{f"quotas v{one}, {of}": partial(quotas, version=one, components=of) for of in COMPONENTS for one in (0, 1)},
    **{f"groups, {asked}": partial(groups, filters=asked) for asked in GROUPS},
    **{f"transactions v{one}, {states} of {of}": partial(transactions, version=one, states=states, of=of)
       for states, of in TRANSACTIONS for one in (0, 1, 2)},
    **{f"resources v{one}, {types}": partial(config_resources, version=one, types=types)
       for one, types in ((0, []), (1, []), (1, [TOPIC, BROKER]), (1, [CLIENT_METRICS, GROUP]), (1, [TOPIC, UNKNOWN]))},
}  # fmt: skip


@pytest.mark.parametrize("filtered", FILTERS)
def test_a_filter_is_obeyed_or_refused_alike(real: KafkaCluster, emulated: Callable[..., str], filtered: str) -> None:
    theirs, ours = answers(FILTERS[filtered], real, emulated)
    assert ours == theirs
