"""DescribeProducers of the emulator: codes, pages of errors, and what hangs."""

from typing import Any

from emulator.asking import ask, cluster
from emulator.handlers.by_cursor import fields, pages
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


def _partitions(response: Any) -> list[tuple[Any, ...]]:
    """(topic, partition, code, producers) of an answer."""
    return [
        (topic.name, one.partition_index, one.error_code, [fields(state, *STATE) for state in one.active_producers])
        for topic in response.topics
        for one in topic.partitions
    ]


def _producers(response: Any) -> list[tuple[Any, ...]]:
    return [(name, index, *one) for name, index, _, every in _partitions(response) for one in every]


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


def test_a_page_of_errors_is_no_larger_than_another() -> None:
    """Whoever asks for partitions that are not there: 2000 of them a page, not 12 MB at once."""
    topic = DescribeProducersRequest.TopicRequest(name="missing", partition_indexes=list(range(5000)))
    walked = pages(_server(), lambda: DescribeProducersRequest(topics=[topic]), 1, 1_000_000)
    assert [len(_partitions(page)) for page in walked] == [2000, 2000, 1000]


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
