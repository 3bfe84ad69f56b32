"""Restore the offsets of deleted groups; runs inside one Spark task.

Rows in: group_id and its saved offsets. Rows out: `SCHEMA`, one per group. Before the
requests of a batch the present state of its groups is read by OffsetFetch and every describing RPC
that the coordinator offers. A group that does not exist gets all of its offsets. An empty group
that has some of the saved offsets, and no others, is an unfinished restoration: it gets the offsets
that it lacks. Any other group is in use, and is left as it is.

No request is repeated without that look, and none after an answer was lost (ErrorCode.ANSWER_LOST). That is also the
code where the look after a request fails.
"""

from typing import Any

import pyarrow as pa

from kafka_census.clock import Clock
from kafka_census.deletion.writing.check import ARROW_TIME
from kafka_census.deletion.writing.coordinators import RETRIABLE, Coordinators, GroupResponse
from kafka_census.deletion.writing.groups import (
    DESCRIBED_BY,
    GROUP_ID_NOT_FOUND,
    INVALID_GROUP_ID,
    State,
    committed,
    state_of,
)
from kafka_census.deletion.writing.offset_commit import Offset, offset_commit
from kafka_census.kafka.error_codes import NOT_COMMITTED, ErrorCode

SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("at", ARROW_TIME),
        ("sent", pa.bool_()),
        ("lives", pa.string()),
        ("error_code", pa.int32()),
        ("error_message", pa.string()),
        ("coordinator", pa.int32()),
        ("attempts", pa.int32()),
        ("partitions", pa.int32()),
    ]
)
"""`partitions`: how many have their saved offset now, including partitions restored by earlier runs."""

_ABSENT = (GROUP_ID_NOT_FOUND, INVALID_GROUP_ID, ErrorCode.UNSUPPORTED_VERSION)
"""Codes of describing RPCs that mean no such group; some answer 24 for the group id ""."""

_MADE = ("classic", "Empty")
"""Type and state of a group that OffsetCommit has created."""


def restore(coordinators: Coordinators, groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row of `SCHEMA` for each of the groups."""
    saved = {one["group_id"]: [_as_kept(Offset(**each)) for each in one["offsets"]] for one in groups}
    rows: dict[str, dict[str, Any]] = {}
    # Groups that an earlier request may have restored.
    doubtful = set(saved) if coordinators.repeated else set()
    waiting = list(saved)
    for round_no in range(coordinators.rounds):
        if round_no:
            doubtful |= {group_id for group_id in waiting if rows[group_id]["sent"]}
            coordinators.pause(round_no)
        left, there = _looked(coordinators, {group_id: saved[group_id] for group_id in waiting})
        for group_id in waiting:
            lacking = [one for one in saved[group_id] if one not in there.get(group_id, ())]
            row = {"group_id": group_id, "sent": False, "attempts": 0, "error_code": 0}
            row |= {"partitions": len(saved[group_id]) - len(lacking)}
            if group_id in left:
                row |= {"partitions": 0} | left[group_id]
            elif lacking:
                # One group per request, so that a lost answer leaves only one outcome unknown.
                response = coordinators.ask(offset_commit({group_id: lacking}), [group_id])[group_id]
                row |= _answered(response, row["partitions"])
            if group_id in doubtful and row["error_code"] and not row["sent"]:
                row |= {"sent": True, "error_code": ErrorCode.ANSWER_LOST}
            rows[group_id] = row | {"at": Clock().now()}
        waiting = [name for name in waiting if name not in left and rows[name]["error_code"] in RETRIABLE]
        if not waiting:
            break
    return list(rows.values())


def _as_kept(offset: Offset) -> Offset:
    """An offset as brokers keep it: null metadata are returned as the empty string."""
    return offset._replace(metadata=offset.metadata or "")


def _answered(response: GroupResponse, there: int) -> dict[str, Any]:
    """The outcome of a request, as columns; `there` partitions had their offsets before."""
    codes = [row["error_code"] for row in response.rows]
    failed = [code for code in codes if code]
    code = response.error_code or next((code for code in failed if code not in NOT_COMMITTED), next(iter(failed), 0))
    return {
        "sent": bool(codes) or code == ErrorCode.ANSWER_LOST,
        "error_code": code,
        "error_message": response.error_message,
        "coordinator": response.node_id,
        "attempts": response.attempts,
        "partitions": there + sum(code == 0 for code in codes),
    }


def _looked(
    coordinators: Coordinators, saved: dict[str, list[Offset]]
) -> tuple[dict[str, dict[str, Any]], dict[str, tuple[Offset, ...]]]:
    """By group: why it must not be restored, as columns; and the present offsets of the other groups."""
    left: dict[str, dict[str, Any]] = {}
    made: dict[str, dict[str, Any]] = {}
    for kind, rpc in DESCRIBED_BY.items():
        asked = [group_id for group_id in saved if group_id not in left and group_id not in made]
        for group_id, response in coordinators.ask(rpc, asked).items():
            state = state_of(response)
            why = _of_state(kind, state)
            if why:
                (made if (kind, state.state) == _MADE and not state.members else left)[group_id] = why
    there: dict[str, tuple[Offset, ...]] = {}
    for group_id, found in committed(coordinators, [group_id for group_id in saved if group_id not in left]).items():
        offsets = tuple(map(_as_kept, found.offsets))
        is_ours = group_id in made and bool(offsets) and set(offsets) <= set(saved[group_id])
        if found.error_code:
            left[group_id] = {"error_code": found.error_code, "error_message": found.error_message}
        elif is_ours:
            there[group_id] = offsets
        elif group_id in made:
            left[group_id] = made[group_id]
        elif found.offsets:
            left[group_id] = {"lives": f"it has committed offsets of {len(found.offsets)} partitions"}
    return left, there


def _of_state(kind: str, state: State) -> dict[str, Any] | None:
    """Why a group of that state must not be restored; None where there is no such group of that type."""
    if state.error_code in _ABSENT:
        return None
    if state.error_code:
        code, message = state.error_code, state.error_message
        return {"error_code": code, "error_message": message, "coordinator": state.node_id}
    if state.state is None:
        return None
    return {"lives": f"it is {state.state}, of type {kind}", "coordinator": state.node_id}
