"""Give groups that are gone their offsets again; runs inside one Spark task.

Rows in: group_id and the offsets that were saved of it. Rows out: `SCHEMA`, one a group. Just
before, every describing RPC that the coordinator offers and OffsetFetch are asked whether
there is such a group by now, of whatever type: then it lives, and is left as it is.
"""

from typing import Any

import pyarrow as pa

from kafka_census.clock import Clock
from kafka_census.protocol.error_codes import UNSUPPORTED_VERSION
from kafka_census.writing.check import ARROW_TIME
from kafka_census.writing.coordinators import Coordinators
from kafka_census.writing.groups import (
    DESCRIBED_BY,
    GROUP_ID_NOT_FOUND,
    INVALID_GROUP_ID,
    State,
    committed,
    state_of,
)
from kafka_census.writing.offset_commit import offset_commit

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

_ABSENT = (GROUP_ID_NOT_FOUND, INVALID_GROUP_ID, UNSUPPORTED_VERSION)
"""How a describing RPC says that it knows no such group; 24 is what some say of the group id ""."""


def restore(coordinators: Coordinators, groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row of `SCHEMA` for each of the groups."""
    saved = {one["group_id"]: [tuple(each.values()) for each in one["offsets"]] for one in groups}
    left = _left(coordinators, list(saved))
    commit = offset_commit(saved)
    rows = []
    for group_id in saved:
        row = {"group_id": group_id, "sent": False, "partitions": 0, "attempts": 0, "error_code": 0}
        if group_id in left:
            row |= left[group_id]
        else:
            # One at a time: what became of one must not be lost with the answer to another.
            told = coordinators.ask(commit, [group_id])[group_id]
            codes = [row[1] for row in told.rows]
            row |= {
                "sent": told.node_id is not None,
                "error_code": told.error_code or next((code for code in codes if code), 0),
                "error_message": told.error_message,
                "coordinator": told.node_id,
                "attempts": told.attempts,
                "partitions": sum(code == 0 for code in codes),
            }
        rows.append(row | {"at": Clock().now()})
    return rows


def _left(coordinators: Coordinators, groups: list[str]) -> dict[str, dict[str, Any]]:
    """Groups that are not to be restored, and why, as columns."""
    left: dict[str, dict[str, Any]] = {}
    for kind, rpc in DESCRIBED_BY.items():
        asked = [group_id for group_id in groups if group_id not in left]
        for group_id, told in coordinators.ask(rpc, asked).items():
            why = _of_state(kind, state_of(rpc, told))
            if why:
                left[group_id] = why
    asked = [group_id for group_id in groups if group_id not in left]
    for group_id, offsets in committed(coordinators, asked).items():
        if offsets.error_code:
            left[group_id] = {"error_code": offsets.error_code, "error_message": offsets.error_message}
        elif offsets.offsets:
            left[group_id] = {"lives": f"it has committed offsets of {len(offsets.offsets)} partitions"}
    return left


def _of_state(kind: str, state: State) -> dict[str, Any] | None:
    """Why a group of that state is not to be restored; None where there is no such group of that type."""
    if state.error_code in _ABSENT:
        return None
    if state.error_code:
        code, message = state.error_code, state.error_message
        return {"error_code": code, "error_message": message, "coordinator": state.node_id}
    if state.state is None:
        return None
    return {"lives": f"it is {state.state}, of type {kind}", "coordinator": state.node_id}
