"""Metadata: all topics or named ones, on every version and listener."""

from typing import Any
from uuid import UUID

import pytest

from emulator.asking import ask, cluster
from emulator.handlers.by_cursor import one_page, pages
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import MetadataRequest

SECTIONS: dict[str, Any] = {
    "topics": {
        "partitions": 10,
        "partitions_per_topic": 4,
        "declared": [
            {"name": "lost", "assignment": [[3], [3, 1]]},
            {"name": "orders", "partitions": 2, "configs": {"min.insync.replicas": "2"}},
            {"name": "secret"},
        ],
    },
    "brokers": {
        "count": 3,
        "stopped": [3],
        "racks": 3,
        "listeners": [{"name": "OUTSIDE"}, {"name": "INSIDE", "brokers": [1]}],
    },
    "groups": {"count": 0},
    "transactions": {"count": 0},
}
NARROW = {
    "super_users": [],
    "acls": [
        {"resource_type": "TOPIC", "resource_name": "topic-", "pattern_type": "PREFIXED"},
        {"resource_type": "TOPIC", "resource_name": "orders"},
    ],
}


def asked(server: Server, version: int = 13, **fields: Any) -> Any:
    """The response to a request that creates nothing."""
    return ask(server, MetadataRequest(**{"topics": None, "allow_auto_topic_creation": False} | fields), version)


def named(*names: str) -> list[Any]:
    """Topics of a request."""
    return [MetadataRequest.MetadataRequestTopic(name=name) for name in names]


@pytest.mark.parametrize("version", range(16))
def test_every_version_tells_all_topics(version: int) -> None:
    """v0 has an empty list for them."""
    server = cluster(**SECTIONS)
    topics = [] if version == 0 else None
    if version >= 14:
        response = asked(server, version, topics=topics, response_pagination_limit=2000)
    else:
        response = asked(server, version, topics=topics)
    assert [topic.name for topic in response.topics] == sorted(server.world.topics.names)
    parts = {(topic.name, part.partition_index): part for topic in response.topics for part in topic.partitions}
    for (name, index), part in parts.items():
        topic = server.world.topics.get(name)
        assert topic is not None
        state = server.world.topics.partition(topic, index)
        assert (part.leader_id, tuple(part.replica_nodes), tuple(part.isr_nodes)) == (
            state.leader,
            state.replicas,
            state.isr,
        )
        if version >= 5:
            assert tuple(part.offline_replicas) == state.offline
        if version >= 7:
            assert part.leader_epoch == state.leader_epoch
    assert parts["lost", 0].error_code == 5
    if version >= 10:
        assert {topic.topic_id for topic in response.topics}.isdisjoint({None, UUID(int=0)})
    if version == 15:
        assert {topic.name: topic.min_insync_replicas for topic in response.topics}["orders"] == 2


def test_an_empty_list_is_no_topic_from_v1_on() -> None:
    """The answer still lists the alive brokers."""
    response = asked(cluster(**SECTIONS), topics=[])
    assert response.topics == []
    assert [(one.node_id, one.rack) for one in response.brokers] == []
    server = cluster(**SECTIONS)
    for broker in (1, 2, 3):
        server.world.brokers.listens(broker, "OUTSIDE", 9000 + broker)
    assert [(one.node_id, one.port, one.rack) for one in asked(server, topics=[]).brokers] == [
        (1, 9001, "rack-0"),
        (2, 9002, "rack-1"),
    ]


def test_names_have_codes() -> None:
    """Denied, impossible, unknown, in this order; each once."""
    response = asked(cluster(**SECTIONS, security=NARROW), topics=named("orders", "gone", "a b", "secret", "orders"))
    assert {topic.name: topic.error_code for topic in response.topics} == {
        "orders": 0,
        "gone": 29,
        "a b": 29,
        "secret": 29,
    }
    assert len(response.topics) == 4
    reported = {
        topic.name: topic.error_code for topic in asked(cluster(**SECTIONS), topics=named("gone", "a b")).topics
    }
    assert reported == {"gone": 3, "a b": 17}


