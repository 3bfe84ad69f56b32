"""FindCoordinator (API 10; batches KIP-699, v4): which broker coordinates each group.

Asked of any broker in windows of group ids; below v4 one request a key, which shows
in `attempts`. The endpoint in the answer is of the listener that was asked; a leader
without that listener is COORDINATOR_NOT_AVAILABLE (15), which looks transient and is
not: such keys are asked a few times, then their error stands as their answer.

Not read-only by nature: asking creates __consumer_offsets where it is missing. The
plan asks only when the topic has been seen.
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.metadata import FindCoordinatorRequest

from kafka_census.paging.rpc import Api, Ask, Field, Row, Rpc, no_error

GROUP = 0
UNSETTLED = frozenset({14, 15})

ITEM = (
    Field("key", "string", "Group id that was asked for."),
    Field("error_code", "int", "Kafka's error code for this key, 0 none."),
    Field("error_message", "string", "Kafka's message for it."),
    Field("node_id", "int", "Broker id of the coordinator; -1 none."),
    Field("host", "string", "Its host on the listener that was asked."),
    Field("port", "int", "Its port on that listener."),
)


def _build(version: int, ask: Ask) -> Any:
    return FindCoordinatorRequest(version=version, key_type=GROUP, coordinator_keys=list(ask.keys))


def _rows(response: Any, _ask: Ask) -> Iterator[Row]:
    for answer in response.coordinators:
        yield answer.key, answer.error_code, answer.error_message, answer.node_id, answer.host, answer.port


def _unsettled(response: Any, _ask: Ask) -> frozenset[str]:
    return frozenset(answer.key for answer in response.coordinators if answer.error_code in UNSETTLED)


def _build_one(version: int, ask: Ask) -> Any:
    return FindCoordinatorRequest(version=version, key_type=GROUP, key=ask.keys[0])


def _rows_one(response: Any, ask: Ask) -> Iterator[Row]:
    yield (
        ask.keys[0],
        response.error_code,
        response.error_message,
        response.node_id,
        response.host,
        response.port,
    )


def _unsettled_one(response: Any, ask: Ask) -> frozenset[str]:
    return frozenset(ask.keys) if response.error_code in UNSETTLED else frozenset()


FIND_COORDINATOR = Rpc(
    name="FindCoordinator",
    scope="groups",
    item=ITEM,
    apis=(
        Api(FindCoordinatorRequest, 4, 6, "window", _build, _rows, no_error, unsettled=_unsettled),
        Api(
            FindCoordinatorRequest,
            0,
            3,
            "window",
            _build_one,
            _rows_one,
            no_error,
            unsettled=_unsettled_one,
            one_key=True,
        ),
    ),
)
