"""DescribeTransactions (API 65, KIP-664; KIP-1062 v1): the last transaction of each named id, asked of its coordinator.

A code is told by id: 53 denied, 42 an empty id, 16 another broker coordinates it, 105 unknown. Topics that may not
be described are left out of a transaction in silence. The order is by producer id, descending, then by id; what has
a code has no producer id here, so that it comes last. A limit counts transactions, a code costs nothing.
"""

from typing import Any

import numpy as np

from kafka_census.emulator.arithmetic import utf16
from kafka_census.emulator.authorization import Operation, Resource
from kafka_census.emulator.call import Call
from kafka_census.emulator.handlers.handler import Handler
from kafka_census.emulator.paging import Cursor, Indexes, Nested, Sorted
from kafka_census.emulator.transactions import Transaction
from kafka_census.protocol.kip_1062 import DescribeTransactionsRequest, DescribeTransactionsResponse

NOT_COORDINATOR, INVALID_REQUEST, DENIED, NOT_FOUND = 16, 42, 53, 105
NO_PRODUCER_ID = -1


def _answer(request: Any, call: Call) -> Any:
    found = {name: _found(call, name) for name in request.transactional_ids}
    places = Sorted([(name, _producer_id(one)) for name, one in found.items()], _order)
    failed = np.array([isinstance(found[name], int) for name, _ in places], np.bool_)
    listing = Nested(places, np.zeros(len(places), np.int64), lambda _holder: Indexes(), (), failed=failed)
    page = call.page(listing, request)
    names = [places[part.holder][0] for part in listing.parts(page)]
    return DescribeTransactionsResponse(
        throttle_time_ms=0,
        transaction_states=[_row(call, name, found[name]) for name in names],
        **call.follows(DescribeTransactionsResponse, page),
    )


def _found(call: Call, name: str) -> Transaction | int:
    """The transaction of an id, or its code."""
    if not call.world.access.allows(Operation.DESCRIBE, Resource.TRANSACTIONAL_ID, name):
        return DENIED
    if not name:
        return INVALID_REQUEST
    if call.world.transaction_coordinator(name) != call.broker:
        return NOT_COORDINATOR
    return call.world.transactions.get(name) or NOT_FOUND


def _producer_id(found: Transaction | int) -> int:
    return NO_PRODUCER_ID if isinstance(found, int) else found.producer_id


def _order(place: Cursor) -> tuple[int, bytes]:
    return -place[1], utf16(place[0])


def _row(call: Call, name: str, found: Transaction | int) -> tuple[Any, ...]:
    """A transaction's fields in the order of the message."""
    if isinstance(found, int):
        return _failed(name, found)
    topics: dict[str, list[int]] = {}
    for topic, index in found.partitions:
        topics.setdefault(topic, []).append(index)
    allowed = call.world.access.allows
    return (
        0,
        name,
        found.state,
        found.timeout_ms,
        found.start_time_ms,
        found.producer_id,
        found.producer_epoch,
        [one for one in topics.items() if allowed(Operation.DESCRIBE, Resource.TOPIC, one[0])],
    )


def _failed(name: str, code: int) -> tuple[Any, ...]:
    return code, name, "", 0, 0, 0, 0, []


def _refuse(request: Any, _call: Call, code: int) -> Any:
    """There is no code at the top: every id has it."""
    rows = [_failed(name, code) for name in Sorted(request.transactional_ids)]
    return DescribeTransactionsResponse(throttle_time_ms=0, transaction_states=rows)


DESCRIBE_TRANSACTIONS = Handler(
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    {"3.9": (0, 0), "4.3": (0, 0)},
    _answer,
    paged=1,
    refuse=_refuse,
)
