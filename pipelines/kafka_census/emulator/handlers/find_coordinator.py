"""FindCoordinator (API 10; types v1, batches v4): where the leader of a key's partition listens.

As the walkthrough has it: DESCRIBE on the group (30) or the transactional id (53); the internal topic is created
where it is missing; the partition by hash over the partition count; its leader's endpoint on the listener
that was asked. COORDINATOR_NOT_AVAILABLE without topic, leader, or that listener.
"""

from collections.abc import Iterator
from typing import Any

from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse

from kafka_census.emulator.authorization import Operation, Resource
from kafka_census.emulator.call import Call
from kafka_census.emulator.handlers.handler import Handler
from kafka_census.emulator.topics import GROUPS_TOPIC, TRANSACTIONS_TOPIC

NOT_AVAILABLE, GROUP_DENIED, CLUSTER_DENIED, INVALID_REQUEST, ID_DENIED = 15, 30, 31, 42, 53
GROUP, TRANSACTION, SHARE = 0, 1, 2
BATCHES, SHARES = 4, 6
NOWHERE = (-1, "", -1)

COORDINATED = {
    GROUP: (Resource.GROUP, GROUP_DENIED, GROUPS_TOPIC),
    TRANSACTION: (Resource.TRANSACTIONAL_ID, ID_DENIED, TRANSACTIONS_TOPIC),
}
"""Of a key type: what must be described, the code where it may not be, and the internal topic."""

Found = tuple[int, tuple[int, str, int]]
"""A code, and node id, host and port."""


def _answer(request: Any, call: Call) -> Any:
    kind = int(request.key_type or 0)
    if call.version < BATCHES:
        code, (node, host, port) = _found(kind, request.key, call)
        message = _message(code)
        return FindCoordinatorResponse(
            throttle_time_ms=0, error_code=code, error_message=message, node_id=node, host=host, port=port
        )
    return FindCoordinatorResponse(throttle_time_ms=0, coordinators=list(_coordinators(kind, request, call)))


def _coordinators(kind: int, request: Any, call: Call) -> Iterator[tuple[Any, ...]]:
    for key in request.coordinator_keys:
        code, at = _found(kind, key, call)
        yield (key or "", *at, code, _message(code))


def _found(kind: int, key: str | None, call: Call) -> Found:
    world, access = call.world, call.world.access
    if kind == SHARE and call.version >= SHARES:
        # Share state is not emulated: its topic never comes to be.
        allowed = access.allows(Operation.CLUSTER_ACTION, Resource.CLUSTER)
        return (NOT_AVAILABLE if allowed else CLUSTER_DENIED), NOWHERE
    if key is None or kind not in COORDINATED:
        return INVALID_REQUEST, NOWHERE
    resource, denied, topic = COORDINATED[kind]
    if not access.allows(Operation.DESCRIBE, resource, key):
        return denied, NOWHERE
    if not world.ensure_internal(topic):
        return NOT_AVAILABLE, NOWHERE
    node = world.group_coordinator(key) if kind == GROUP else world.transaction_coordinator(key)
    at = world.brokers.reachable(node, call.listener)
    return (0, (node, at.host, at.port)) if at else (NOT_AVAILABLE, NOWHERE)


def _message(code: int) -> str | None:
    return "The coordinator is not available." if code == NOT_AVAILABLE else None


FIND_COORDINATOR = Handler(
    FindCoordinatorRequest, FindCoordinatorResponse, {"2.8": (0, 3), "3.9": (0, 6), "4.3": (0, 6)}, _answer
)
