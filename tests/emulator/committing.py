"""OffsetCommit for an emulated cluster, as far as an undo needs it: tests of deletions alone write offsets.

    server = replace(cluster(...), handlers=(*HANDLERS, offset_commit(denied)))

Codes by partition: 29 the topic is in `denied`; 3 there is no such topic; 16 another broker coordinates the group;
25 the group has members. A group that does not exist comes to be by the first partition that is taken.
"""

from collections.abc import Container
from typing import Any

from kafka.protocol.consumer import OffsetCommitRequest, OffsetCommitResponse

from kafka_emulator.call import Call
from kafka_emulator.declared import GroupSection, OffsetSection
from kafka_emulator.handlers.handler import Handler
from kafka_emulator.named_groups import code_of
from kafka_emulator.world import World

UNKNOWN_TOPIC, UNKNOWN_MEMBER_ID, TOPIC_DENIED = 3, 25, 29


def offset_commit(denied: Container[str] = ()) -> Handler:

    def answer(request: Any, call: Call) -> Any:
        group = call.world.groups.get(request.group_id)
        refused = code_of(request.group_id, call) or (UNKNOWN_MEMBER_ID if group and group.members else 0)
        taken, answers = [], []
        for topic in request.topics:
            code = refused or (TOPIC_DENIED if topic.name in denied else 0)
            code = code or (0 if call.world.topics.get(topic.name) else UNKNOWN_TOPIC)
            answers.append((topic.name, [(one.partition_index, code) for one in topic.partitions]))
            taken += [] if code else [(topic.name, one) for one in topic.partitions]
        offsets = [
            OffsetSection(topic=name, partition=one.partition_index, offset=one.committed_offset) for name, one in taken
        ]
        if offsets:
            commit(call.world, request.group_id, *offsets)
        return OffsetCommitResponse(throttle_time_ms=0, topics=answers)

    return Handler(OffsetCommitRequest, OffsetCommitResponse, {"4.3": (2, 9)}, answer)


def commit(world: World, group_id: str, *offsets: OffsetSection) -> None:
    """A group has these offsets from now on, beside those that it has; there is such a group from now on."""
    groups = world.groups
    there = groups.get(group_id)
    before = (there.declared.offsets or ()) if there is not None and there.declared is not None else ()
    groups.create([group_id])
    ordinal = groups.names.present(group_id)
    assert ordinal is not None
    merged = {(one.topic, one.partition): one for one in (*before, *offsets)}
    groups._declared[ordinal - groups.names.run.count] = GroupSection(id=group_id, offsets=tuple(merged.values()))
