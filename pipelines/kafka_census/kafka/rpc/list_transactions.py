"""ListTransactions (API 66, KIP-664): the transactional ids each broker coordinates, and their state.

Every broker is asked, whole: the API can only filter. With KIP-1062 the broker pages: its
cursor is transactional id and producer id, ordered by producer id, descending. A
broker lists the ids of the __transaction_state partitions that it leads; ids without activity
stay for days (transactional.id.expiration.ms). Ids that the principal may not DESCRIBE are
left out without an error, and one partition that is still loading makes the whole answer an
error (14).
"""

from collections.abc import Iterator
from typing import Any

from kafka_census.kafka.paging.cursor import Cursor
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc
from kafka_messages.kip_1062 import ListTransactionsRequest, paged

DURATION, PATTERN, PAGED = 1, 2, 3

ITEM = (
    Field("transactional_id", "string", "Transactional id."),
    Field("producer_id", "bigint", "Producer id that the coordinator gave to it."),
    Field("transaction_state", "string", "State, such as Ongoing, PrepareCommit, CompleteAbort or Empty."),
)


def _build(version: int, ask: Ask) -> Any:
    filters: dict[str, Any] = {"state_filters": [], "producer_id_filters": []}
    if version >= DURATION:
        filters["duration_filter"] = -1
    if version >= PATTERN:
        filters["transactional_id_pattern"] = None
    page = paged(ListTransactionsRequest, ask.limit, ask.cursor) if version >= PAGED else {}
    return ListTransactionsRequest(version=version, **filters, **page)


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for one in response.transaction_states:
        yield one.transactional_id, one.producer_id, one.transaction_state


def _positions(response: Any) -> Iterator[Cursor]:
    return ((one.transactional_id, one.producer_id) for one in response.transaction_states)


_WHOLE = Api(request=ListTransactionsRequest, versions=(0, 2), build=_build, rows=_rows)

LIST_TRANSACTIONS = Rpc(
    name="ListTransactions",
    scope="transactions",
    item=ITEM,
    apis=(_WHOLE.by_cursor(PAGED, positions=_positions), _WHOLE),
)
