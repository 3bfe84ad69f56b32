"""What ListTransactions asks, and what it makes of an answer."""

import pytest

from unit.rpc.answers import EVERYTHING, answer, items, sent


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_list_transactions_is_a_row_per_id(version: int) -> None:
    """No version filters; without filters none is unknown."""
    one = {"transactional_id": "tx", "producer_id": 2**40, "transaction_state": "Ongoing"}
    response = answer("ListTransactions", transaction_states=[one])
    assert items("ListTransactions", "transactions", response, version) == [one]
    asked = sent("ListTransactions", "transactions", version, EVERYTHING)
    assert (asked.state_filters, asked.producer_id_filters) == ([], [])
    assert (asked.duration_filter, asked.transactional_id_pattern) == (-1, None)
