"""ListPartitionReassignments of the emulator: what moves, named or all, the echo of an error, pages."""

from typing import Any

import pytest

from emulator.asking import ask, cluster, serving, walk
from emulator.handlers.by_cursor import LIMITS, one_page, pages
from kafka_census.protocol.settings import CollectSettings
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


@pytest.mark.parametrize("as_version", ["2.8", "3.9", "4.3"])
def test_all_that_moves_is_reported_by_any_broker(as_version: str) -> None:
    """Null topics are all of them."""
    server = _server(as_version=as_version, kip_1062=False)
    for broker in (1, 2, 3, 4):
        response = ask(server, _request(), 0, broker)
        assert (response.error_code, response.error_message) == (0, None)
        assert _rows(response) == _of_world(server)
    assert len(_of_world(server)) == 12
    assert ask(server, _request(), 1) is None


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


def test_describe_on_the_cluster_is_enough() -> None:
    """Topics are not looked at."""
    acls = [{"resource_type": "CLUSTER", "resource_name": "kafka-cluster"}]
    server = _server(security={"super_users": [], "acls": acls})
    assert _rows(ask(server, _request(), 0)) == _of_world(server)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("named", [False, True])
def test_any_limit_gives_what_the_whole_answer_has(limit: int, named: bool) -> None:
    """In order of topic and partition; a full last page has no cursor."""
    server = _server()
    topics = server.world.topics
    pairs = {name: list(range(9)) for name in [*topics.names][::-1]} if named else None
    whole = _rows(ask(server, _request(pairs), 0))
    walked = pages(server, lambda: _request(pairs), 1, limit)
    assert [row for page in walked for row in _rows(page)] == whole == _of_world(server)
    assert len(walked) == -(-len(whole) // limit)


def test_cursors() -> None:
    """Inclusive; a pair that does not move begins at the next one; a negative one is 42."""
    server = _server()
    every = _of_world(server)
    first = every[0]
    assert _rows(one_page(server, _request(), 1, 2, (first[0], first[1]))) == every[:2]
    assert _rows(one_page(server, _request(), 1, 2, (first[0], first[1] + 1))) == every[1:3]
    assert _rows(one_page(server, _request(), 1, 2, ("", 5))) == every[:2]
    end = one_page(server, _request(), 1, 2, ("zzz", 0))
    assert (_rows(end), end.next_cursor) == ([], None)
    bad = one_page(server, _request({"moved": [2]}), 1, 2, ("moved", -1))
    assert (bad.error_code, _rows(bad)) == (42, [("moved", 2, (), (), ())])


def test_a_topic_that_is_deleted_midway() -> None:
    """The page begins at the next one."""
    server = _server()
    every = _of_world(server)
    topic = every[3][0]
    server.world.delete_topics([topic])
    left = [row for row in every[3:] if row[0] != topic]
    assert _rows(one_page(server, _request(), 1, 2000, every[3][:2])) == left


def test_our_client_reads_the_same_by_cursor_and_whole() -> None:
    """And by windows of topics."""
    found = []
    for kip_1062, keys in ((True, ()), (False, ()), (False, ("moved/4",)), (True, ("moved/4",))):
        server = _server(kip_1062=kip_1062)
        with serving(server):
            walked = walk(
                server, "ListPartitionReassignments", "cluster", keys=keys, collect=CollectSettings(page_limit=5)
            )
        assert {page.error_code for page in walked} == {0}
        assert {page.paging for page in walked} == {"cursor" if kip_1062 else "window" if keys else "whole"}
        found.append([row for page in walked for row in page.rows])
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert (len(found[0]), len(found[2])) == (12, 1)
