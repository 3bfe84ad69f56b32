"""DescribeTransactions (API 65, KIP-664; KIP-1062 v1): the last transaction of each named id, from its coordinator.

Each id has a code: 53 denied, 42 an empty id, 16 another broker coordinates it, 105 unknown. Topics that may not
be described are left out of a transaction. Pages are in the order of producer ids, descending, then of ids; an id
with a code has no producer id here, so that it comes last. A limit counts ids. Without pages the order is the
request's, which may name an id twice.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from kafka_emulator.arithmetic import utf16
from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.paging import Cursor, Indexes, Nested, Sorted
from kafka_emulator.topics import TRANSACTIONS_TOPIC
from kafka_emulator.transactions import Transaction
from kafka_messages.kip_1062 import DescribeTransactionsRequest, DescribeTransactionsResponse

NOT_COORDINATOR, INVALID_REQUEST, DENIED, NOT_FOUND = 16, 42, 53, 105
NO_PRODUCER_ID = -1

Partitions = tuple[tuple[str, int], ...]
Topics = list[tuple[str, list[int]]]


def _answer(request: Any, call: Call) -> Any:
    found = _found(list(dict.fromkeys(request.transactional_ids)), call)
    # Many transactions write to the same partitions.
    topics = cache(partial(_topics, call))
    if not call.paged:
        rows = [_row(name, found[name], topics) for name in request.transactional_ids]
        return DescribeTransactionsResponse(throttle_time_ms=0, transaction_states=rows)
    positions = Sorted([(name, _producer_id(one)) for name, one in found.items()], _order)
    failed = np.array([isinstance(found[name], int) for name, _ in positions], np.bool_)
    listing = Nested(positions, np.zeros(len(positions), np.int64), lambda _holder: Indexes(), (), failed=failed)
    page = call.page(listing, request)
    return DescribeTransactionsResponse(
        throttle_time_ms=0,
        transaction_states=[_row(name, found[name], topics) for name, _ in positions[listing.reported(page)]],
        **call.follows(DescribeTransactionsResponse, page),
    )


def _found(names: list[str], call: Call) -> dict[str, Transaction | int]:
    """The transaction of each id, or its code."""
    every, led = call.world.transactions.find(names), {*call.world.topics.led_by(call.broker, TRANSACTIONS_TOPIC)}
    # This broker coordinates most ids and nothing is denied: they need no check.
    plain = led if call.world.access.everything else ()
    return {
        name: one
        if one and name and partition in plain
        else _code(name, call, here=partition in led) or one or NOT_FOUND
        for name, partition, one in every
    }


def _code(name: str, call: Call, *, here: bool) -> int:
    """The code of an id, whether or not it is known; 0 where this broker describes it."""
    if not call.world.access.allows(Operation.DESCRIBE, Resource.TRANSACTIONAL_ID, name):
        return DENIED
    if not name:
        return INVALID_REQUEST
    return 0 if here else NOT_COORDINATOR


def _producer_id(found: Transaction | int) -> int:
    return NO_PRODUCER_ID if isinstance(found, int) else found.producer_id


def _order(position: Cursor) -> tuple[int, bytes]:
    return -position[1], utf16(position[0])


def _row(name: str, found: Transaction | int, topics: Callable[[Partitions], Topics]) -> tuple[Any, ...]:
    """A transaction's fields in the order of the message."""
    if isinstance(found, int):
        return _failed(name, found)
    _, producer_id, epoch, state, timeout, started, partitions = found
    return 0, name, state, timeout, started, producer_id, epoch, topics(partitions)


def _topics(call: Call, partitions: Partitions) -> Topics:
    """The topics that may be described, each with its partitions."""
    topics: dict[str, list[int]] = {}
    for topic, index in partitions:
        topics.setdefault(topic, []).append(index)
    allowed = call.world.access.allows
    return [one for one in topics.items() if allowed(Operation.DESCRIBE, Resource.TOPIC, one[0])]


def _failed(name: str, code: int) -> tuple[Any, ...]:
    return code, name, "", 0, 0, 0, 0, []


def _refuse(request: Any, call: Call, code: int) -> Any:
    """The response has no code at the top: every id has the code."""
    named = Sorted(request.transactional_ids) if call.paged else request.transactional_ids
    rows = [_failed(name, code) for name in named]
    return DescribeTransactionsResponse(throttle_time_ms=0, transaction_states=rows)


DESCRIBE_TRANSACTIONS = Handler(
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    {"3.9": (0, 0)},
    _answer,
    paged=1,
    refuse=_refuse,
)
