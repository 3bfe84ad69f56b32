"""Metadata: named topics, ids and listeners."""

from typing import Any
from uuid import UUID

from emulator.asking import ask, cluster
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
    return [MetadataRequest.MetadataRequestTopic(name=name) for name in names]


def test_an_empty_list_is_no_topic_from_v1_on() -> None:
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


def test_topics_are_found_by_id() -> None:
    server = cluster(**SECTIONS, security=NARROW)
    ids = {name: topic.topic_id for name in ("orders", "secret") if (topic := server.world.topics.get(name))}
    topics = [MetadataRequest.MetadataRequestTopic(name=None, topic_id=one) for one in (*ids.values(), UUID(int=5))]
    reported = {topic.topic_id: (topic.name, topic.error_code) for topic in asked(server, topics=topics).topics}
    assert reported == {ids["orders"]: ("orders", 0), ids["secret"]: (None, 29), UUID(int=5): (None, 100)}


def test_a_leader_without_the_listener_is_72() -> None:
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
