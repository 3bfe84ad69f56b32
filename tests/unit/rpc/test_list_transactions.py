"""What ListTransactions makes of an answer."""

from typing import Any

from kafka_census.paging.rpc import Ask
from kafka_census.rpc import rpc
from kafka_messages.kip_1062 import ListTransactionsResponse
from unit.rpc.answers import items, over_the_wire, page_of, sent


def _transactions(**page: Any) -> Any:
    one = ListTransactionsResponse.TransactionState
    return ListTransactionsResponse(
        throttle_time_ms=0,
        error_code=0,
        unknown_state_filters=[],
        transaction_states=[one(transactional_id="tx", producer_id=2**40, transaction_state="Ongoing")],
        **page,
    )


def test_list_transactions_is_a_row_per_id() -> None:
    """At every version; without filters none is unknown."""
    for version, way in ((0, 1), (1, 1), (2, 1), (3, 0)):
        assert items("ListTransactions", "transactions", _transactions(), version, way=way) == [
            {"transactional_id": "tx", "producer_id": 2**40, "transaction_state": "Ongoing"}
        ]


def test_list_transactions_pages_by_the_broker_s_cursor_at_v3() -> None:
    """Limit and cursor are sent there, and not below; no version filters."""
    ask = Ask((), ("tx", 5), 7)
    asked = sent("ListTransactions", "transactions", 3, ask)
    assert page_of(asked) == (7, ("tx", 5))
    assert (asked.state_filters, asked.producer_id_filters) == ([], [])
    assert (asked.duration_filter, asked.transactional_id_pattern) == (-1, None)
    assert page_of(sent("ListTransactions", "transactions", 2, ask, way=1)) == (2000, None)
    api = rpc("ListTransactions", "transactions").apis[0]
    follows = ListTransactionsResponse.Cursor(transactional_id="tx", producer_id=2**40)
    assert api.next_cursor(over_the_wire(_transactions(next_cursor=follows), 3)) == ("tx", 2**40)
    assert api.next_cursor(over_the_wire(_transactions(), 3)) is None
