"""DeleteGroups (API 42, KIP-229): deletes groups without members, of any type, with their offsets.

Codes by group: 0 deleted; 30 the principal may not DELETE it; 24 no id; 16 another broker coordinates it; 69 no such
group exists; 68 it is not empty; 134 the plugin that has its topology failed (below v3 -1); 15 its partition of
__consumer_offsets has too few replicas in sync for the write.
Duplicate names count once. The answer is in the order of those partitions, denied groups last.
"""

from typing import Any

from kafka_emulator.authorization import Operation
from kafka_emulator.call import Call
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.named_groups import GROUP_DENIED, GROUP_NOT_FOUND, by_partition, code_of
from kafka_emulator.topics import GROUPS_TOPIC
from kafka_emulator.world import World
from kafka_messages import DeleteGroupsRequest, DeleteGroupsResponse

UNKNOWN_SERVER_ERROR, COORDINATOR_NOT_AVAILABLE, NON_EMPTY_GROUP, DELETION_FAILED = -1, 15, 68, 134
TELLS = 3
TOLD = {DELETION_FAILED: "Topology description plugin failed to delete the topology."}
"""Messages by code, from v3 on."""


def _answer(request: Any, call: Call) -> Any:
    codes = {group_id: _code(group_id, call) for group_id in dict.fromkeys(request.groups_names)}
    deleted = [group_id for group_id, code in codes.items() if not code]
    if deleted:
        call.world.delete_groups(deleted)
    reported = sorted(by_partition(codes, call), key=lambda group_id: codes[group_id] == GROUP_DENIED)
    return DeleteGroupsResponse(
        throttle_time_ms=0, results=[(one, codes[one], TOLD.get(codes[one])) for one in reported]
    )


def _code(group_id: str, call: Call) -> int:
    """Why a group is not deleted; 0 where it is deleted."""
    code = code_of(group_id, call, Operation.DELETE)
    if code:
        return code
    group = call.world.groups.get(group_id)
    if group is None or group.shape.state == "Dead":
        return GROUP_NOT_FOUND
    if group.shape.state != "Empty":
        return NON_EMPTY_GROUP
    if group.topology == "ERROR":
        return DELETION_FAILED if call.version >= TELLS else UNKNOWN_SERVER_ERROR
    return 0 if _is_writable(group_id, call.world) else COORDINATOR_NOT_AVAILABLE


def _is_writable(group_id: str, world: World) -> bool:
    topic = world.topics.get(GROUPS_TOPIC)
    if topic is None:
        return False
    partition = world.topics.partition(topic, world.groups.partition_of(group_id))
    return len(partition.isr) >= min(world.topics.min_isr(topic), len(partition.replicas))


DELETE_GROUPS = Handler(DeleteGroupsRequest, DeleteGroupsResponse, {"2.8": (0, 2), "4.4": (0, 3)}, _answer)
