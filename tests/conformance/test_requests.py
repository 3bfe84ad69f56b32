"""Requests that no census sends and clients may: the same answers, broker by broker."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from conformance.both import send
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


def began(server: str, before: int) -> list[tuple[str, str]]:
    filters = {"state_filters": [], "producer_id_filters": [], "transactional_id_pattern": None}
    found = send(server, "ListTransactions", 2, duration_filter=before, **filters).transaction_states
    return sorted((one.transactional_id, one.transaction_state) for one in found)


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


def allowed(server: str, api: str) -> tuple[Any, ...]:
    """What may be done to a group, by its coordinator; with the whole topology, which the census reads in part."""
    version, group = OF_GROUPS[api]
    more = {"include_topology_description": True} if api == "StreamsGroupDescribe" else {}
    (one,) = send(server, api, version, group_ids=[group], include_authorized_operations=True, **more).groups
    if one.error_code:
        return ()
    told = ("assignor_name", "topology", "topology_description_status", "topology_description")
    return one.authorized_operations, *(str(getattr(one, name, None)) for name in told)


REQUESTS: dict[str, Callable[[str], Any]] = {
    **{f"FindCoordinator v{one}, {kind}": partial(coordinators, kind=kind, version=one)
       for kind in KINDS for one in (1, 3, 4, 5, 6)},
    **{f"OffsetFetch by id, {one}": partial(offsets_by_id, group=one)
       for one in ("polygenelubricants", "share-live", "nobody")},
    **{api: partial(allowed, api=api) for api in OF_GROUPS},
}  # fmt: skip


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_request_is_answered_alike(real: KafkaCluster, emulated: Callable[..., str], request_: str) -> None:
    theirs, ours = answers(REQUESTS[request_], real, emulated)
    assert ours == theirs
    assert any(theirs)


@pytest.mark.parametrize("before", LISTED)
def test_transactions_are_filtered_by_when_the_last_one_began(
    real: KafkaCluster, emulated: Callable[..., str], before: int
) -> None:
    theirs, ours = answers(partial(began, before=before), real, emulated)
    assert ours == theirs
    assert sum(map(len, theirs)) == LISTED[before]
