"""The present state of a group, from the RPC of its type, and its committed offsets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kafka_census.deletion.writing.coordinators import Coordinators, GroupResponse
from kafka_census.deletion.writing.offset_commit import Offset
from kafka_census.kafka.paging.rpc import Rpc
from kafka_census.kafka.rpc.consumer_group_describe import CONSUMER_GROUP_DESCRIBE
from kafka_census.kafka.rpc.describe_groups import DESCRIBE_GROUPS
from kafka_census.kafka.rpc.offset_fetch import OFFSET_FETCH
from kafka_census.kafka.rpc.share_group_describe import SHARE_GROUP_DESCRIBE
from kafka_census.kafka.rpc.streams_group_describe import STREAMS_GROUP_DESCRIBE

DESCRIBED_BY: Mapping[str, Rpc] = {
    "classic": DESCRIBE_GROUPS,
    "consumer": CONSUMER_GROUP_DESCRIBE,
    "share": SHARE_GROUP_DESCRIBE,
    "streams": STREAMS_GROUP_DESCRIBE,
}
"""The describing RPC by type of group; brokers that do not report types have classic groups only."""

GROUP_ID_NOT_FOUND, INVALID_GROUP_ID = 69, 24


@dataclass(frozen=True)
class State:
    """A group's state: None where there is no such group of that type, or where `error_code` is the reason."""

    state: str | None
    members: int
    error_code: int = 0
    error_message: str | None = None
    node_id: int | None = None


@dataclass(frozen=True)
class Offsets:
    """A group's committed offsets; empty where `error_code` says why they are unknown."""

    offsets: tuple[Offset, ...]
    error_code: int = 0
    error_message: str | None = None


def states(coordinators: Coordinators, groups: Iterable[tuple[str, str]]) -> dict[str, State]:
    """By group id: the state of each (group id, type)."""
    by_type: dict[str, list[str]] = {}
    for group_id, kind in groups:
        by_type.setdefault(kind, []).append(group_id)
    return {
        group_id: state_of(response)
        for kind, ids in by_type.items()
        for group_id, response in coordinators.ask(DESCRIBED_BY[kind], ids).items()
    }


def state_of(response: GroupResponse) -> State:
    """The state of a group from an answer of the RPC of its type. Brokers answer Dead for a missing group."""
    first = response.rows[0] if response.rows else {}
    code = response.error_code or first.get("error_code", 0)
    if code:
        return State(None, 0, code, response.error_message or first.get("error_message"), response.node_id)
    members = sum(row["member_id"] is not None for row in response.rows)
    state = first.get("group_state")
    return State(None if state == "Dead" else state, members, 0, None, response.node_id)


def committed(coordinators: Coordinators, groups: Sequence[str]) -> dict[str, Offsets]:
    """By group id: the committed offsets; empty for a group that does not exist."""
    return {group_id: _offsets(response) for group_id, response in coordinators.ask(OFFSET_FETCH, groups).items()}


def _offsets(response: GroupResponse) -> Offsets:
    code = response.error_code or next((row["error_code"] for row in response.rows if row["error_code"]), 0)
    if code:
        return Offsets((), code, response.error_message)
    kept = (row for row in response.rows if row["topic"] is not None and row["committed_offset"] is not None)
    return Offsets(tuple(Offset(*(row[name] for name in Offset._fields)) for row in kept))
