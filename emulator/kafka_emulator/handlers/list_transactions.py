"""ListTransactions (API 66, KIP-664; duration v1, pattern v2, KIP-1062 v3): the ids that this broker coordinates.

Ids that may not be described are left out. All filters must hold: states (an unknown state is reported in
UnknownStateFilters, and matches nothing), producer ids, the minimum time since the last transaction began, open or not
(since 1970 where there was none), and an RE2 pattern of the whole id, 128 where the pattern is invalid. The
order is by producer id, descending, then by id. A limit counts transactions that pass the filters.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.paging import Cursor, Flat
from kafka_emulator.patterns import InvalidPattern, whole
from kafka_emulator.transactions import Ordered
from kafka_messages.kip_1062 import ListTransactionsRequest, ListTransactionsResponse

INVALID_REGULAR_EXPRESSION = 128
STATES = (
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "PrepareEpochFence",
    "Dead",
)
DURATION, PATTERN = 1, 2

Test = Callable[[int], bool]
"""Whether the transaction at a position passes one filter."""


@dataclass(frozen=True)
class Filtered:
    """A broker's transactions; a page counts those that pass all filters.

    The search starts at the beginning of the page: a page costs what it passes over, and nothing is cached.
    """

    ordered: Ordered
    tests: tuple[Test, ...]

    def __len__(self) -> int:
        return len(self.ordered)

    def at(self, cursor: Cursor) -> int:
        """The position of the first transaction that is not before the cursor, whether or not it passes."""
        return self.ordered.at(cursor)

    def cursor(self, position: int) -> Cursor:
        """The cursor of a page that begins here."""
        return self.ordered.cursor(position)

    def end(self, begin: int, limit: int) -> int:
        """The position of the first passing transaction beyond the limit, or else the end of the listing."""
        return next(islice(self.passing(begin, len(self)), limit, None), len(self))

    def passing(self, begin: int, end: int) -> Iterator[int]:
        """The positions of the transactions that pass."""
        return (position for position in range(begin, end) if all(test(position) for test in self.tests))


def _answer(request: Any, call: Call) -> Any:
    ordered = call.world.transactions_of(call.broker)
    try:
        tests = tuple(_tests(request, call, ordered))
    except InvalidPattern:
        return ListTransactionsResponse(
            throttle_time_ms=0, error_code=INVALID_REGULAR_EXPRESSION, unknown_state_filters=[], transaction_states=[]
        )
    filtered = Filtered(ordered, tests)
    page = call.page(filtered if tests else Flat(len(ordered), ordered.at, ordered.cursor), request)
    positions = filtered.passing(page.begin, page.end) if tests else range(page.begin, page.end)
    state = call.world.transactions.state
    return ListTransactionsResponse(
        throttle_time_ms=0,
        error_code=0,
        unknown_state_filters=[one for one in dict.fromkeys(request.state_filters) if one not in STATES],
        transaction_states=[
            (*ordered.cursor(position), state(int(ordered.ordinals[position]))) for position in positions
        ],
        **call.follows(ListTransactionsResponse, page),
    )


def _tests(request: Any, call: Call, ordered: Ordered) -> Iterator[Test]:
    """The filters of a request, cheap filters first. Raises InvalidPattern for a pattern that RE2 cannot read."""
    transactions, ordinals = call.world.transactions, ordered.ordinals
    pattern = request.transactional_id_pattern if call.version >= PATTERN else None
    # An empty pattern is no filter.
    matches = whole(pattern) if pattern else None
    if request.producer_id_filters:
        producer_ids = frozenset(request.producer_id_filters)
        yield lambda position: int(ordered.producer_ids[position]) in producer_ids
    if request.state_filters:
        states = frozenset(request.state_filters)
        yield lambda position: transactions.state(int(ordinals[position])) in states
    if matches is not None:
        yield lambda position: matches(ordered[position])
    if call.version >= DURATION and request.duration_filter >= 0:
        before = time.time() * 1000 - request.duration_filter
        yield lambda position: transactions.by_ordinal(int(ordinals[position])).start_time_ms < before


LIST_TRANSACTIONS = Handler(
    ListTransactionsRequest,
    ListTransactionsResponse,
    {"3.9": (0, 1), "4.3": (0, 2)},
    _answer,
    paged=3,
)
