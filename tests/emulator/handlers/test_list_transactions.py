"""ListTransactions of the emulator: filters by version."""

import time
from typing import Any

import pytest

from emulator.asking import ask, cluster
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import ListTransactionsRequest

DECLARED = [
    {"id": "b", "producer_id": 7, "state": "PrepareCommit"},
    {"id": "a", "producer_id": 7, "state": "Empty"},
    {"id": "z", "producer_id": 2**40},
]


def _server(**sections: Any) -> Server:
    return cluster(**{"transactions": {"count": 60, "declared": DECLARED}, **sections})


def _request(**filters: Any) -> Any:
    return ListTransactionsRequest(
        **{
            "state_filters": [],
            "producer_id_filters": [],
            "duration_filter": -1,
            "transactional_id_pattern": None,
            **filters,
        }
    )


def _rows(response: Any) -> list[tuple[str, int, str]]:
    return [(one.transactional_id, one.producer_id, one.transaction_state) for one in response.transaction_states]


def _of_world(server: Server, broker: int) -> list[tuple[str, int, str]]:
    world = server.world
    every = (world.transactions.get(name) for name in world.transactions.names)
    mine = [one for one in every if one and world.transaction_coordinator(one.transactional_id) == broker]
    mine.sort(key=lambda one: (-one.producer_id, one.transactional_id))
    return [(one.transactional_id, one.producer_id, one.state) for one in mine]


def _reported(server: Server, version: int = 2, **filters: Any) -> list[tuple[str, int, str]]:
    response = ask(server, _request(**filters), version)
    assert (response.error_code, response.unknown_state_filters) == (0, [])
    return _rows(response)


def test_filters() -> None:
    server = _server(brokers={"count": 1})
    every = _of_world(server, 1)
    for version in (0, 1, 2, 3):
        assert _reported(server, version, state_filters=["Ongoing", "Empty"]) == [
            row for row in every if row[2] in ("Ongoing", "Empty")
        ]
        assert _reported(server, version, producer_id_filters=[7, 1_000_003, 5]) == [
            row for row in every if row[1] in (7, 1_000_003)
        ]
        assert _reported(server, version, state_filters=["Empty"], producer_id_filters=[7]) == [("a", 7, "Empty")]


def test_an_unknown_state_is_reported_and_matches_nothing() -> None:
    """Misspelt alone it filters everything out; others go on holding. `Dead` is a state, and never listed."""
    server = _server(brokers={"count": 1})
    alone = ask(server, _request(state_filters=["ongoing"]), 2)
    assert (alone.error_code, alone.unknown_state_filters, _rows(alone)) == (0, ["ongoing"], [])
    both = ask(server, _request(state_filters=["ongoing", "Empty", "ongoing"]), 2)
    assert both.unknown_state_filters == ["ongoing"]
    assert _rows(both) == _reported(server, state_filters=["Empty"]) != []
    assert _reported(server, state_filters=["Dead"]) == []


@pytest.mark.parametrize("pattern", ["(.|.|..)*x", "(a|aa)+$", "(.*)*(.*)*(.*)*x"])
def test_no_pattern_takes_long(pattern: str) -> None:
    """One that costs other engines years is answered like another, and all brokers with it."""
    server = _server(transactions={"count": 0, "declared": [{"id": "a" * 2000 + "!", "producer_id": 1}]})
    start = time.monotonic()
    assert _reported(server, transactional_id_pattern=pattern) == []
    assert time.monotonic() - start < 1
