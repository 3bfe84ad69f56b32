"""DescribeLogDirs of the emulator: dirs, offline and empty ones, future replicas, denials by version, pages."""

from typing import Any

import pytest

from emulator.asking import ask, cluster, serving, walk
from emulator.handlers.by_cursor import LIMITS, fields, one_page, pages
from kafka_census.protocol.settings import CollectSettings
from kafka_emulator.log_dirs import TOTAL_BYTES
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import DescribeLogDirsRequest

DIRS = [f"/kafka/logs-{number}" for number in range(4)]
BROKERS = {"count": 3, "log_dirs": 4, "offline_log_dirs": [(1, 2)]}
VERSIONS = [("2.8", 1, 2), ("3.9", 1, 4), ("4.3", 1, 5)]
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


@pytest.mark.parametrize(("as_version", "lowest", "highest"), VERSIONS)
def test_dirs_are_the_worlds_at_every_version(as_version: str, lowest: int, highest: int) -> None:
    """Each broker's own; sizes of the volumes from v4 on; an offline dir is 56 and bare."""
    server = _server(as_version=as_version, kip_1062=False)
    for version in range(lowest, highest + 1):
        for broker in (1, 2, 3):
            response = ask(server, _request(), version, broker)
            assert [one.log_dir for one in response.results] == DIRS
            assert _rows(response) == _of_world(server, broker)
            for one in response.results:
                offline = broker == 1 and one.log_dir == DIRS[2]
                assert one.error_code == (56 if offline else 0)
                if version >= 4:
                    assert one.total_bytes == (-1 if offline else TOTAL_BYTES)
                    assert -1 <= one.usable_bytes < TOTAL_BYTES
                if offline:
                    assert not one.topics
    assert ask(server, _request(), highest + 1) is None


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


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("named", [None, {"moved": [3, 2, 1, 0], "topic-00001": [0, 1, 2, 3], "topic-00003": [5]}])
def test_any_limit_gives_what_the_whole_answer_has(limit: int, named: dict[str, list[int]] | None) -> None:
    """Replicas by topic, partition and dir; dirs without any on the last page, once."""
    server = _server()
    for broker in (1, 2):
        whole = ask(server, _request(named), 5, broker)
        walked = pages(server, lambda: _request(named), 6, limit, broker)
        assert [row for page in walked for row in _rows(page)] == _rows(whole)
        assert [_bare(page) for page in walked] == [[]] * (len(walked) - 1) + [_bare(whole)]
        assert len(walked) == max(1, -(-len(_rows(whole)) // limit))
        assert all(one.total_bytes == TOTAL_BYTES for page in walked for one in page.results if one.topics)


def test_a_broker_without_replicas_names_its_dirs() -> None:
    """On its one page."""
    server = cluster(
        brokers={"count": 2, "log_dirs": 2}, topics={"partitions": 0}, groups={"count": 0}, transactions={"count": 0}
    )
    response = one_page(server, _request(), 6, 1)
    assert (_bare(response), response.next_cursor) == ([(DIRS[0], 0), (DIRS[1], 0)], None)


def test_cursors() -> None:
    """Inclusive; what is gone begins at the next; a negative partition is 42."""
    server = _server()
    every = _of_world(server)

    def reported(*cursor: Any) -> list[tuple[Any, ...]]:
        return _rows(one_page(server, _request(), 6, 2, cursor))

    assert reported(*every[4][:3]) == every[4:6]
    assert reported(every[4][0], every[4][1], every[4][2] + "x") == every[5:7]
    assert reported(every[4][0], every[4][1], "") == every[4:6]
    end = one_page(server, _request(), 6, 2, ("zzz", 0, ""))
    assert (_rows(end), _bare(end), end.next_cursor) == ([], [(DIRS[2], 56)], None)
    bad = one_page(server, _request(), 6, 2, ("moved", -1, ""))
    assert (bad.error_code, bad.results, bad.next_cursor) == (42, [], None)


def test_our_client_reads_the_same_by_cursor_and_whole() -> None:
    """Every broker's replicas and bare dirs."""
    found = []
    for kip_1062 in (True, False):
        server = _server(kip_1062=kip_1062)
        rows = []
        with serving(server):
            for broker in (1, 2, 3):
                collect = CollectSettings(page_limit=3)
                walked = walk(server, "DescribeLogDirs", "log_dirs", broker=broker, collect=collect)
                assert {page.paging for page in walked} == {"cursor" if kip_1062 else "whole"}
                rows += [(broker, *row) for page in walked for row in page.rows]
        found.append(sorted(rows, key=repr))
    assert found[0] == found[1]
    assert any(row[2] == 56 for row in found[0])
