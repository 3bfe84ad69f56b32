"""DescribeTopicPartitions: as Kafka 4.3's own handler pages, its quirks too."""

from typing import Any

from kafka.protocol.admin import DescribeTopicPartitionsRequest

from emulator.asking import ask, cluster, serving, walk
from kafka_census.protocol.settings import CollectSettings
from kafka_emulator.server import Server

SECTIONS: dict[str, Any] = {
    "topics": {
        "partitions": 10,
        "partitions_per_topic": 4,
        "declared": [
            {"name": "lost", "assignment": [[3, 2], [3, 1]], "configs": {"min.insync.replicas": "2"}},
            {"name": "secret"},
        ],
    },
    "brokers": {"count": 3, "stopped": [3]},
    "groups": {"count": 0},
    "transactions": {"count": 0},
}
NARROW = {
    "super_users": [],
    "acls": [{"resource_type": "TOPIC", "resource_name": "topic-", "pattern_type": "PREFIXED"}],
}


def asked(server: Server, *names: str, limit: int = 2000, cursor: tuple[str, int] | None = None) -> Any:
    request = DescribeTopicPartitionsRequest
    position = None if cursor is None else request.Cursor(topic_name=cursor[0], partition_index=cursor[1])
    topics = [request.TopicRequest(name=name) for name in names]
    return ask(server, request(topics=topics, response_partition_limit=limit, cursor=position), 0)


def reported(response: Any) -> list[Any]:
    """Topics with their code and their partitions' numbers."""
    return [
        (topic.name, topic.error_code, [part.partition_index for part in topic.partitions]) for topic in response.topics
    ]


def test_no_names_are_all_topics() -> None:
    server = cluster(**SECTIONS)
    response = asked(server)
    assert [topic.name for topic in response.topics] == sorted(server.world.topics.names)
    (lost,) = [topic for topic in response.topics if topic.name == "lost"]
    assert [(one.leader_id, list(one.isr_nodes), list(one.eligible_leader_replicas)) for one in lost.partitions] == [
        (2, [2], [3]),
        (1, [1], [3]),
    ]
    assert [list(one.offline_replicas) for one in lost.partitions] == [[3], [3]]


def test_denied_names_come_behind_every_page() -> None:
    """As long as they are not before the cursor; of all topics they are left out."""
    server = cluster(**SECTIONS, security=NARROW)
    names = ("lost", "topic-00000", "secret")
    first = asked(server, *names, limit=2)
    assert reported(first) == [("topic-00000", 0, [0, 1]), ("lost", 29, []), ("secret", 29, [])]
    second = asked(server, *names, limit=2, cursor=("topic-00000", 2))
    assert reported(second) == [("topic-00000", 0, [2, 3])]
    assert [topic.name for topic in asked(server).topics] == ["topic-00000", "topic-00001", "topic-00002"]


def test_a_cursor_of_a_deleted_topic() -> None:
    """Of all topics: the next one begins. Of named ones it is unknown, and the walk goes on."""
    server = cluster(**SECTIONS)
    assert reported(asked(server, limit=1, cursor=("m", 5))) == [("secret", 0, [0])]
    assert reported(asked(server, "m", "secret", limit=1, cursor=("m", 5))) == [("m", 3, []), ("secret", 0, [0])]


def test_a_denied_topic_behind_a_topic_that_was_cut_does_not_break_a_walk() -> None:
    """Kafka tells denied topics behind all others, on every page; our client has each once, as its first row."""
    acls = [{"resource_type": "TOPIC", "resource_name": "*", "operation": "ALL"}]
    acls += [{**acls[0], "resource_name": "secret", "permission": "DENY"}]
    topics = {"partitions": 0, "declared": [{"name": "cut", "partitions": 5}, {"name": "secret"}]}
    with serving(cluster(topics=topics, security={"super_users": [], "acls": acls})) as server:
        pages = walk(
            server, "DescribeTopicPartitions", "topics", keys=("cut", "secret"), collect=CollectSettings(page_limit=2)
        )
    assert [[(row[0], row[3], row[4]) for row in page.rows] for page in pages] == [
        [("secret", 29, None), ("cut", 0, 0), ("cut", 0, 1)],
        [("cut", 0, 2), ("cut", 0, 3)],
        [("cut", 0, 4)],
    ]
