"""ListPartitionReassignments of the emulator: named ones, and the echo of an error."""

from typing import Any

from emulator.asking import ask, cluster
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import ListPartitionReassignmentsRequest

MOVED = {"name": "moved", "partitions": 4, "states": [{"partition": 2, "adding": [4], "removing": [1]}]}
TOPICS = {"partitions": 60, "reassigning": 11, "declared": [MOVED, {"name": "still"}]}


def _server(**sections: Any) -> Server:
    return cluster(**{"brokers": {"count": 4}, "topics": TOPICS, **sections})


def _request(pairs: dict[str, list[int]] | None = None) -> Any:
    topic = ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics
    topics = None if pairs is None else [topic(name=name, partition_indexes=of) for name, of in pairs.items()]
    return ListPartitionReassignmentsRequest(timeout_ms=1, topics=topics)


def _rows(response: Any) -> list[tuple[Any, ...]]:
    return [
        (topic.name, p.partition_index, tuple(p.replicas), tuple(p.adding_replicas), tuple(p.removing_replicas))
        for topic in response.topics
        for p in topic.partitions
    ]


def _of_world(server: Server) -> list[tuple[Any, ...]]:
    topics = server.world.topics
    every = ((topic.name, index, topics.partition(topic, index)) for topic, index in topics.every_partition())
    return sorted((name, i, p.replicas, p.adding, p.removing) for name, i, p in every if p.adding or p.removing)


def test_named_ones() -> None:
    """What does not move, or is unknown, is absent; an empty list is none."""
    server = _server()
    moving = [row for row in _of_world(server) if row[0] == "moved"]
    for version in (0, 1):
        named = {"moved": [0, 2, 2, 9], "still": [0], "missing": [0], "topic-00000": []}
        assert _rows(ask(server, _request(named), version)) == moving
        assert _rows(ask(server, _request({}), version)) == []
        assert _rows(ask(server, _request({"moved": [1]}), version)) == []
    assert moving == [("moved", 2, *moving[0][2:])]


def test_a_denial_echoes_what_was_asked_for() -> None:
    """31 at the top, and lists that are empty."""
    server = _server(security={"super_users": []})
    for version in (0, 1):
        response = ask(server, _request({"moved": [2, 9]}), version)
        assert (response.error_code, response.error_message) == (31, "Cluster authorization failed.")
        assert _rows(response) == [("moved", 2, (), (), ()), ("moved", 9, (), (), ())]
        assert _rows(ask(server, _request(), version)) == []
