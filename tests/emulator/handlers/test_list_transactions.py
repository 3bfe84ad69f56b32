"""ListTransactions of the emulator: whose ids, filters by version, pages in the order of producer ids."""

import time
from typing import Any

import pytest

from emulator.asking import ask, cluster, serving, walk
from emulator.handlers.by_cursor import LIMITS, one_page, pages
from kafka_census.protocol.settings import CollectSettings
from kafka_emulator.logs import START_TIME_MS
from kafka_emulator.server import Server
from kafka_messages.kip_1062 import ListTransactionsRequest

DECLARED = [
    {"id": "b", "producer_id": 7, "state": "PrepareCommit"},
    {"id": "a", "producer_id": 7, "state": "Empty"},
    {"id": "z", "producer_id": 2**40},
]
VERSIONS = [("3.9", 0), ("3.9", 1), ("4.3", 0), ("4.3", 1), ("4.3", 2)]


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


@pytest.mark.parametrize(("as_version", "version"), VERSIONS)
def test_each_broker_lists_what_it_coordinates(as_version: str, version: int) -> None:
    """By producer id, descending, then by id; all brokers together have all."""
    server = _server(as_version=as_version, kip_1062=False)
    found = []
    for broker in (1, 2, 3):
        rows = _rows(ask(server, _request(), version, broker))
        assert rows == _of_world(server, broker)
        found += rows
    assert len(found) == 63
    assert ask(server, _request(), 3) is None


def test_kafka_2_8_has_it_not() -> None:
    """It hangs up."""
    assert ask(_server(as_version="2.8", kip_1062=False), _request(), 0) is None


def test_filters() -> None:
    """All must hold; ids and states are exact."""
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


def test_a_duration_has_passed_since_the_last_transaction_began() -> None:
    """From v1 on; by the clock, open or not. Where there was none it is since 1970."""
    server = _server(brokers={"count": 1})
    every, now = _of_world(server, 1), int(time.time() * 1000)
    age = now - START_TIME_MS
    assert _reported(server, duration_filter=0) == every
    assert _reported(server, 1, duration_filter=age + 3_600_000) == [row for row in every if row[2] == "Empty"]
    assert _reported(server, duration_filter=now + 3_600_000) == []
    some = _reported(server, 3, duration_filter=age - 1_800_000)
    assert {"Ongoing", "CompleteAbort"} < {row[2] for row in some}
    assert set(some) < set(every)
    assert _reported(server, duration_filter=-1) == every


@pytest.mark.parametrize("version", [2, 3])
def test_a_pattern_is_of_the_whole_id(version: int) -> None:
    """From v2 on; an empty one is none, and what RE2 cannot read is 128."""
    server = _server(brokers={"count": 1})
    assert [row[0] for row in _reported(server, version, transactional_id_pattern="[ab]")] == ["a", "b"]
    assert len(_reported(server, version, transactional_id_pattern="transaction-.*5")) == 6
    assert _reported(server, version, transactional_id_pattern="transaction") == []
    assert len(_reported(server, version, transactional_id_pattern="")) == 63
    for bad in ("(", "[a", "*a", "(?=a)b", "(?<!a)b", r"(a)\1", "(?P<x>a)(?P=x)"):
        response = ask(server, _request(transactional_id_pattern=bad), version)
        assert (response.error_code, _rows(response)) == (128, [])


@pytest.mark.parametrize("pattern", ["(.|.|..)*x", "(a|aa)+$", "(.*)*(.*)*(.*)*x"])
def test_no_pattern_takes_long(pattern: str) -> None:
    """One that costs other engines years is answered like another, and all brokers with it."""
    server = _server(transactions={"count": 0, "declared": [{"id": "a" * 2000 + "!", "producer_id": 1}]})
    start = time.monotonic()
    assert _reported(server, transactional_id_pattern=pattern) == []
    assert time.monotonic() - start < 1


def test_denied_ids_are_left_out_in_silence() -> None:
    """Before filters and pages."""
    acls = [{"resource_type": "TRANSACTIONAL_ID", "resource_name": "transaction-000000", "pattern_type": "PREFIXED"}]
    server = _server(brokers={"count": 1}, security={"super_users": [], "acls": acls})
    visible = [row for row in _of_world(server, 1) if row[0].startswith("transaction-000000")]
    assert _reported(server) == visible
    assert len(visible) == 10
    assert [row for page in pages(server, _request, 3, 3) for row in _rows(page)] == visible


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(
    "filters", [{}, {"state_filters": ["Ongoing"]}, {"transactional_id_pattern": ".*[37]"}, {"state_filters": ["No"]}]
)
def test_any_limit_gives_what_the_whole_answer_has(limit: int, filters: dict[str, Any]) -> None:
    """Every page but the last is full, filtered or not, and a full last page has no cursor."""
    server = _server(brokers={"count": 1})
    whole = _rows(ask(server, _request(**filters), 2))
    walked = pages(server, lambda: _request(**filters), 3, limit)
    assert [row for page in walked for row in _rows(page)] == whole
    assert len(walked) == max(1, -(-len(whole) // limit))


def test_cursors() -> None:
    """Inclusive, also for two ids of one producer; what is gone begins at the next."""
    server = _server(brokers={"count": 1})
    every = _of_world(server, 1)

    def reported(*cursor: Any, **filters: Any) -> list[tuple[str, int, str]]:
        return _rows(one_page(server, _request(**filters), 3, 2, cursor))

    assert reported("z", 2**40) == every[:2]
    assert reported("zz", 2**40) == every[1:3]
    assert [row[0] for row in reported("a", 7)] == ["a", "b"]
    assert [row[0] for row in reported("aa", 7)] == ["b"]
    assert reported("", 6) == []
    assert reported("z", 2**40, state_filters=["Empty"]) == [row for row in every if row[2] == "Empty"][:2]


def test_our_client_reads_the_same_by_cursor_and_whole() -> None:
    """At every broker."""
    found = []
    for kip_1062 in (True, False):
        server = _server(kip_1062=kip_1062)
        with serving(server):
            walked = [
                page
                for broker in (1, 2, 3)
                for page in walk(
                    server, "ListTransactions", "transactions", broker=broker, collect=CollectSettings(page_limit=4)
                )
            ]
        assert {page.paging for page in walked} == {"cursor" if kip_1062 else "whole"}
        found.append([row for page in walked for row in page.rows])
    assert found[0] == found[1]
    assert len(found[0]) == 63
