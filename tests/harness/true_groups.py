"""The true rows of tables about groups for an emulated world: placement, lag, and whether groups are in use.

Written from the data dictionary. A column with a sentence, a moment or a hash is `True` where a value is required.
"""

from collections.abc import Iterator
from typing import NamedTuple

from harness.known_world import KnownWorld, Row, TopicPartition, uuid_text
from kafka_emulator.arithmetic import java_abs, java_hash
from kafka_emulator.brokers import HOST
from kafka_emulator.groups import Group
from kafka_emulator.logs import Log
from kafka_emulator.topics import GROUPS_TOPIC


def group_coordinator_placement(known: KnownWorld) -> Iterator[Row]:
    """Every group; in a calm cluster all sources agree."""
    partitions = known.by_name[GROUPS_TOPIC].partitions
    for group in known.groups:
        hashed, coordinator = java_hash(group.group_id), known.world.group_coordinator(group.group_id)
        partition = java_abs(hashed) % partitions
        yield {
            "group_id": group.group_id,
            "group_type": group.shape.type,
            "group_state": group.shape.state,
            "protocol_type": group.shape.protocol_type,
            "hash": hashed,
            "offsets_partition": partition,
            "offsets_partitions": partitions,
            "expected_coordinator": known.states[GROUPS_TOPIC, partition].leader,
            "expected_reason": False,
            "listed_by": (coordinator,),
            "found_coordinator": coordinator,
            "found_host": HOST,
            "found_port": known.ports[coordinator],
            "found_error": None,
            "agreement": "agree",
            "reason": False,
        }


class Position(NamedTuple):
    """A partition with a committed offset of a group, or assigned to members; the offset is None where unknown."""

    offset: int | None
    epoch: int | None
    metadata: str | None
    members: tuple[tuple[str, str], ...]


NOWHERE = Position(None, None, None, ())


def is_reported(group: Group) -> bool:
    """Whether assignments of members are reported: of a classic group only while it is stable, and of consumers."""
    settled = group.shape.state == "Stable" and group.shape.protocol_type == "consumer"
    return group.shape.type != "classic" or not group.members or settled


def is_complete(group: Group) -> bool:
    """Whether members have no partition that is not reported; of a streams group that rebalances nobody can tell."""
    rebalances = group.shape.type == "streams" and group.shape.state in ("NotReady", "Assigning", "Reconciling")
    return is_reported(group) and not (rebalances and group.members)


def positions(known: KnownWorld, group: Group) -> dict[TopicPartition, Position]:
    """All partitions of a group. The start offset of a share group is not reported for a partition without a leader."""
    is_share = group.shape.type == "share"
    found: dict[TopicPartition, Position] = {}
    for one in known.world.offsets(group)[:]:
        partition = one.topic.name, one.partition
        if is_share and not known.is_led(partition):
            found[partition] = NOWHERE
        else:
            found[partition] = Position(one.offset, one.leader_epoch, None if is_share else one.metadata, ())
    for member in known.world.members(group) if is_reported(group) else ():
        for partition in ((topic, index) for topic, indexes in member.assignment for index in indexes):
            held = found.get(partition, NOWHERE)
            found[partition] = held._replace(members=(*held.members, (member.member_id, member.client_id)))
    return found


def consumer_lag(known: KnownWorld) -> Iterator[Row]:
    """A row per group and partition; in a first census none has a rate."""
    for group in known.groups:
        yield from (_lag(known, group, partition, one) for partition, one in positions(known, group).items())


def _lag(known: KnownWorld, group: Group, partition: TopicPartition, position: Position) -> Row:
    log = known.logs[partition] if known.is_led(partition) else None
    offset, is_share = position.offset, group.shape.type == "share"
    lag = stable = raw = None
    if log is not None and offset is not None:
        raw = log.high_watermark - offset
        lag = raw if is_share else max(0, log.high_watermark - max(offset, log.start))
        stable = None if is_share else max(0, log.last_stable - max(offset, log.start))
    is_assigned = True if position.members else False if is_complete(group) else None
    return {
        "group_id": group.group_id,
        "group_type": group.shape.type,
        "group_state": group.shape.state,
        "topic": partition[0],
        "partition": partition[1],
        "topic_id": uuid_text(known.by_name[partition[0]].topic_id),
        "topic_state": "exists",
        "topic_reason": False,
        "assigned": is_assigned,
        "assigned_reason": is_assigned is None,
        "member_ids": tuple(sorted(member_id for member_id, _ in position.members)),
        "client_ids": tuple(sorted({client_id for _, client_id in position.members})),
        "committed_offset": offset,
        "committed_leader_epoch": position.epoch,
        "metadata": position.metadata,
        "log_start_offset": log and log.start,
        "high_watermark": log and log.high_watermark,
        "last_stable_offset": log and log.last_stable,
        "range": _range(offset, log, is_share=is_share),
        "lag": lag,
        "lag_reason": lag is None,
        # Without a leader neither the end nor a share group's start is told.
        "lag_unread": lag is None and log is None and (offset is not None or is_share),
        "lag_read_committed": stable,
        "lag_read_committed_reason": stable is None,
        "raw_lag": raw,
        "consumption_rate": None,
        "production_rate": None,
        "seconds_to_drain": 0 if lag == 0 else None,
        "drain_reason": "lag_unknown" if lag is None else "no_history" if lag else None,
        "previous_census_id": False,
    }


def _range(offset: int | None, log: Log | None, *, is_share: bool) -> str:
    if offset is None:
        return "unknown" if is_share else "no_commit"
    if log is None:
        return "unknown"
    if offset < log.start:
        return "before_start"
    return "after_end" if offset > log.high_watermark else "in_range"


def deletable_groups(known: KnownWorld) -> Iterator[Row]:
    """A row per group, as a first census judges it."""
    for group in known.groups:
        committed = {
            partition: one.offset for partition, one in positions(known, group).items() if one.offset is not None
        }
        # A share group has a start offset for each of its partitions.
        is_share = group.shape.type == "share"
        is_read = not is_share or len(committed) == len(positions(known, group))
        is_empty = group.shape.state in ("Empty", "Dead") and not group.members
        is_ended = is_read and all(map(known.is_led, committed))
        verdict = "in_use" if not is_empty else "unknown" if not is_read else "undecided" if committed else "deletable"
        evidence = {"empty": is_empty, "no_offsets": is_read and not committed}
        yield {
            "group_id": group.group_id,
            "verdict": verdict,
            "deletable": verdict == "deletable",
            "reason": verdict != "deletable",
            "evidence": tuple(word for word, holds in evidence.items() if holds),
            "group_type": group.shape.type,
            "group_state": group.shape.state,
            "members": group.members,
            "protocol_type": group.shape.protocol_type,
            "commits_only": group.shape.protocol_type == "",
            "empty_since": is_empty and is_read,
            "censuses_empty": 1 if is_empty and is_read else 0,
            "committed_partitions": len(committed) if is_read else None,
            "partitions_gone": 0 if is_read else None,
            "offsets_fingerprint": is_read,
            "offset_hashes": True,
            "offsets_moved": None,
            "offsets_removed": None,
            "offsets_unchanged_since": is_read,
            "end_offsets": sum(known.logs[partition].high_watermark for partition in committed) if is_ended else None,
            "end_offsets_grew": None,
            "censuses_left_behind": 0,
            "previous_census_id": False,
        }
