"""DescribeProducers of the emulator: any replica, codes, pages within a partition."""

from typing import Any

import pytest

from emulator.asking import ask, cluster, serving, walk
from emulator.handlers.by_cursor import LIMITS, fields, one_page, pages
from kafka_census.paging.rpc import partition_key
from kafka_census.protocol.settings import CollectSettings
from kafka_emulator.producers import BEGINNING
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import DescribeProducersRequest, DescribeTransactionsRequest

STATE = (
    "producer_id",
    "producer_epoch",
    "last_sequence",
    "last_timestamp",
    "coordinator_epoch",
    "current_txn_start_offset",
)
TOPICS = {"partitions": 12, "declared": [{"name": "hot", "producers": 9}, {"name": "idle", "producers": 0}]}


def _request(pairs: list[tuple[str, int]]) -> Any:
    topic = DescribeProducersRequest.TopicRequest
    return DescribeProducersRequest(topics=[topic(name=name, partition_indexes=[index]) for name, index in pairs])


def _server(**sections: Any) -> Server:
    return cluster(**{"brokers": {"count": 1}, "topics": TOPICS, "transactions": {"count": 30}, **sections})


def _pairs(server: Server) -> list[tuple[str, int]]:
    return [(topic.name, index) for topic, index in server.world.topics.every_partition() if not topic.is_internal]


def _partitions(response: Any) -> list[tuple[Any, ...]]:
    """(topic, partition, code, producers) of an answer."""
    return [
        (topic.name, one.partition_index, one.error_code, [fields(state, *STATE) for state in one.active_producers])
        for topic in response.topics
        for one in topic.partitions
    ]


def _producers(response: Any) -> list[tuple[Any, ...]]:
    return [(name, index, *one) for name, index, _, every in _partitions(response) for one in every]


def _in_order(producer: tuple[Any, ...]) -> tuple[Any, ...]:
    """By topic and partition, highest id first."""
    return producer[0], producer[1], -producer[2]


@pytest.mark.parametrize("as_version", ["2.8", "3.9", "4.3"])
def test_producers_are_the_worlds(as_version: str) -> None:
    """Highest id first, open transactions too; partitions without any have a row. Each as often as it is asked for."""
    server = _server(as_version=as_version, kip_1062=False)
    pairs = _pairs(server)
    reported = _partitions(ask(server, _request(pairs[::-1] + pairs), 0))
    assert [row[:3] for row in reported] == [(*pair, 0) for pair in pairs[::-1] + pairs]
    for name, index, _, every in reported:
        topic = server.world.topics.get(name)
        assert topic is not None
        wanted = [
            (p.producer_id, p.epoch, p.last_sequence, p.last_timestamp, p.coordinator_epoch, p.current_txn_start_offset)
            for p in server.world.producers(topic, index)
        ]
        assert every == wanted == sorted(wanted, reverse=True)
    assert any(one[-1] >= 0 for *_, every in reported for one in every)
    assert any(not every for *_, every in reported)
    assert ask(server, _request(pairs), 1) is None


def test_a_follower_answers_and_a_stranger_does_not() -> None:
    """6 where the broker has no replica."""
    server = _server(brokers={"count": 3})
    for name, index in _pairs(server):
        topic = server.world.topics.get(name)
        assert topic is not None
        replicas = server.world.topics.partition(topic, index).replicas
        for broker in (1, 2, 3):
            ((_, _, code, every),) = _partitions(ask(server, _request([(name, index)]), 0, broker))
            assert code == (0 if broker in replicas else 6)
            assert len(every) == (len(server.world.producers(topic, index)) if broker in replicas else 0)


def test_codes_of_partitions() -> None:
    """17, 29 without READ, 3, 56; in the order in which they are found out."""
    server = _server(
        brokers={"count": 1, "log_dirs": 2, "offline_log_dirs": [(1, 1)]},
        topics={"partitions": 0, "declared": [{"name": "read", "partitions": 9}, {"name": "described"}]},
        security={
            "super_users": [],
            "acls": [
                {"resource_type": "TOPIC", "resource_name": "read", "operation": "READ"},
                {"resource_type": "TOPIC", "resource_name": "described"},
            ],
        },
    )
    topic = server.world.topics.get("read")
    assert topic is not None
    offline = [index for index in range(9) if server.world.topics.log_dir(topic, index, 1) == 1]
    asked = [("read", index) for index in range(10)] + [("described", 0), ("missing", 0), ("bad/name", 0)]
    reported = {row[:2]: row[2] for row in _partitions(ask(server, _request(asked), 0))}
    assert offline
    assert reported == {
        **{("read", index): 56 if index in offline else 0 for index in range(9)},
        ("read", 9): 3,
        ("described", 0): 29,
        ("missing", 0): 29,
        ("bad/name", 0): 17,
    }
    denied = ask(server, _request([("described", 0)]), 0).topics[0].partitions[0]
    assert denied.error_message == "Topic authorization failed."


