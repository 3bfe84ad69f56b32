"""The true rows of tables about groups for an emulated world: placement, lag, and whether groups are in use.

Written from the data dictionary. A column with a sentence, a moment or a hash is `True` where a value is required.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import exp, lgamma, log
from typing import NamedTuple

from harness.known_world import KnownWorld, Row, TopicPartition, leader_of, uuid_text
from kafka_emulator.arithmetic import java_abs, java_hash
from kafka_emulator.brokers import HOST
from kafka_emulator.groups import Group
from kafka_emulator.logs import Log
from kafka_emulator.topics import GROUPS_TOPIC, TRANSACTIONS_TOPIC

UNLUCKY, WRONG = 0.01, 1e-6
PRECISION = 1e-18


def placed(known: KnownWorld, topic: str, name: str, coordinator: int) -> Row:
    """The common columns of both placements for an id in a calm cluster: all sources agree."""
    partitions, hashed = known.by_name[topic].partitions, java_hash(name)
    column = "offsets_partition" if topic == GROUPS_TOPIC else "transactions_partition"
    partition = java_abs(hashed) % partitions
    return {
        "hash": hashed,
        column: partition,
        f"{column}s": partitions,
        "expected_coordinator": known.states[topic, partition].leader,
        "expected_reason": False,
        "listed_by": (coordinator,),
        "found_coordinator": coordinator,
        "found_host": HOST,
        "found_port": known.ports[coordinator],
        "found_error": None,
        "agreement": "agree",
        "reason": False,
    }


def group_coordinator_placement(known: KnownWorld) -> Iterator[Row]:
    """Every group."""
    for group in known.groups:
        yield {
            "group_id": group.group_id,
            "group_type": group.shape.type,
            "group_state": group.shape.state,
            "protocol_type": group.shape.protocol_type,
            **placed(known, GROUPS_TOPIC, group.group_id, known.world.group_coordinator(group.group_id)),
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


@cache
def lags(known: KnownWorld) -> dict[str, list[Row]]:
    """The rows of consumer_lag, by group; in a first census no row has a rate."""
    return {
        group.group_id: [
            _lag(known, group, partition, one) for partition, one in sorted(positions(known, group).items())
        ]
        for group in known.groups
    }


def consumer_lag(known: KnownWorld) -> Iterator[Row]:
    """A row per group and partition."""
    for rows in lags(known).values():
        yield from rows


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


def group_lag(known: KnownWorld) -> Iterator[Row]:
    """A row per group. If several partitions are slowest, the last by name."""
    for group in known.groups:
        rows = lags(known)[group.group_id]
        behind = [(row["lag"], row["topic"], row["partition"]) for row in rows if row["lag"] is not None]
        total = sum(lag for lag, _, _ in behind) if behind else None
        alone = [row for row in rows if row["assigned"] is False]
        is_decided = all(row["assigned"] is not None for row in rows)
        slowest = max(behind, default=(None, None, None))
        yield {
            "group_id": group.group_id,
            "group_type": group.shape.type,
            "group_state": group.shape.state,
            "protocol_type": group.shape.protocol_type,
            "members": group.members,
            "members_reason": False,
            "topics": len({row["topic"] for row in rows}),
            "partitions": len(rows),
            "partitions_known": len(behind),
            "partitions_missed": len(rows) - len(behind),
            "partitions_without_commit": sum(row["range"] == "no_commit" for row in rows),
            "partitions_unread": sum(row["lag_unread"] for row in rows),
            "partitions_out_of_range": sum(row["range"] in ("before_start", "after_end") for row in rows),
            "partitions_unassigned": len(alone) if is_decided else None,
            "offsets_reason": False,
            "lag_total": total,
            "lag_reason": total is None,
            "lag_unassigned": sum(row["lag"] or 0 for row in alone) if is_decided and behind else None,
            "lag_max": slowest[0],
            "slowest_topic": slowest[1],
            "slowest_partition": slowest[2],
            "consumption_rate": None,
            "production_rate": None,
            "partitions_without_rate": len(rows),
            "seconds_to_drain": 0 if any(row["lag"] == 0 for row in rows) else None,
            "partitions_not_draining": 0,
        }


def group_members(known: KnownWorld) -> Iterator[Row]:
    """A row per member of every group: all were described. Share groups have no static members."""
    for group in known.groups:
        for member in known.world.members(group):
            reported = is_reported(group)
            yield {
                "group_id": group.group_id,
                "member_id": member.member_id,
                "status": "described",
                "reason": False,
                "group_type": group.shape.type,
                "group_state": group.shape.state,
                "protocol_type": group.shape.protocol_type,
                "client_id": member.client_id,
                "client_host": member.client_host,
                "instance_id": None if group.shape.type == "share" else member.instance_id,
                "rack_id": member.rack_id,
                "partitions": sum(len(indexes) for _, indexes in member.assignment) if is_complete(group) else None,
                "assignment": tuple(sorted(member.assignment)) if reported else (),
                "assignment_reason": not is_complete(group),
            }


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


def coordinator_load(known: KnownWorld) -> Iterator[Row]:
    """Every broker."""
    world = known.world
    groups = Counter(world.groups.partition_of(one.group_id) for one in known.groups)
    members = Counter[int]()
    for group in known.groups:
        members[world.groups.partition_of(group.group_id)] += group.members
    transactional_ids = Counter(world.transactions.partition_of(one.transactional_id) for one in known.transactions)
    held = {GROUPS_TOPIC: ("groups", groups), TRANSACTIONS_TOPIC: ("transactional_ids", transactional_ids)}
    for broker in world.brokers.ids:
        led = {topic: world.topics.led_by(broker, topic) for topic in held}
        heirs: dict[int, Row] = {}
        row: Row = {"broker_id": broker, "broker_state": "alive"}
        for topic, (ids, counts) in held.items():
            partitions, total = known.by_name[topic].partitions, counts.total()
            stranded = 0
            for index in led[topic]:
                heir = _next_leader(known, (topic, index))
                if heir is None:
                    stranded += counts[index]
                    continue
                gets = heirs.setdefault(heir, {"broker_id": heir, "groups": 0, "transactional_ids": 0})
                gets[ids] += counts[index]
            row |= {
                ids: sum(counts[index] for index in led[topic]),
                f"{ids}_reason": False,
                f"{ids}_expected": total * len(led[topic]) / partitions,
                f"{ids}_stranded": stranded,
                f"{ids}_unforeseen": 0,
                f"{ids}_unplaced": 0,
                **_spread(ids, [counts[index] for index in range(partitions)]),
            }
        yield {
            **row,
            "offsets_partitions_led": len(led[GROUPS_TOPIC]),
            "offsets_partitions_led_reason": False,
            "members": sum(members[index] for index in led[GROUPS_TOPIC]),
            "groups_undescribed": 0,
            "members_reason": False,
            "transactions_partitions_led": len(led[TRANSACTIONS_TOPIC]),
            "transactions_partitions_led_reason": False,
            "if_lost": [heirs[heir] for heir in sorted(heirs)],
        }


def _next_leader(known: KnownWorld, partition: TopicPartition) -> int | None:
    """The next leader of a partition after the loss of its leader: all brokers are alive."""
    state = known.states[partition]
    others = [one for one in state.replicas if one != leader_of(state)]
    return next((one for many in (state.isr, state.elr) for one in others if one in many), None)


def _spread(ids: str, counts: list[int]) -> Row:
    """Pearson's test of these counts against equal shares; without a result for less than one id per partition."""
    if sum(counts) < len(counts):
        nothing = dict.fromkeys((f"{ids}_chi_square", f"{ids}_p_value", f"{ids}_skew"))
        return {**nothing, f"{ids}_skew_reason": True}
    share = sum(counts) / len(counts)
    statistic = sum((count - share) ** 2 / share for count in counts)
    chance = _tail(statistic, len(counts) - 1)
    return {
        f"{ids}_chi_square": statistic,
        f"{ids}_p_value": chance,
        f"{ids}_skew": "wrong" if chance < WRONG else "unlucky" if chance < UNLUCKY else "fair",
        f"{ids}_skew_reason": False,
    }


def _tail(statistic: float, degrees: int) -> float:
    """The probability of this chi-square or a larger one: 1 minus the series of the incomplete gamma function."""
    half, power, below = statistic / 2, degrees / 2, 0.0
    term = exp(power * log(half) - half - lgamma(power + 1))
    while term > PRECISION:
        below, power = below + term, power + 1
        term *= half / power
    return 1 - below