def test_what_may_not_be_described_is_left_out_of_all_topics() -> None:
    """In silence."""
    server = cluster(**SECTIONS, security=NARROW)
    assert [topic.name for topic in asked(server).topics] == ["orders", "topic-00000", "topic-00001", "topic-00002"]


def test_topics_are_found_by_id() -> None:
    """A denied one does not tell its name."""
    server = cluster(**SECTIONS, security=NARROW)
    ids = {name: topic.topic_id for name in ("orders", "secret") if (topic := server.world.topics.get(name))}
    topics = [MetadataRequest.MetadataRequestTopic(name=None, topic_id=one) for one in (*ids.values(), UUID(int=5))]
    reported = {topic.topic_id: (topic.name, topic.error_code) for topic in asked(server, topics=topics).topics}
    assert reported == {ids["orders"]: ("orders", 0), ids["secret"]: (None, 29), UUID(int=5): (None, 100)}


def test_a_leader_without_the_listener_is_72() -> None:
    """On that listener only."""
    server = cluster(**SECTIONS)
    request = MetadataRequest(topics=named("orders"), allow_auto_topic_creation=False)
    request.API_VERSION = 13
    request.with_header(correlation_id=1)
    reply = server.answer(1, "INSIDE", bytes(request.encode(header=True)))
    assert reply.frame is not None
    from kafka_messages.kip_1062 import MetadataResponse

    (topic,) = MetadataResponse.decode(reply.frame[4:], version=13, header=True).topics
    leaders = {(part.error_code, part.leader_id) for part in topic.partitions}
    assert leaders <= {(72, -1), (0, 1)}
    assert (72, -1) in leaders


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 2000])
@pytest.mark.parametrize("names", [None, ("topic-00002", "gone", "lost", "topic-00000", "orders", "a b")])
def test_any_limit_gives_the_same_partitions(names: tuple[str, ...] | None, limit: int) -> None:
    """And every error once."""
    server = cluster(**SECTIONS)

    def make() -> Any:
        return MetadataRequest(topics=None if names is None else named(*names), allow_auto_topic_creation=False)

    def reported(*responses: Any) -> list[Any]:
        topics = [topic for response in responses for topic in response.topics]
        errors = [(topic.name, topic.error_code) for topic in topics if topic.error_code]
        return errors + [(topic.name, part.partition_index) for topic in topics for part in topic.partitions]

    walked = pages(server, make, 14, limit)
    whole = reported(asked(server, topics=None if names is None else named(*names)))
    assert sorted(reported(*walked)) == sorted(whole)
    assert all(sum(max(1, len(topic.partitions)) for topic in one.topics) <= limit for one in walked)


@pytest.mark.parametrize("limit", [1, 2, 3, 2000])
def test_ids_have_pages_as_well(limit: int) -> None:
    """Those that stand for nothing each have a position of their own, and count."""
    server = cluster(**SECTIONS, security=NARROW)
    known = {name: topic.topic_id for name in ("orders", "secret") if (topic := server.world.topics.get(name))}
    ids = [*known.values(), *(UUID(int=number) for number in range(5, 12)), known["orders"]]

    def make() -> Any:
        topics = [MetadataRequest.MetadataRequestTopic(name=None, topic_id=one) for one in ids]
        return MetadataRequest(topics=topics, allow_auto_topic_creation=False)

    walked = [topic for page in pages(server, make, 14, limit) for topic in page.topics]
    whole = asked(server, topics=make().topics).topics
    assert {(one.topic_id, one.name, one.error_code) for one in walked} == {
        (one.topic_id, one.name, one.error_code) for one in whole
    }
    assert sum(max(1, len(one.partitions)) for one in walked) == 10
    assert all(
        sum(max(1, len(one.partitions)) for one in page.topics) <= limit for page in pages(server, make, 14, limit)
    )


def test_a_negative_partition_is_an_invalid_request() -> None:
    """Told at the top: an empty page would look like the end."""
    response = one_page(cluster(**SECTIONS), MetadataRequest(topics=None), 14, 5, ("orders", -1))
    assert (response.error_code, response.topics, response.next_cursor) == (42, [], None)
