"""FindCoordinator (API 10; types v1, batches v4, share groups v6): the endpoint of the leader of a key's partition.

As in Kafka: DESCRIBE on the group (30) or the transactional id (53); the partition by hash over the partition count;
its leader's endpoint on the listener of the request. COORDINATOR_NOT_AVAILABLE without topic, leader, or that
listener. A missing internal topic is created, and the client of the request that creates it has to retry: all its
keys are 15.
"""

import re
from typing import Any

from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse

from kafka_emulator.authorization import Operation, Resource
from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.topics import GROUPS_TOPIC, SHARES_TOPIC, TRANSACTIONS_TOPIC

NOT_AVAILABLE, GROUP_DENIED, CLUSTER_DENIED, INVALID_REQUEST, ID_DENIED = 15, 30, 31, 42, 53
GROUP, TRANSACTION, SHARE = 0, 1, 2
BATCHES, SHARES = 4, 6
NOWHERE = (-1, "", -1)

TYPES = {GROUP: GROUPS_TOPIC, TRANSACTION: TRANSACTIONS_TOPIC, SHARE: SHARES_TOPIC}
"""Key types, and the internal topic of each."""

GUARDED = {GROUP: (Resource.GROUP, GROUP_DENIED), TRANSACTION: (Resource.TRANSACTIONAL_ID, ID_DENIED)}
"""The resource that needs DESCRIBE, and the code of a denial. Share coordinators need CLUSTER_ACTION instead."""

SHARE_KEY = re.compile(r".+:[A-Za-z0-9_-]{22}:[+-]?\d+", re.DOTALL)
"""Group, which may contain colons, topic id and partition."""

MESSAGES = {
    0: "NONE",
    NOT_AVAILABLE: "The coordinator is not available.",
    GROUP_DENIED: "Group authorization failed.",
    INVALID_REQUEST: "This most likely occurs because of a request being malformed by the client library or the message"
    " was sent to an incompatible broker. See the broker logs for more details.",
    ID_DENIED: "Transactional Id authorization failed.",
}

Found = tuple[int, tuple[int, str, int]]
"""A code, and node id, host and port."""


def _answer(request: Any, call: Call) -> Any:
    kind = int(request.key_type or 0)
    keys = [request.key] if call.version < BATCHES else list(request.coordinator_keys)
    found = [_found(kind, key, call) for key in keys]
    if any(code == NOT_AVAILABLE for code, _ in found):
        call.world.ensure_internal(TYPES[kind])
    if call.version < BATCHES:
        ((code, (node, host, port)),) = found
        return FindCoordinatorResponse(
            throttle_time_ms=0, error_code=code, error_message=MESSAGES[code], node_id=node, host=host, port=port
        )
    # In a batch only an invalid request has a message.
    message = "" if kind in TYPES else MESSAGES[INVALID_REQUEST]
    coordinators = [(key, *at, code, message) for key, (code, at) in zip(keys, found, strict=True)]
    return FindCoordinatorResponse(throttle_time_ms=0, coordinators=coordinators)


def _found(kind: int, key: str, call: Call) -> Found:
    world, access = call.world, call.world.access
    if kind == SHARE and call.version >= SHARES and not access.allows(Operation.CLUSTER_ACTION, Resource.CLUSTER):
        return CLUSTER_DENIED, NOWHERE
    if kind not in TYPES or (kind == SHARE and (call.version < SHARES or not SHARE_KEY.fullmatch(key))):
        return INVALID_REQUEST, NOWHERE
    if kind in GUARDED and not access.allows(Operation.DESCRIBE, GUARDED[kind][0], key):
        return GUARDED[kind][1], NOWHERE
    coordinators = {
        GROUP: world.group_coordinator,
        TRANSACTION: world.transaction_coordinator,
        SHARE: world.share_coordinator,
    }
    node = coordinators[kind](key)
    at = world.brokers.reachable(node, call.listener)
    return (0, (node, at.host, at.port)) if at else (NOT_AVAILABLE, NOWHERE)


FIND_COORDINATOR = Handler(FindCoordinatorRequest, FindCoordinatorResponse, {"2.8": (0, 3), "3.9": (0, 6)}, _answer)
