"""DescribeTransactions of the emulator: coordinators, codes, topics that are hidden, pages."""

from typing import Any

import pytest

from emulator.asking import ask, cluster, serving, walk
from emulator.handlers.by_cursor import LIMITS, one_page, pages
from kafka_census.protocol.settings import CollectSettings
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


@pytest.mark.parametrize("as_version", ["3.9", "4.3"])
def test_transactions_are_the_worlds(as_version: str) -> None:
    """Of the coordinator; others are not (16)."""
    server = _server(as_version=as_version, kip_1062=False)
    world = server.world
    names = list(world.transactions.names)
    reported: list[tuple[Any, ...]] = []
    for broker in (1, 2, 3):
        rows = _rows(ask(server, _request(names), 0, broker))
        assert [row[1] for row in rows] == names
        mine = [row for row in rows if row[0] == 0]
        assert all(row == (16, row[1], "", 0, 0, 0, 0, []) for row in rows if row[0])
        assert {row[1] for row in mine} == {name for name in names if world.transaction_coordinator(name) == broker}
        reported += mine
    for row in reported:
        one = world.transactions.get(row[1])
        assert one is not None
        expected = (one.state, one.timeout_ms, one.start_time_ms, one.producer_id, one.producer_epoch)
        assert row[2:7] == expected
        assert tuple((topic, index) for topic, indexes in row[7] for index in indexes) == one.partitions
    assert len(reported) == 23
    assert next(row[7] for row in reported if row[1] == "b") == [("s", [0]), ("t", [0, 1])]
    assert ask(server, _request(names), 1) is None


def test_kafka_2_8_has_it_not() -> None:
    """It hangs up."""
    assert ask(_server(as_version="2.8", kip_1062=False), _request(["a"]), 0) is None


def test_codes_of_ids() -> None:
    """42 an empty one, 105 unknown; each as often as it is asked for."""
    server = _server(brokers={"count": 1})
    response = ask(server, _request(["", "a", "unknown", "a", ""]), 0)
    assert [row[:2] for row in _rows(response)] == [(42, ""), (0, "a"), (105, "unknown"), (0, "a"), (42, "")]


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


def test_a_coordinator_that_moved_says_so() -> None:
    """16 at the old one, and at all while the partition has no leader."""
    server = _server()
    old = server.world.transaction_coordinator("b")
    new = old % 3 + 1
    server.world.move_coordinators("__transaction_state", [server.world.transactions.partition_of("b")], new)
    assert _codes(ask(server, _request(["b"]), 0, old)) == {"b": 16}
    assert _codes(ask(server, _request(["b"]), 0, new)) == {"b": 0}


@pytest.mark.parametrize("limit", LIMITS)
def test_any_limit_gives_what_the_whole_answer_has(limit: int) -> None:
    """A page counts ids, each once; those with a code come last."""
    server = _server()
    names = [*server.world.transactions.names, "unknown", ""][::-1]
    whole = _rows(ask(server, _request(names), 0))
    walked = pages(server, lambda: _request([*names, *names]), 1, limit)
    in_order = sorted(whole, key=lambda row: (row[0] != 0, -row[5], row[1]))
    assert [row for page in walked for row in _rows(page)] == in_order
    assert {row[0] for row in whole} == {0, 16, 42}
    assert [len(_rows(page)) for page in walked[:-1]] == [limit] * (len(walked) - 1)
    assert len(walked) == -(-len(whole) // limit)


def test_cursors() -> None:
    """Inclusive, also for two ids of one producer; one outside the list is a position like any other."""
    server = _server(brokers={"count": 1})
    every = ["z", "transaction-0000003", "a", "b", "unknown"]

    def reported(*cursor: Any) -> list[str]:
        return [row[1] for row in _rows(one_page(server, _request(every), 1, 2, cursor))]

    assert reported("z", 2**40) == every[:2]
    assert reported("transaction-0000004", 1_000_004) == every[1:3]
    assert reported("a", 7) == every[2:4]
    assert reported("b", 7) == every[3:]
    assert reported("", -1) == ["unknown"]
    assert reported("v", -1) == []


def test_our_client_reads_the_same_by_cursor_and_by_window() -> None:
    """At every coordinator, a row per partition."""
    found = []
    for kip_1062 in (True, False):
        server = _server(kip_1062=kip_1062)
        rows = []
        with serving(server):
            for broker in (1, 2, 3):
                names = server.world.transactions.names
                keys = tuple(name for name in names if server.world.transaction_coordinator(name) == broker)
                collect = CollectSettings(page_limit=2)
                walked = walk(
                    server, "DescribeTransactions", "transactional_ids", broker=broker, keys=keys, collect=collect
                )
                assert {page.paging for page in walked} == {"cursor" if kip_1062 else "window"}
                rows += [row for page in walked for row in page.rows]
        found.append(sorted(rows, key=repr))
    assert found[0] == found[1]
    assert len({row[0] for row in found[0]}) == 23
