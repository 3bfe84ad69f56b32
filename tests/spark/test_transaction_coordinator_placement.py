"""Transactional ids are placed like groups, on __transaction_state, and an open transaction has a duration."""

from datetime import timedelta
from typing import Any

from pyspark.sql import Row, SparkSession
from pyspark.testing import assertDataFrameEqual

from kafka_census.tables.transaction_coordinator_placement import TRANSACTION_COORDINATOR_PLACEMENT
from spark.landed_items import CENSUS, CLUSTER, NOON, Item, at, compute, item, missing_read, rows_by
from spark.placed_ids import found, internal, refused

TABLE = TRANSACTION_COORDINATOR_PLACEMENT
STATE = "__transaction_state"
TWENTY = "c"  # hash 99: partition 1 of 2, led by broker 20
TEN = "b"  # hash 98: partition 0 of 2, led by broker 10


def listed(transactional_id: str, broker: int, state: str = "Ongoing", received: int = 2) -> Item:
    """A transactional id in a broker's ListTransactions."""
    return item(broker, received, transactional_id=transactional_id, producer_id=7, transaction_state=state)


def described(transactional_id: str, broker: int, **columns: Any) -> Item:
    """A partition of a transaction that began at noon, in DescribeTransactions ten seconds later."""
    known = {
        "error_code": 0,
        "transaction_state": "Ongoing",
        "transaction_timeout_ms": 60_000,
        "transaction_start_time_ms": int(NOON.timestamp() * 1000),
        "producer_id": 7,
        "producer_epoch": 3,
        "topic": "orders",
        "partition": 0,
    }
    return item(broker, columns.pop("received", 10), transactional_id=transactional_id, **known | columns)


def placed(spark: SparkSession, listing: list[Item], **more: Any) -> dict[str, Row]:
    """The table by transactional id; each id is where the formula expects it."""
    roles = internal(STATE, (10, 20)) | {"coordinators": [found(TEN, 10), found(TWENTY, 20)]} | more
    return rows_by(compute(spark, TABLE, transactions=listing, **roles), "transactional_id")


def test_an_open_transaction_whose_coordinator_is_agreed_on(spark: SparkSession) -> None:
    """Every column of the simplest row."""
    descriptions = [described(TWENTY, 20), described(TWENTY, 20, partition=1)]
    computed = compute(
        spark,
        TABLE,
        transactions=[listed(TWENTY, 20)],
        coordinators=[found(TWENTY, 20)],
        descriptions=descriptions,
        **internal(STATE, (10, 20)),
    )
    placed = (CENSUS, CLUSTER, at(10), TWENTY, "Ongoing", 99, 1, 2, 20, None, [20], 20, "host-20", 9092, None)
    transaction = (7, 3, "Ongoing", 60_000, NOON, 2, None, 10_000, None, False)
    expected = spark.createDataFrame([(*placed, "agree", None, *transaction)], TABLE.computed)
    assertDataFrameEqual(computed, expected, ignoreNullable=True)


def test_durations_and_states_are_those_that_the_coordinator_describes(spark: SparkSession) -> None:
    """All ids are of partition 0, which broker 10 leads.

    late    waiting for its markers counts, too; `exact` is at its timeout, which is not exceeded
    ahead   the coordinator's clock is ahead of ours: its start is in the future
    later   state, producer id and epoch changed since the listing: the row has both states, and the described id
    silent  nothing is concluded from a missing answer
    """
    late, exact, ahead, later, silent = "bdfhj"
    future = int((NOON + timedelta(hours=1)).timestamp() * 1000)
    rows = placed(
        spark,
        [listed(name, 10) for name in "bdfhj"],
        coordinators=[found(name, 10) for name in "bdfhj"],
        descriptions=[
            described(late, 10, transaction_state="PrepareCommit", transaction_timeout_ms=9_999),
            described(exact, 10, transaction_timeout_ms=10_000),
            described(ahead, 10, transaction_start_time_ms=future),
            described(later, 10, transaction_state="CompleteCommit", producer_id=8, producer_epoch=0),
        ],
    )
    assert {name: (row.duration_ms, row.over_timeout) for name, row in rows.items()} == {
        late: (10_000, True),
        exact: (10_000, False),
        ahead: (0, False),
        later: (None, None),
        silent: (None, None),
    }
    changed = rows[later]
    assert (changed.transaction_state, changed.described_state) == ("Ongoing", "CompleteCommit")
    assert (changed.producer_id, changed.producer_epoch) == (8, 0)
    assert rows[silent].description_reason == "DescribeTransactions did not answer for this id"


