"""DescribeConfigs (API 32; synonyms v1, documentation v3, KIP-1062 v5): the configs of named resources.

Each resource has its own code: 3 and 17 for topics, 42 for another broker's id, 29, 30 and 31 where denied. One
resource of an unknown type fails all resources with 42. Allowed resources come in the order of the request, denied
resources last; pages are in the order of name and type, and their limit counts resources.
"""

from typing import Any

import numpy as np

from kafka_emulator.call import Call
from kafka_emulator.config_levels import DEFAULT
from kafka_emulator.config_resources import (
    CLUSTER_DENIED,
    GROUP_DENIED,
    INVALID_REQUEST,
    KNOWN,
    TOPIC_DENIED,
    ConfigResources,
    ConfigType,
    Refusal,
)
from kafka_emulator.configs import Config
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.paging import Cursor, InvalidCursor, Nested, Sorted, by_name_and_number
from kafka_messages.kip_1062 import DescribeConfigsRequest, DescribeConfigsResponse

DENIED = frozenset({TOPIC_DENIED, GROUP_DENIED, CLUSTER_DENIED})
SOURCES, TYPES = 1, 3
DOCUMENTATION = "https://kafka.apache.org/documentation/#configuration: {}"

Row = tuple[Any, ...]


def _answer(request: Any, call: Call) -> Any:
    every = [(one.resource_name, one.resource_type) for one in request.resources]
    if {kind for _, kind in every} - {kind.value for kind in KNOWN[call.speaks.as_version]}:
        return _refused(request, call, INVALID_REQUEST)
    resources, rows = ConfigResources(call), _Rows(request, call)
    if not call.paged:
        results = map(rows.result, request.resources, resources.described(every))
        reported = sorted(results, key=lambda result: result[0] in DENIED)
        return DescribeConfigsResponse(throttle_time_ms=0, results=reported)
    # The first of duplicate resources counts, with its keys.
    asked = dict(zip(reversed(every), reversed(request.resources), strict=True))
    positions = Sorted(asked, by_name_and_number)
    found = resources.described(positions)
    failed = np.array([isinstance(one, Refusal) for one in found], np.bool_)
    listing = Nested(positions, np.ones(len(positions), np.int64), lambda _: _One(), (), _is_possible, failed)
    page = call.page(listing, request)
    on = listing.reported(page)
    reported = [rows.result(asked[position], one) for position, one in zip(positions[on], found[on], strict=True)]
    follows = call.follows(DescribeConfigsResponse, page)
    return DescribeConfigsResponse(throttle_time_ms=0, results=reported, **follows)


class _One:
    """The listing of a resource: one item, which is never split."""

    def at(self, _cursor: Cursor) -> int:
        """The only position is the beginning."""
        return 0

    def cursor(self, _position: int) -> Cursor:
        """The cursor has no fields."""
        return ()


def _is_possible(cursor: Cursor) -> None:
    if cursor[1] not in {kind.value for kind in ConfigType}:
        raise InvalidCursor


class _Rows:
    """Rows in the order of the version's fields; rows that several resources share are built once."""

    def __init__(self, request: Any, call: Call) -> None:
        self._version = call.version
        self._synonyms = call.version >= SOURCES and request.include_synonyms
        self._documents = call.version >= TYPES and request.include_documentation
        self._made: dict[Any, list[Row]] = {}

    def result(self, asked: Any, found: tuple[Config, ...] | Refusal) -> Row:
        """The row of one resource."""
        named = asked.resource_type, asked.resource_name
        if isinstance(found, Refusal):
            return found.code, found.message, *named, []
        # An empty list stands for all keys, as null does.
        keys = tuple(asked.configuration_keys or ())
        made = self._made.get((id(found), keys))
        if made is None:
            made = self._made[id(found), keys] = [self._row(one) for one in found if not keys or one.name in keys]
        return 0, "", *named, made

    def _row(self, config: Config) -> Row:
        head = config.name, config.value, config.read_only
        if self._version < SOURCES:
            return *head, config.source == DEFAULT, config.sensitive
        synonyms = config.synonyms if self._synonyms else ()
        row = *head, config.source, config.sensitive, list(synonyms)
        document = DOCUMENTATION.format(config.name) if self._documents else None
        return (*row, config.type, document) if self._version >= TYPES else row


def _refused(request: Any, _call: Call, code: int) -> Any:
    failed: list[Row] = [(code, None, one.resource_type, one.resource_name, []) for one in request.resources]
    return DescribeConfigsResponse(throttle_time_ms=0, results=failed)


DESCRIBE_CONFIGS = Handler(
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    {"2.8": (0, 4), "4.3": (1, 4)},
    _answer,
    paged=5,
    refuse=_refused,
)
