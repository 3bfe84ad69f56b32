"""Requests that no census sends and clients may: the same answers, broker by broker."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from conformance.both import send
from conformance.test_odd_requests import answers
from harness.kafka_cluster import KafkaCluster
from kafka_messages.kip_1062 import OffsetFetchRequest

Emulated = Callable[..., str]


# All began later than that; a transaction that never began counts from 1970.
@pytest.mark.parametrize(("duration", "listed"), [(-1, 5), (0, 5), (1_700_000_000_000, 1), (10**14, 0)])
def test_transactions_are_filtered_by_when_the_last_one_began(
    real: KafkaCluster, emulated: Emulated, duration: int, listed: int
) -> None:
    """Open or not: the state is a separate filter."""

    def ask(server: str) -> list[tuple[str, str]]:
        filters = {"state_filters": [], "producer_id_filters": [], "transactional_id_pattern": None}
        found = send(server, "ListTransactions", 2, duration_filter=duration, **filters).transaction_states
        return sorted((one.transactional_id, one.transaction_state) for one in found)

    theirs, ours = answers(ask, real, emulated)
    assert ours == theirs
    assert sum(map(len, theirs)) == listed


GROUP, TRANSACTION, SHARE, NOTHING = 0, 1, 2, 9
TOPIC_ID = "AAAAAAAAAAAAAAAAAAAAAQ"
SHARE_KEYS = (
    *(f"share-live:{TOPIC_ID}:{index}" for index in (0, 1, 2, 3, -1)),
    *("", "share-live", f":{TOPIC_ID}:0", f"share-live:{TOPIC_ID}:x", "share-live:orders:0", f"a:b:{TOPIC_ID}:0"),
)


@pytest.mark.parametrize("version", [1, 3, 4, 5, 6])
@pytest.mark.parametrize("kind", [GROUP, TRANSACTION, SHARE, NOTHING])
def test_coordinators_of_every_kind_are_found_alike(
    real: KafkaCluster, emulated: Emulated, kind: int, version: int
) -> None:
    """Keys of share groups need v6; an invalid request is answered with a message, but not key by key."""
    keys = SHARE_KEYS if kind == SHARE else ("open", "", "é")

    def ask(server: str) -> list[tuple[Any, ...]]:
        if version >= 4:
            found = send(server, "FindCoordinator", version, key_type=kind, coordinator_keys=list(keys)).coordinators
        else:
            found = [send(server, "FindCoordinator", version, key_type=kind, key=key) for key in keys]
        return [(one.error_code, one.error_message, one.node_id, one.host) for one in found]

    theirs, ours = answers(ask, real, emulated)
    assert ours == theirs
    assert all(theirs)


@pytest.mark.parametrize("group", ["polygenelubricants", "share-live", "nobody"])
def test_offsets_of_topic_ids_that_stand_for_nothing(real: KafkaCluster, emulated: Emulated, group: str) -> None:
    """100 for each partition, behind the others; a partition that a topic does not have is no error."""

    def ask(server: str) -> tuple[int, list[tuple[Any, ...]]]:
        every = send(server, "Metadata", 12, topics=None, allow_auto_topic_creation=False)
        (orders,) = (topic.topic_id for topic in every.topics if topic.name == "orders")
        topics = [
            OffsetFetchRequest.OffsetFetchRequestGroup.OffsetFetchRequestTopics(
                topic_id=topic_id, partition_indexes=[3, 99]
            )
            for topic_id in (UUID(int=5), orders)
        ]
        wanted = OffsetFetchRequest.OffsetFetchRequestGroup(
            group_id=group, member_id=None, member_epoch=-1, topics=topics
        )
        (reported,) = send(server, "OffsetFetch", 10, groups=[wanted], require_stable=False).groups
        return reported.error_code, [
            (topic.topic_id == orders, one.partition_index, one.committed_offset, one.metadata, one.error_code)
            for topic in reported.topics
            for one in topic.partitions
        ]

    theirs, ours = answers(ask, real, emulated)
    assert ours == theirs
    assert any(rows for _, rows in theirs)


GROUP_OF = {
    "ConsumerGroupDescribe": (1, "consumer-live"),
    "ShareGroupDescribe": (1, "share-live"),
    "StreamsGroupDescribe": (0, "streams-live"),
}
"""Kafka's highest version and a group, by API."""


@pytest.mark.parametrize("api", GROUP_OF)
def test_what_may_be_done_to_a_group_is_the_same(real: KafkaCluster, emulated: Emulated, api: str) -> None:
    """Also the whole topology of a streams group, which the census reads in part."""
    version, group = GROUP_OF[api]

    def ask(server: str) -> tuple[Any, ...]:
        (one,) = send(server, api, version, group_ids=[group], include_authorized_operations=True).groups
        return one.error_code, one.authorized_operations, str(getattr(one, "topology", None))

    theirs, ours = answers(ask, real, emulated)
    assert ours == theirs
    assert 0 in {code for code, *_ in theirs}
