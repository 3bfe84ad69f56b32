"""DescribeTransactions of the emulator: coordinators, codes, topics that are hidden, pages."""

from typing import Any

from emulator.asking import ask, cluster
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import DescribeTransactionsRequest

DECLARED = [
    {"id": "b", "producer_id": 7, "partitions": [("t", 1), ("s", 0), ("t", 0)]},
    {"id": "a", "producer_id": 7, "state": "Empty"},
    {"id": "z", "producer_id": 2**40, "state": "PrepareAbort", "partitions": [("t", 2)]},
]
TOPICS = {"partitions": 12, "declared": [{"name": "t", "partitions": 3}, {"name": "s"}]}


def _server(**sections: Any) -> Server:
    return cluster(**{"topics": TOPICS, "transactions": {"count": 20, "declared": DECLARED}, **sections})


def _request(ids: list[str]) -> Any:
    return DescribeTransactionsRequest(transactional_ids=ids)


def _rows(response: Any) -> list[tuple[Any, ...]]:
    return [
        (
            one.error_code,
            one.transactional_id,
            one.transaction_state,
            one.transaction_timeout_ms,
            one.transaction_start_time_ms,
            one.producer_id,
            one.producer_epoch,
            [(topic.topic, list(topic.partitions)) for topic in one.topics],
        )
        for one in response.transaction_states
    ]


def _codes(response: Any) -> dict[str, int]:
    return {row[1]: row[0] for row in _rows(response)}


def test_denied_ids_have_a_code_and_denied_topics_are_left_out() -> None:
    """53 says nothing of the id, known or not."""
    acls = [
        {"resource_type": "TRANSACTIONAL_ID", "resource_name": "b"},
        {"resource_type": "TOPIC", "resource_name": "s"},
    ]
    server = _server(brokers={"count": 1}, security={"super_users": [], "acls": acls})
    response = ask(server, _request(["a", "b", "unknown"]), 0)
    assert _codes(response) == {"b": 0, "a": 53, "unknown": 53}
    assert _rows(response)[1][7] == [("s", [0])]
    assert _rows(response)[0] == (53, "a", "", 0, 0, 0, 0, [])
