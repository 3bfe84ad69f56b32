"""FindCoordinator (API 10; batches KIP-699, v4): which broker coordinates each group or transactional id.

Asked of any broker in windows of group ids, and of transactional ids (from v1 on: v0
knows groups only); below v4 one request per key, which shows in `attempts`. The endpoint in
the answer is of the listener that was asked; a leader without that listener is answered as
COORDINATOR_NOT_AVAILABLE (15), which looks transient and is not: such keys are asked for a
few times, then the error stands as their answer.

The API is not read-only: a request creates __consumer_offsets, or __transaction_state, where the
topic is missing. The plan asks only when the topic has been seen.
"""

from collections.abc import Callable, Iterator
from typing import Any

from kafka.protocol.metadata import FindCoordinatorRequest

from kafka_census.kafka.error_codes import ErrorCode
from kafka_census.kafka.paging.rpc import Api, Ask, Field, Row, Rpc, no_error

GROUP, TRANSACTION = 0, 1
"""Kafka's key types."""

BATCHES = 4
RETRIABLE = frozenset({ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.COORDINATOR_NOT_AVAILABLE})

ITEM = (
    Field("key", "string", "Group id or transactional id that was asked for."),
    Field("error_code", "int", "Kafka's error code for this key, 0 none."),
    Field("error_message", "string", "Kafka's message for it."),
    Field("node_id", "int", "Broker id of the coordinator; -1 none."),
    Field("host", "string", "Its host on the listener that was asked."),
    Field("port", "int", "Its port on that listener."),
)


def _builder(key_type: int) -> Callable[[int, Ask], Any]:
    def build(version: int, ask: Ask) -> Any:
        asked: dict[str, Any] = {"coordinator_keys": list(ask.keys)} if version >= BATCHES else {"key": ask.keys[0]}
        return FindCoordinatorRequest(version=version, key_type=key_type, **asked)

    return build


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for answer in response.coordinators:
        yield answer.key, answer.error_code, answer.error_message, answer.node_id, answer.host, answer.port


def _rows_one(response: Any, ask: Ask) -> Iterator[Row]:
    yield (
        ask.keys[0],
        response.error_code,
        response.error_message,
        response.node_id,
        response.host,
        response.port,
    )


def _rpc(scope: str, key_type: int, lowest: int) -> Rpc:
    def api(lowest: int, highest: int, rows: Callable[[Any, Ask], Iterator[Row]], *, one_key: bool) -> Api:
        request, build = FindCoordinatorRequest, _builder(key_type)
        return Api(
            request=request,
            versions=(lowest, highest),
            paging="window",
            build=build,
            rows=rows,
            error=no_error,
            retriable=RETRIABLE,
            one_key=one_key,
        )

    return Rpc(
        name="FindCoordinator",
        scope=scope,
        item=ITEM,
        apis=(api(BATCHES, 6, _rows, one_key=False), api(lowest, BATCHES - 1, _rows_one, one_key=True)),
    )


FIND_COORDINATOR_GROUPS = _rpc("groups", GROUP, 0)
FIND_COORDINATOR_TRANSACTIONS = _rpc("transactional_ids", TRANSACTION, 1)
