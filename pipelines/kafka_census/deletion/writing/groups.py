"""A group as brokers tell of it now: its state by the RPC of its type, and its committed offsets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kafka_census.deletion.writing.coordinators import Coordinators, Told
from kafka_census.deletion.writing.offset_commit import Offset
from kafka_census.paging.rpc import Rpc
from kafka_census.rpc.consumer_group_describe import CONSUMER_GROUP_DESCRIBE
from kafka_census.rpc.describe_groups import DESCRIBE_GROUPS
from kafka_census.rpc.offset_fetch import OFFSET_FETCH
from kafka_census.rpc.share_group_describe import SHARE_GROUP_DESCRIBE
from kafka_census.rpc.streams_group_describe import STREAMS_GROUP_DESCRIBE

DESCRIBED_BY: Mapping[str, Rpc] = {
    "classic": DESCRIBE_GROUPS,
    "consumer": CONSUMER_GROUP_DESCRIBE,
    "share": SHARE_GROUP_DESCRIBE,
    "streams": STREAMS_GROUP_DESCRIBE,
}
"""By type of group; brokers that do not tell types know classic ones only."""

GROUP_ID_NOT_FOUND, INVALID_GROUP_ID = 69, 24


@dataclass(frozen=True)
class State:
    """A group's state: None where there is no such group of that type, or where `error_code` says why not."""

    state: str | None
    members: int
    error_code: int = 0
    error_message: str | None = None
    node_id: int | None = None


@dataclass(frozen=True)
class Offsets:
    """A group's committed offsets, unless `error_code` says why they are not known."""

    offsets: tuple[Offset, ...]
    error_code: int = 0
    error_message: str | None = None


def states(coordinators: Coordinators, groups: Iterable[tuple[str, str]]) -> dict[str, State]:
    """The state of each group, given with its type."""
    by_type: dict[str, list[str]] = {}
    for group_id, kind in groups:
        by_type.setdefault(kind, []).append(group_id)
    return {
        group_id: state_of(DESCRIBED_BY[kind], told)
        for kind, ids in by_type.items()
        for group_id, told in coordinators.ask(DESCRIBED_BY[kind], ids).items()
    }


def state_of(rpc: Rpc, told: Told) -> State:
    """What the RPC of its type said of a group. Dead is how brokers say that there is none."""
    names = [one.name for one in rpc.item]
    code = told.error_code or (told.rows[0][names.index("error_code")] if told.rows else 0)
    if code:
        message = told.error_message or (told.rows[0][names.index("error_message")] if told.rows else None)
        return State(None, 0, code, message, told.node_id)
    at, member = names.index("group_state"), names.index("member_id")
    members = sum(row[member] is not None for row in told.rows)
    state = told.rows[0][at] if told.rows else None
    return State(None if state == "Dead" else state, members, 0, None, told.node_id)


def committed(coordinators: Coordinators, groups: Sequence[str]) -> dict[str, Offsets]:
    """The committed offsets of each group; none for one that does not exist."""
    return {group_id: _offsets(told) for group_id, told in coordinators.ask(OFFSET_FETCH, groups).items()}


def _offsets(told: Told) -> Offsets:
    code = told.error_code or next((row[1] for row in told.rows if row[1]), 0)
    if code:
        return Offsets((), code, told.error_message)
    return Offsets(tuple(row[2:7] for row in told.rows if row[2] is not None and row[4] is not None))
