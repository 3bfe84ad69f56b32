"""DescribeTransactions (API 65, KIP-664): the transaction of each transactional id, and the partitions it holds.

Asked of the coordinator of each id, by id. One item per partition of the transaction: partitions
that were written to, or, while the transaction ends (PrepareCommit, PrepareAbort), partitions that still wait
for their marker. An id without an open transaction is one item without a topic. Topics that the
principal may not DESCRIBE are left out without an error; an id that it may not DESCRIBE is a row (53).

With KIP-1062 the broker pages: its cursor is transactional id and producer id, ordered
by producer id, descending. The limit counts transactions, so that none is cut.

Any broker is also asked for an id that does not exist (scope `probe`): brokers check ACLs before
they look the id up, so the code of the only item says whether the principal may DESCRIBE every
id (any code but 53, TRANSACTIONAL_ID_AUTHORIZATION_FAILED), so that ListTransactions hides none.
"""

from collections.abc import Iterator
from typing import Any

from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, coordinator_api, known, no_error
from kafka_messages.kip_1062 import DescribeTransactionsRequest, paged

PAGED = 1
NOBODY = "9d3c1f7e-6a0b-4c52-8b1e-f4a7d2c05e93"
"""The id that the probe asks for; no ACL is expected to grant a prefix of this id."""

ITEM = (
    Field("transactional_id", "string", "Transactional id."),
    Field("error_code", "int", "Kafka's error code for the id, 0 none; then the rest is null."),
    Field("transaction_state", "string", "State, such as Ongoing, PrepareCommit, CompleteAbort or Empty."),
    Field("transaction_timeout_ms", "int", "How long a transaction may stay open, as its producer asked."),
    Field("transaction_start_time_ms", "bigint", "When it was begun, ms since 1970; null without one."),
    Field("producer_id", "bigint", "Producer id that the coordinator gave to it."),
    Field("producer_epoch", "int", "Epoch of that producer id."),
    Field("topic", "string", "Topic of a partition of the transaction; null where it has none."),
    Field("partition", "int", "Partition index."),
)


def _build(version: int, ask: Ask) -> Any:
    page = paged(DescribeTransactionsRequest, ask.limit, ask.cursor) if version >= PAGED else {}
    return DescribeTransactionsRequest(version=version, transactional_ids=list(ask.keys), **page)


def _build_probe(version: int, _ask: Ask) -> Any:
    return DescribeTransactionsRequest(version=version, transactional_ids=[NOBODY])


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for one in response.transaction_states:
        if one.error_code:
            yield one.transactional_id, one.error_code, None, None, None, None, None, None, None
            continue
        head = (
            one.transactional_id,
            0,
            one.transaction_state,
            one.transaction_timeout_ms,
            known(one.transaction_start_time_ms),
            one.producer_id,
            one.producer_epoch,
        )
        if not one.topics:
            yield *head, None, None
        for topic in one.topics:
            for partition in topic.partitions:
                yield *head, topic.topic, partition


_WINDOW = coordinator_api(
    request=DescribeTransactionsRequest, versions=(0, 0), paging="window", build=_build, rows=_rows
)

DESCRIBE_TRANSACTIONS = Rpc(
    name="DescribeTransactions",
    scope="transactional_ids",
    item=ITEM,
    apis=(_WINDOW.by_cursor(PAGED), _WINDOW),
)
DESCRIBE_TRANSACTIONS_PROBE = Rpc(
    name="DescribeTransactions",
    scope="probe",
    item=ITEM,
    apis=(Api(request=DescribeTransactionsRequest, versions=(0, 0), build=_build_probe, rows=_rows, error=no_error),),
)
