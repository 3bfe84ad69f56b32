"""What ListTransactions makes of an answer."""

from kafka.protocol.admin import ListTransactionsResponse

from unit.rpc.answers import items


def test_list_transactions_is_a_row_an_id() -> None:
    """At every version; without filters none is unknown."""
    one = ListTransactionsResponse.TransactionState
    response = ListTransactionsResponse(
        throttle_time_ms=0,
        error_code=0,
        unknown_state_filters=[],
        transaction_states=[one(transactional_id="tx", producer_id=2**40, transaction_state="Ongoing")],
    )
    for version in (0, 1, 2):
        assert items("ListTransactions", "transactions", response, version) == [
            {"transactional_id": "tx", "producer_id": 2**40, "transaction_state": "Ongoing"}
        ]
