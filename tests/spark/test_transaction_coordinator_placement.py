"""Transactional ids are placed like groups, on __transaction_state, and an open transaction has a duration."""

from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from spark.landed_items import NOON, Item, compute, item, missing_read, rows_by
from spark.placed_ids import found, internal, refused

TABLE = TRANSACTION_COORDINATOR_PLACEMENT
STATE = "__transaction_state"
START = int(NOON.timestamp() * 1000)
TWENTY = "c"  # hash 99: partition 1 of 2, led by broker 20


def listed(transactional_id: str, broker: int, state: str = "Ongoing", received: int = 2) -> Item:
    return item(broker, received, transactional_id=transactional_id, producer_id=7, transaction_state=state)


def described(transactional_id: str, broker: int, **columns: Any) -> Item:
    """A partition of a transaction that began at noon, in DescribeTransactions ten seconds later."""
    known = {
        "error_code": 0,
        "transaction_state": "Ongoing",
        "transaction_timeout_ms": 60_000,
        "transaction_start_time_ms": START,
        "producer_id": 7,
        "producer_epoch": 3,
        "topic": "orders",
        "partition": 0,
    }
    return item(broker, 10, transactional_id=transactional_id, **known | columns)


# Each id's hash is its letter's code. Three partitions: 0 is led by broker 10, 1 by broker 20, 2 by none.
LATE, EXACT, AHEAD, LATER, EXPIRED = "cfilo"
STATES = {"u": "CompleteCommit", "x": "CompleteAbort", "0": "Empty", "3": "Ongoing"}
UNREAD, GROWN, TWICE = "dgj"
LEADERLESS = "b"
AT_TEN = (LATE, EXACT, AHEAD, LATER, EXPIRED, *STATES)
AT = dict.fromkeys(AT_TEN, 10) | dict.fromkeys((UNREAD, TWICE), 20) | {GROWN: 30}
OF_TRANSACTION = ("transaction_state", "transaction_timeout_ms", "transaction_start_time_ms", "topic", "partition")
NOTHING = dict.fromkeys((*OF_TRANSACTION, "producer_id", "producer_epoch"))
NOT_WRITTEN = {"topic": None, "partition": None}
ENDED = {"CompleteCommit": START, "CompleteAbort": START}
"""A coordinator keeps the start of a completed transaction: a duration from that would grow for ever."""
DESCRIBED = {
    # A transaction that waits for its markers counts, too.
    LATE: {"transaction_state": "PrepareCommit", "transaction_timeout_ms": 9_999},
    EXACT: {"transaction_timeout_ms": 10_000},
    # The coordinator's clock is ahead of ours: the start is in the future.
    AHEAD: {"transaction_start_time_ms": START + int(timedelta(hours=1).total_seconds()) * 1000},
    # State, producer id and epoch changed since the listing.
    LATER: {"transaction_state": "CompleteCommit", "producer_id": 8, "producer_epoch": 0},
    EXPIRED: NOTHING | {"error_code": 105},
} | {
    name: NOT_WRITTEN | {"transaction_state": state, "transaction_start_time_ms": ENDED.get(state)}
    for name, state in STATES.items()
}


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[str, Row]:
    computed = compute(
        spark,
        TABLE,
        transactions=[
            *(listed(name, broker, STATES.get(name, "Ongoing")) for name, broker in AT.items()),
            *(listed(LEADERLESS, 10), listed(TWICE, 30, "Empty", 5)),
        ],
        coordinators=[*(found(name, broker) for name, broker in AT.items()), refused(LEADERLESS, 15)],
        descriptions=[described(name, 10, **columns) for name, columns in DESCRIBED.items()],
        missing=[missing_read("DescribeTransactions", "transactional_ids", 20, "CONNECTION_FAILED")],
        **internal(STATE, (10, 20, -1)),
    )
    return rows_by(computed, "transactional_id")


def test_durations_and_states_are_those_that_the_coordinator_describes(rows: dict[str, Row]) -> None:
    reported = ("transaction_state", "described_state", "producer_id", "producer_epoch", "duration_ms", "over_timeout")
    assert {name: tuple(rows[name][column] for column in reported) for name in (LATE, EXACT, AHEAD, LATER)} == {
        LATE: ("Ongoing", "PrepareCommit", 7, 3, 10_000, True),
        EXACT: ("Ongoing", "Ongoing", 7, 3, 10_000, False),
        AHEAD: ("Ongoing", "Ongoing", 7, 3, 0, False),
        LATER: ("Ongoing", "CompleteCommit", 8, 0, None, None),
    }


def test_only_an_open_transaction_has_a_duration(rows: dict[str, Row]) -> None:
    assert {state: rows[name].duration_reason for name, state in STATES.items()} == {
        "CompleteCommit": "no transaction is open (CompleteCommit)",
        "CompleteAbort": "no transaction is open (CompleteAbort)",
        "Empty": "no transaction is open (Empty)",
        "Ongoing": "the coordinator names no start (Ongoing)",
    }
    for name, state in STATES.items():
        row = rows[name]
        assert row.transaction_started_at == (NOON.replace(tzinfo=None) if state in ENDED else None)
        assert (row.duration_ms, row.over_timeout, row.written_partitions) == (None, None, 0)


def test_what_could_not_be_described_says_why(rows: dict[str, Row]) -> None:
    """An id that has expired, and one of a broker that was not read; placement and the listed producer id stay."""
    reasons = {
        EXPIRED: "DescribeTransactions answered TRANSACTIONAL_ID_NOT_FOUND",
        UNREAD: "DescribeTransactions was not read from broker 20 (CONNECTION_FAILED)",
    }
    for name, reason in reasons.items():
        row = rows[name]
        assert (row.description_reason, row.duration_reason) == (reason, reason)
        assert (row.agreement, row.producer_id, row.transaction_state) == ("agree", 7, "Ongoing")
        assert (row.producer_epoch, row.described_state, row.written_partitions) == (None,) * 3
        assert (row.duration_ms, row.over_timeout) == (None, None)


def test_disagreements_have_the_same_words_as_those_of_groups(rows: dict[str, Row]) -> None:
    """Grown __transaction_state, an id listed by two brokers, and one whose partition has no leader."""
    assert {name: rows[name].agreement for name in (GROWN, TWICE, LEADERLESS)} == {
        GROWN: "formula_differs",
        TWICE: "listed_twice",
        LEADERLESS: "no_coordinator",
    }
    assert rows[LEADERLESS].reason == f"partition 2 of {STATE} has no leader"
    assert rows[TWICE].transaction_state == "Empty"


def test_an_id_without_an_answer_of_find_coordinator_is_unknown(spark: SparkSession) -> None:
    """The named gap is that of the walk of transactional ids, not of groups."""
    missing = [
        missing_read("FindCoordinator", "groups", None, "CONNECTION_FAILED"),
        missing_read("FindCoordinator", "transactional_ids", None, "DEADLINE_EXCEEDED"),
    ]
    [row] = compute(spark, TABLE, missing, transactions=[listed(TWENTY, 20)], **internal(STATE, (10, 20))).collect()
    assert (row.agreement, row.reason) == ("unknown", "FindCoordinator was not read (DEADLINE_EXCEEDED)")
    assert row.description_reason == row.duration_reason == "DescribeTransactions did not answer for this id"