def test_only_an_open_transaction_has_a_duration(spark: SparkSession) -> None:
    """A coordinator keeps the start of a completed transaction: a duration from that would grow for ever."""
    starts = {"CompleteCommit": NOON, "CompleteAbort": NOON, "Empty": None, "Ongoing": None}
    listing = [listed(state, 10, state) for state in starts]
    descriptions = [
        described(
            state,
            10,
            transaction_state=state,
            transaction_start_time_ms=start and int(start.timestamp() * 1000),
            topic=None,
            partition=None,
        )
        for state, start in starts.items()
    ]
    rows = placed(spark, listing, descriptions=descriptions, coordinators=[found(state, 10) for state in starts])
    assert {state: row.duration_reason for state, row in rows.items()} == {
        "CompleteCommit": "no transaction is open (CompleteCommit)",
        "CompleteAbort": "no transaction is open (CompleteAbort)",
        "Empty": "no transaction is open (Empty)",
        "Ongoing": "the coordinator names no start (Ongoing)",
    }
    for state, row in rows.items():
        assert row.transaction_started_at == (starts[state] and NOON.replace(tzinfo=None))
        assert (row.duration_ms, row.over_timeout, row.written_partitions) == (None, None, 0)


def test_what_could_not_be_described_says_why(spark: SparkSession) -> None:
    """An id that has expired, and one of a broker that was not read; placement and the listed producer id stay."""
    of_transaction = ("transaction_state", "transaction_timeout_ms", "transaction_start_time_ms", "topic", "partition")
    nothing = dict.fromkeys((*of_transaction, "producer_id", "producer_epoch"))
    rows = placed(
        spark,
        [listed(TEN, 10), listed(TWENTY, 20)],
        descriptions=[described(TEN, 10, error_code=105, **nothing)],
        missing=[missing_read("DescribeTransactions", "transactional_ids", 20, "CONNECTION_FAILED")],
    )
    assert {key: row.description_reason for key, row in rows.items()} == {
        TEN: "DescribeTransactions answered TRANSACTIONAL_ID_NOT_FOUND",
        TWENTY: "DescribeTransactions was not read from broker 20 (CONNECTION_FAILED)",
    }
    for row in rows.values():
        assert row.duration_reason == row.description_reason
        assert (row.agreement, row.producer_id, row.transaction_state) == ("agree", 7, "Ongoing")
        assert (row.producer_epoch, row.described_state, row.written_partitions, row.over_timeout) == (None,) * 4


def test_disagreements_have_the_same_words_as_those_of_groups(spark: SparkSession) -> None:
    """Grown __transaction_state, an id listed by two brokers, and one whose partition has no leader."""
    rows = placed(
        spark,
        [listed(TWENTY, 30), listed(TEN, 10), listed("d", 20), listed("d", 30, "Empty", 5)],
        coordinators=[found(TWENTY, 30), refused(TEN, 15), found("d", 20)],
        **{role: items for role, items in internal(STATE, (-1, 20)).items() if role != "brokers"},
    )
    assert {key: row.agreement for key, row in rows.items()} == {
        TWENTY: "formula_differs",
        TEN: "no_coordinator",
        "d": "listed_twice",
    }
    assert rows[TEN].reason == f"partition 0 of {STATE} has no leader"
    assert rows["d"].transaction_state == "Empty"


def test_an_id_without_an_answer_of_find_coordinator_is_unknown(spark: SparkSession) -> None:
    """The named gap is that of the walk of transactional ids, not of groups."""
    missing = [
        missing_read("FindCoordinator", "groups", None, "CONNECTION_FAILED"),
        missing_read("FindCoordinator", "transactional_ids", None, "DEADLINE_EXCEEDED"),
    ]
    row = placed(spark, [listed(TEN, 10)], coordinators=[], missing=missing)[TEN]
    assert (row.agreement, row.reason) == ("unknown", "FindCoordinator was not read (DEADLINE_EXCEEDED)")
