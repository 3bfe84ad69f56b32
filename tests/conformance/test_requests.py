"""Requests that no census sends and clients may: the same answers, broker by broker."""

import struct
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from conformance.both import HANDLER, Emulated, send
from conformance.test_odd_requests import answers
from harness.kafka_cluster import KafkaCluster
from kafka_messages.kip_1062 import OffsetFetchRequest

# All began later than that; a transaction that never began counts from 1970.
LISTED = {-1: 5, 0: 5, 1_700_000_000_000: 1, 10**14: 0}
"""The number of transactions by the filter of how long ago the last one began, open or not."""

TOPIC_ID = "AAAAAAAAAAAAAAAAAAAAAQ"
SHARE_KEYS = (
    *(f"share-live:{TOPIC_ID}:{index}" for index in (0, 1, 2, 3, -1)),
    *("", "share-live", f":{TOPIC_ID}:0", f"share-live:{TOPIC_ID}:x", "share-live:orders:0", f"a:b:{TOPIC_ID}:0"),
)
KINDS = {"group": 0, "transaction": 1, "share": 2, "nothing": 9}
OF_OFFSETS = ("partition_index", "committed_offset", "metadata", "error_code")
OF_GROUPS = {
    "ConsumerGroupDescribe": (1, "consumer-live"),
    "ShareGroupDescribe": (1, "share-live"),
    "StreamsGroupDescribe": (1, "streams-live"),
}
"""Kafka's highest version and a group, by API."""


def coordinators(server: str, kind: str, version: int) -> list[tuple[Any, ...]]:
    """Keys of share groups need v6; an invalid request is answered with a message, but not key by key."""
    keys = SHARE_KEYS if kind == "share" else ("open", "", "é")
    asked: dict[str, Any] = {"key_type": KINDS[kind]}
    if version >= 4:
        found = send(server, "FindCoordinator", version, coordinator_keys=list(keys), **asked).coordinators
    else:
        found = [send(server, "FindCoordinator", version, key=key, **asked) for key in keys]
    return [(one.error_code, one.error_message, one.node_id, one.host) for one in found]


def offsets_by_id(server: str, group: str) -> list[tuple[Any, ...]]:
    """100 for each partition of an unknown id, behind the others; an unknown partition of a topic is no error."""
    every = send(server, "Metadata", 12, topics=None, allow_auto_topic_creation=False)
    (orders,) = (topic.topic_id for topic in every.topics if topic.name == "orders")
    of = OffsetFetchRequest.OffsetFetchRequestGroup
    topics = [of.OffsetFetchRequestTopics(topic_id=one, partition_indexes=[3, 99]) for one in (UUID(int=5), orders)]
    wanted = of(group_id=group, member_id=None, member_epoch=-1, topics=topics)
    (reported,) = send(server, "OffsetFetch", 10, groups=[wanted], require_stable=False).groups
    return [
        (reported.error_code, topic.topic_id == orders, *(getattr(one, name) for name in OF_OFFSETS))
        for topic in reported.topics
        for one in topic.partitions
    ]


def offsets_for_a_member(server: str, version: int) -> list[int]:
    """25 unknown, 113 with another epoch; classic groups do not look."""
    fields = {"group_ids": ["consumer-live"], "include_authorized_operations": False}
    (group,) = send(server, "ConsumerGroupDescribe", 1, **fields).groups
    members = [("consumer-live", one.member_id, one.member_epoch + more) for one in group.members for more in (0, 1)]
    members += [(name, "nobody", 1) for name in ("consumer-live", "polygenelubricants")]
    of = OffsetFetchRequest.OffsetFetchRequestGroup
    groups = (of(group_id=name, member_id=one, member_epoch=epoch, topics=None) for name, one, epoch in members)
    said = [send(server, "OffsetFetch", version, groups=[one], require_stable=False).groups for one in groups]
    return [one.error_code for (one,) in said]