@pytest.mark.parametrize("limit", LIMITS)
def test_any_limit_gives_what_the_whole_answer_has(limit: int) -> None:
    """Producers in order, each once; a partition without producers or with a code is returned once."""
    server = _server()
    pairs = [*_pairs(server), ("missing", 0), ("A", 1)]
    whole = ask(server, _request(pairs), 0)
    walked = pages(server, lambda: _request(pairs), 1, limit)
    assert [one for page in walked for one in _producers(page)] == sorted(_producers(whole), key=_in_order)
    bare = [row[:3] for page in walked for row in _partitions(page) if not row[3]]
    assert bare == sorted(row[:3] for row in _partitions(whole) if not row[3])
    counted = [sum(max(1, len(row[3])) for row in _partitions(page)) for page in walked]
    assert counted[:-1] == [limit] * (len(walked) - 1)
    assert counted[-1] <= limit


def test_a_page_of_errors_is_no_larger_than_another() -> None:
    """Whoever asks for partitions that are not there: 2000 of them a page, not 12 MB at once."""
    topic = DescribeProducersRequest.TopicRequest(name="missing", partition_indexes=list(range(5000)))
    walked = pages(_server(), lambda: DescribeProducersRequest(topics=[topic]), 1, 1_000_000)
    assert [len(_partitions(page)) for page in walked] == [2000, 2000, 1000]


def test_cursors() -> None:
    """Inclusive; an id that is gone begins at the next lower one; a partition begins at the largest id there is."""
    server = _server()
    every = [row[2] for row in _producers(ask(server, _request([("hot", 0)]), 0))]

    def ids(cursor: tuple[Any, ...]) -> list[int]:
        return [row[2] for row in _producers(one_page(server, _request([("hot", 0)]), 1, 3, cursor))]

    assert ids(("hot", 0, BEGINNING)) == every[:3]
    assert ids(("hot", 0, every[2])) == every[2:5]
    assert ids(("hot", 0, every[2] + 1)) == every[2:5]
    assert ids(("hot", 0, -1)) == ids(("zzz", 0, 0)) == []
    between = one_page(server, _request([("hot", 0), ("idle", 0)]), 1, len(every))
    assert fields(between.next_cursor, "topic_name", "partition_index", "producer_id") == ("idle", 0, BEGINNING)
    bad = one_page(server, _request([("hot", 0), ("missing", 3)]), 1, 3, ("hot", -1, BEGINNING))
    assert _partitions(bad) == [("hot", 0, 42, []), ("missing", 3, 42, [])]


def test_an_error_in_the_middle_of_a_partition_is_reported() -> None:
    """A topic that is gone between two pages: its code comes on the page that would go on with it."""
    server = _server()
    first = one_page(server, _request([("hot", 0), ("idle", 0)]), 1, 3)
    cursor = fields(first.next_cursor, "topic_name", "partition_index", "producer_id")
    server.world.delete_topics(["hot"])
    then = one_page(server, _request([("hot", 0), ("idle", 0)]), 1, 3, cursor)
    assert _partitions(then) == [("hot", 0, 3, []), ("idle", 0, 0, [])]


def test_a_hanging_transaction_is_open_where_it_was_written_and_ended_for_its_coordinator() -> None:
    """The partition's producer has a start offset and holds the last stable offset back; DescribeTransactions names
    no partition. A transaction that ended as it should leaves its producer behind, and holds nothing.
    """
    forgotten = {"id": "forgotten", "producer_id": 900, "state": "CompleteCommit", "hanging": [["hot", 0]]}
    ended = {"id": "ended", "producer_id": 901, "state": "CompleteCommit", "partitions": [["idle", 0]]}
    server = _server(transactions={"count": 0, "declared": [forgotten, ended]})
    starts = {row[2]: row[-1] for row in _producers(ask(server, _request([("hot", 0), ("idle", 0)]), 0))}
    logs = {}
    for name in ("hot", "idle"):
        topic = server.world.topics.get(name)
        assert topic is not None
        logs[name] = server.world.log(topic, 0)
    assert starts[900] == logs["hot"].last_stable < logs["hot"].high_watermark
    assert starts[901] == -1
    assert logs["idle"].last_stable == logs["idle"].high_watermark
    reported = ask(server, DescribeTransactionsRequest(transactional_ids=["forgotten", "ended"]), 0).transaction_states
    assert {fields(one, "transactional_id", "transaction_state") for one in reported} == {
        ("forgotten", "CompleteCommit"),
        ("ended", "CompleteCommit"),
    }
    assert not any(one.topics for one in reported)


def test_our_client_reads_the_same_by_cursor_and_by_window() -> None:
    """A row per producer, and one for partitions without any."""
    found = []
    for kip_1062 in (True, False):
        server = _server(kip_1062=kip_1062)
        keys = tuple(partition_key(*pair) for pair in _pairs(server))
        with serving(server):
            walked = walk(server, "DescribeProducers", "partitions", keys=keys, collect=CollectSettings(page_limit=2))
        assert {page.paging for page in walked} == {"cursor" if kip_1062 else "window"}
        found.append([row for page in walked for row in page.rows])
    assert found[0] == found[1]
    assert len(found[0]) > len(keys)
