"""What is so of the groups of an emulated world: where they are coordinated, how far behind, and whether in use."""

from collections.abc import Iterator

from harness.known_world import KnownWorld, Row, TopicPartition
from kafka_emulator.arithmetic import java_abs, java_hash
from kafka_emulator.groups import Group
from kafka_emulator.topics import GROUPS_TOPIC


def group_coordinator_placement(known: KnownWorld) -> Iterator[Row]:
    """Every group; in a calm cluster all sources agree."""
    partitions = known.by_name[GROUPS_TOPIC].partitions
    for group in known.groups:
        partition = java_abs(java_hash(group.group_id)) % partitions
        coordinator = known.world.group_coordinator(group.group_id)
        yield {
            "group_id": group.group_id,
            "group_type": group.shape.type,
            "group_state": group.shape.state,
            "offsets_partition": partition,
            "expected_coordinator": known.states[GROUPS_TOPIC, partition].leader,
            "listed_by": (coordinator,),
            "found_coordinator": coordinator,
            "found_port": known.ports[coordinator],
            "agreement": "agree",
        }


def consumer_lag(known: KnownWorld) -> Iterator[Row]:
    """Each partition with a committed offset of a group, or assigned to its members."""
    for group in known.groups:
        # Assignments are reported of a classic group only while it is stable and of consumers.
        stable = group.shape.state == "Stable" and group.shape.protocol_type == "consumer"
        reported = group.shape.type != "classic" or not group.members or stable
        # Of a streams group that rebalances nobody can tell what its members have.
        rebalances = group.shape.type == "streams" and group.shape.state in ("NotReady", "Assigning", "Reconciling")
        is_complete = reported and not (rebalances and group.members)
        offsets = {(one.topic.name, one.partition): one.offset for one in known.world.offsets(group)[:]}
        members: dict[TopicPartition, list[str]] = {}
        for member in known.world.members(group) if reported else ():
            for partition in ((topic, index) for topic, indexes in member.assignment for index in indexes):
                members.setdefault(partition, []).append(member.member_id)
        for partition in offsets.keys() | members.keys():
            having = tuple(sorted(members.get(partition, ())))
            assigned = True if having else False if is_complete else None
            yield {"assigned": assigned, "member_ids": having, **_lag(known, group, partition, offsets.get(partition))}


def _lag(known: KnownWorld, group: Group, partition: TopicPartition, offset: int | None) -> Row:
    """Without a leader neither the log nor a share group's start is told."""
    is_share = group.shape.type == "share"
    log = known.logs[partition] if known.is_led(partition) else None
    lag = stable = raw = None
    if is_share and log is None:
        offset = None
    place = "unknown" if offset is not None or is_share else "no_commit"
    if log is not None and offset is not None:
        raw = log.high_watermark - offset
        lag = raw if is_share else max(0, log.high_watermark - max(offset, log.start))
        stable = None if is_share else max(0, log.last_stable - max(offset, log.start))
        place = "before_start" if offset < log.start else "after_end" if raw < 0 else "in_range"
    return {
        "group_id": group.group_id,
        "topic": partition[0],
        "partition": partition[1],
        "committed_offset": offset,
        "range": place,
        "lag": lag,
        "lag_read_committed": stable,
        "raw_lag": raw,
    }


def deletable_groups(known: KnownWorld) -> Iterator[Row]:
    """As a first census judges them. A share group whose partitions have no leader does not tell its offsets."""
    for group in known.groups:
        offsets = known.world.offsets(group)[:]
        is_read = group.shape.type != "share" or all(known.is_led((one.topic.name, one.partition)) for one in offsets)
        is_empty = group.shape.state in ("Empty", "Dead") and not group.members
        verdict = "in_use" if not is_empty else "unknown" if not is_read else "undecided" if offsets else "deletable"
        yield {"group_id": group.group_id, "verdict": verdict, "members": group.members}
