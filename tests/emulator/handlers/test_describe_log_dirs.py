"""DescribeLogDirs of the emulator: future replicas, named ones, denials by version, dirs without replicas."""

from typing import Any

import pytest

from emulator.asking import ask, cluster
from emulator.handlers.by_cursor import fields, one_page
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import DescribeLogDirsRequest

DIRS = [f"/kafka/logs-{number}" for number in range(4)]
BROKERS = {"count": 3, "log_dirs": 4, "offline_log_dirs": [(1, 2)]}
ROW = ("partition_index", "partition_size", "offset_lag", "is_future_key")


def _server(**sections: Any) -> Server:
    """One replica moves between two dirs of broker 1 that are online."""
    probe = cluster(brokers=BROKERS, topics=_topics())
    topic = probe.world.topics.get("moved")
    assert topic is not None
    dirs = [probe.world.topics.log_dir(topic, index, 1) for index in range(topic.partitions)]
    index = next(position for position, one in enumerate(dirs) if one != 2)
    to = next(one for one in (0, 1) if one != dirs[index])
    move = {"partition": index, "broker": 1, "log_dir": to}
    return cluster(**{"brokers": BROKERS, "topics": _topics(move), **sections})


def _topics(*futures: Any) -> dict[str, Any]:
    moved = {"name": "moved", "partitions": 4, "replication_factor": 3, "futures": list(futures)}
    return {"partitions": 30, "reassigning": 3, "declared": [moved]}


def _request(positions: dict[str, list[int]] | None = None) -> Any:
    topic = DescribeLogDirsRequest.DescribableLogDirTopic
    topics = None if positions is None else [topic(topic=name, partitions=of) for name, of in positions.items()]
    return DescribeLogDirsRequest(topics=topics)


def _rows(response: Any) -> list[tuple[Any, ...]]:
    """(topic, partition, dir, size, lag, future) of an answer, in the order of pages."""
    found = [
        (topic.name, one.partition_index, result.log_dir, *fields(one, *ROW[1:]))
        for result in response.results
        for topic in result.topics
        for one in topic.partitions
    ]
    return sorted(found, key=lambda row: row[:3])


def _of_world(server: Server, broker: int = 1) -> list[tuple[Any, ...]]:
    every = server.world.replicas_of(broker)
    return [(one.topic, one.partition, one.log_dir, one.size, one.offset_lag, one.is_future) for one in every]


def _bare(response: Any) -> list[tuple[str, int]]:
    return [(one.log_dir, one.error_code) for one in response.results if not one.topics]


def test_a_replica_that_moves_has_two_rows() -> None:
    """In two dirs of one broker; the future one says how far it is behind."""
    rows = [row for row in _rows(ask(_server(), _request(), 5)) if row[0] == "moved"]
    (future,) = [row for row in rows if row[5]]
    (current,) = [row for row in rows if row[1] == future[1] and not row[5]]
    assert current[2] != future[2]
    assert current[4] == 0
    assert (future[3], future[4] > 0) == (current[3] // 2, True)


def test_a_move_to_the_dir_where_a_replica_is_already_is_none() -> None:
    """As in Kafka; two rows of one position would have one cursor."""
    moves = [{"partition": 0, "broker": 1, "log_dir": number} for number in range(4)]
    rows = [
        _rows(ask(cluster(brokers={"log_dirs": 4}, topics=_topics(one)), _request({"moved": [0]}), 5)) for one in moves
    ]
    assert sorted(len(of) for of in rows) == [1, 2, 2, 2]
    assert all(len({row[2] for row in of}) == len(of) for of in rows)


def test_named_ones() -> None:
    """Both rows of what moves; unknown ones are absent, and all dirs are there."""
    server = _server()
    every = _of_world(server)
    named = {"moved": [0, 1, 2, 3, 0, 7], "topic-00001": [2, 0, 1], "missing": [0]}
    wanted = [row for row in every if row[0] in named and row[1] in named[row[0]]]
    for version in (1, 5, 6):
        response = ask(server, _request(named), version)
        assert _rows(response) == wanted
        assert sorted({one.log_dir for one in response.results}) == DIRS
    nothing = ask(server, _request({}), 5)
    assert _bare(nothing) == [(one, 56 if one == DIRS[2] else 0) for one in DIRS]


@pytest.mark.parametrize("version", range(1, 7))
def test_a_denial_is_31_or_an_empty_answer(version: int) -> None:
    """There is no code below v3."""
    response = ask(_server(security={"super_users": []}), _request(), version)
    assert response.results == []
    if version >= 3:
        assert response.error_code == 31


def test_a_broker_without_replicas_names_its_dirs() -> None:
    server = cluster(
        brokers={"count": 2, "log_dirs": 2}, topics={"partitions": 0}, groups={"count": 0}, transactions={"count": 0}
    )
    response = one_page(server, _request(), 6, 1)
    assert (_bare(response), response.next_cursor) == ([(DIRS[0], 0), (DIRS[1], 0)], None)
