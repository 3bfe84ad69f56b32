"""Transactional ids are placed like groups, on __transaction_state, and an open transaction has a duration."""

from typing import Any

from kafka_census.tables.transaction_coordinator_placement.columns import TRANSACTION_COORDINATOR_PLACEMENT
from spark.cases import Case, each_case
from spark.landed_items import Item, item, milliseconds, missing_read, naive
from spark.placed_ids import found, internal, refused

TABLE = TRANSACTION_COORDINATOR_PLACEMENT
STATE = "__transaction_state"
START = milliseconds(0)
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
    AHEAD: {"transaction_start_time_ms": milliseconds(3600)},
    # State, producer id and epoch changed since the listing.
    LATER: {"transaction_state": "CompleteCommit", "producer_id": 8, "producer_epoch": 0},
    EXPIRED: NOTHING | {"error_code": 105},
} | {
    name: NOT_WRITTEN | {"transaction_state": state, "transaction_start_time_ms": ENDED.get(state)}
    for name, state in STATES.items()
}


OPEN = "duration_ms over_timeout"
REASONS = {
    EXPIRED: "DescribeTransactions answered TRANSACTIONAL_ID_NOT_FOUND",
    UNREAD: "DescribeTransactions was not read from broker 20 (CONNECTION_FAILED)",
}
NO_DURATION = {state: f"no transaction is open ({state})" for state in STATES.values()}
NO_DURATION["Ongoing"] = "the coordinator names no start (Ongoing)"
CASES = {
    "every kind of id": Case(
        {
            "alone": True,
            "transactions": [
                *(listed(name, broker, STATES.get(name, "Ongoing")) for name, broker in AT.items()),
                *(listed(LEADERLESS, 10), listed(TWICE, 30, "Empty", 5)),
            ],
            "coordinators": [*(found(name, broker) for name, broker in AT.items()), refused(LEADERLESS, 15)],
            "descriptions": [described(name, 10, **columns) for name, columns in DESCRIBED.items()],
            "missing": [missing_read("DescribeTransactions", "transactional_ids", 20, "CONNECTION_FAILED")],
            **internal(STATE, (10, 20, -1)),
        },
        None,
    )
    .table(
        f"transaction_state described_state producer_id producer_epoch {OPEN}",
        {
            LATE: ("Ongoing", "PrepareCommit", 7, 3, 10_000, True),
            EXACT: ("Ongoing", "Ongoing", 7, 3, 10_000, False),
            AHEAD: ("Ongoing", "Ongoing", 7, 3, 0, False),
            LATER: ("Ongoing", "CompleteCommit", 8, 0, None, None),
        },
    )
    # Only an open transaction has a duration.
    .table(
        f"duration_reason transaction_started_at written_partitions {OPEN}",
        {
            name: (NO_DURATION[state], naive(0) if state in ENDED else None, 0, None, None)
            for name, state in STATES.items()
        },
    )
    # An id that has expired, and one of a broker that was not read; placement and the listed producer id stay.
    .table(
        f"description_reason duration_reason {OPEN} agreement producer_id transaction_state producer_epoch",
        {name: (reason, reason, None, None, "agree", 7, "Ongoing", None) for name, reason in REASONS.items()},
    )
    .table("described_state written_partitions", dict.fromkeys(REASONS, (None, None)))
    # A grown __transaction_state, an id listed by two brokers, and one whose partition has no leader: as of groups.
    .table(
        "agreement transaction_state",
        {
            GROWN: ("formula_differs", "Ongoing"),
            TWICE: ("listed_twice", "Empty"),
            LEADERLESS: ("no_coordinator", "Ongoing"),
        },
    )
    .table("reason", {LEADERLESS: f"partition 2 of {STATE} has no leader"}),
    # The named gap is that of the walk of transactional ids, not of groups.
    "an id without an answer of FindCoordinator is unknown": Case(
        {
            "alone": True,
            "transactions": [listed(TWENTY, 20)],
            "missing": [
                missing_read("FindCoordinator", "groups", None, "CONNECTION_FAILED"),
                missing_read("FindCoordinator", "transactional_ids", None, "DEADLINE_EXCEEDED"),
            ],
            **internal(STATE, (10, 20)),
        },
        TWENTY,
    ).gives(
        agreement="unknown",
        reason="FindCoordinator was not read (DEADLINE_EXCEEDED)",
        description_reason="DescribeTransactions did not answer for this id",
        duration_reason="DescribeTransactions did not answer for this id",
    ),
}

test_every_case = each_case(TABLE, CASES, lambda row: row.transactional_id)