def allowed(server: str, api: str) -> tuple[Any, ...]:
    """What may be done to a group, by its coordinator; with the whole topology, which the census reads in part."""
    version, group = OF_GROUPS[api]
    more = {"include_topology_description": True} if api == "StreamsGroupDescribe" else {}
    (one,) = send(server, api, version, group_ids=[group], include_authorized_operations=True, **more).groups
    if one.error_code:
        return ()
    told = ("assignor_name", "topology", "topology_description_status", "topology_description")
    return one.authorized_operations, *(str(getattr(one, name, None)) for name in told)


ANY, MATCH, LITERAL, PREFIXED = 1, 2, 3, 4
TOPIC, GROUP, DENY, ALL = 2, 3, 2, 2
EVERY_ACL = {
    "resource_type_filter": ANY,
    "resource_name_filter": None,
    "pattern_type_filter": ANY,
    "principal_filter": None,
    "host_filter": None,
    "operation": ANY,
    "permission_type": ANY,
}
ACLS: tuple[dict[str, Any], ...] = (
    *({"resource_name_filter": name} for name in ("orders", "*", "or", "nothing")),
    *({"resource_name_filter": "orders", "pattern_type_filter": kind} for kind in (MATCH, LITERAL, PREFIXED)),
    {"resource_name_filter": "orders-old", "pattern_type_filter": MATCH},
    {"resource_name_filter": "orders", "pattern_type_filter": MATCH, "resource_type_filter": TOPIC},
    *({"resource_type_filter": kind} for kind in (GROUP, 99)),
    *({"permission_type": DENY}, {"host_filter": "10.0.0.1"}, {"operation": ALL}, {"principal_filter": "User:billing"}),
)
"""Filters of ACLs, beside fields that let everything through."""

EXACT, DEFAULT, SPECIFIED = 0, 1, 2
QUOTAS: tuple[tuple[tuple[str, int, str | None], ...], ...] = (
    (),
    *((("user", *of),) for of in ((EXACT, "billing"), (DEFAULT, None), (SPECIFIED, None), (EXACT, "nobody"))),
    *((("client-id", EXACT, "batch"),), (("ip", SPECIFIED, None),)),
    *((("user", EXACT, "billing"), ("client-id", *of)) for of in ((SPECIFIED, None), (DEFAULT, None))),
    (("client-id", DEFAULT, None), ("user", EXACT, "billing")),
    # Refused: no type, a type twice, what does not go together, and types that are none.
    *((("", EXACT, "a"),), (("user", EXACT, "a"), ("user", DEFAULT, None)), (("user", EXACT, None),)),
    *((("user", DEFAULT, "a"),), (("user", SPECIFIED, "a"),), (("user", 3, None),), (("group", EXACT, "a"),)),
    (("ip", DEFAULT, None), ("user", DEFAULT, None)),
)
"""Components of a filter of quotas."""

GROUPS: tuple[dict[str, list[str]], ...] = (
    *({"states_filter": [state]} for state in ("EMPTY", "stable", "Emtpy")),
    *({"types_filter": types} for types in (["Share", "streams"], ["classic"])),
    {"states_filter": ["stable"], "types_filter": ["share", "STREAMS"]},
)
STATES: tuple[list[str], ...] = ([], ["Empty"], ["ongoing"], ["ongoing", "Empty", "ongoing"])
"""States of transactions, of which those that are misspelt alone filter everything out."""


def acls(server: str, asked: dict[str, Any], version: int) -> Any:
    """A resource comes with its matching entries alone."""
    said = send(server, "DescribeAcls", version, **EVERY_ACL | asked)
    return said.error_code, sorted(
        (one.resource_type, one.resource_name, one.pattern_type, acl.principal, acl.host, acl.operation)
        for one in said.resources
        for acl in one.acls
    )


def quotas(server: str, components: Any, version: int, *, strict: bool) -> Any:
    """Any given name includes the default; strictly an entity has no other type."""
    component = HANDLER["DescribeClientQuotas"].request.ComponentData
    asked = [component(entity_type=kind, match_type=how, match=match) for kind, how, match in components]
    said = send(server, "DescribeClientQuotas", version, components=asked, strict=strict)
    entities = [{part.entity_type: part.entity_name for part in one.entity} for one in said.entries or ()]
    found = sorted(repr(sorted(one.items())) for one in entities)
    return said.error_code, bool(said.error_message), said.entries is None, found


def groups(server: str, filters: dict[str, list[str]]) -> Any:
    said = send(server, "ListGroups", 5, **{"states_filter": [], "types_filter": []} | filters)
    return said.error_code, sorted((one.group_id, one.group_state, one.group_type) for one in said.groups)


def transactions(
    server: str, states: list[str], version: int = 2, ids: tuple[str, ...] | None = None, before: int = -1
) -> Any:
    """Of all producers, or of those that have these ids here and of one that is none; `before`: of begin, in ms ago."""

    def said(states: list[str], producers: list[int]) -> Any:
        filters = {"state_filters": states, "producer_id_filters": producers, "transactional_id_pattern": None}
        return send(server, "ListTransactions", version, duration_filter=before, **filters)

    known = {one.transactional_id: one.producer_id for one in said([], []).transaction_states}
    found = said(states, [] if ids is None else [2**40, *(known[name] for name in ids if name in known)])
    told = sorted((one.transactional_id, one.transaction_state) for one in found.transaction_states)
    return sorted(found.unknown_state_filters), told


def config_resources(server: str, types: tuple[int, ...], version: int) -> Any:
    """In blocks, each of a type; version 0 has client metrics alone, which nobody has configured."""
    said = send(server, "ListConfigResources", version, resource_types=list(types))
    kinds = [one.resource_type for one in said.config_resources]
    return said.error_code, list(dict.fromkeys(kinds)), sorted(one.resource_name for one in said.config_resources)


def later_version(server: str) -> Any:
    """Of ApiVersions: answered at v0, with the one row that tells what to ask."""
    request = struct.pack(">hhih", 18, 99, 9, -1) + b"\x00\x02a\x02b\x00"
    said = send(server, "ApiVersions", 0, lambda _: len(request).to_bytes(4) + request)
    return said.error_code, [(one.api_key, one.min_version, one.max_version) for one in said.api_keys]


REQUESTS: dict[str, Callable[[str], Any]] = {
    "ApiVersions of a later version": later_version,
    **{f"config resources v{one}, {types}": partial(config_resources, types=types, version=one)
       for one, types in ((0, ()), (1, ()), (1, (2, 4)), (1, (16, 32)), (1, (2, 3)))},
    **{f"ACLs v{one}, {of}": partial(acls, asked=of, version=one) for of in ACLS for one in (1, 3)},
    **{f"quotas v{one}, {of}{' strictly' * strict}": partial(quotas, components=of, version=one, strict=strict)
       for of in QUOTAS for one in (0, 1) for strict in (False, True)},
    **{f"groups, {of}": partial(groups, filters=of) for of in GROUPS},
    **{f"transactions v{one}, {states}, {ids}": partial(transactions, states=states, version=one, ids=ids)
       for states in STATES for one in (0, 1, 2) for ids in (None, ("fresh", "open"))},
    **{f"FindCoordinator v{one}, {kind}": partial(coordinators, kind=kind, version=one)
       for kind in KINDS for one in (1, 3, 4, 5, 6)},
    **{f"OffsetFetch by id, {one}": partial(offsets_by_id, group=one)
       for one in ("polygenelubricants", "share-live", "nobody")},
    **{f"OffsetFetch v{one} for a member": partial(offsets_for_a_member, version=one) for one in (9, 10)},
    **{api: partial(allowed, api=api) for api in OF_GROUPS},
}  # fmt: skip


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_request_is_answered_alike(real: KafkaCluster, emulated: Emulated, request_: str) -> None:
    theirs, ours = answers(REQUESTS[request_], real, emulated)
    assert ours == theirs
    assert any(theirs)


@pytest.mark.parametrize("before", LISTED)
def test_transactions_are_filtered_by_when_the_last_one_began(
    real: KafkaCluster, emulated: Emulated, before: int
) -> None:
    theirs, ours = answers(partial(transactions, states=[], before=before), real, emulated)
    assert ours == theirs
    assert sum(len(told) for _, told in theirs) == LISTED[before]
