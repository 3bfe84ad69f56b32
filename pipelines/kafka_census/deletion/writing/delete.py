"""Delete groups that were just checked; runs inside one Spark task.

Rows in: group_id and its saved offsets. Rows out: `SCHEMA`, one per group. Right before
each request the offsets are read once more: a group whose offsets moved since they were saved is in use,
and is not deleted. The coordinator itself refuses to delete a group with members (68).

No request is repeated without that look, and none after an answer was lost: the code is then
ErrorCode.ANSWER_LOST. Groups whose coordinator is loading or moved are tried in another round.
"""

from typing import Any

import pyarrow as pa

from kafka_census.clock import Clock
from kafka_census.deletion.writing.check import ARROW_TIME
from kafka_census.deletion.writing.coordinators import RETRIABLE, Coordinators, GroupResponse
from kafka_census.deletion.writing.delete_groups import DELETE_GROUPS
from kafka_census.deletion.writing.groups import GROUP_ID_NOT_FOUND, Offsets, committed
from kafka_census.error_codes import ErrorCode
from kafka_census.paging.rpc import NOT_COORDINATOR

SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("at", ARROW_TIME),
        ("sent", pa.bool_()),
        ("moved", pa.bool_()),
        ("error_code", pa.int32()),
        ("error_message", pa.string()),
        ("coordinator", pa.int32()),
        ("attempts", pa.int32()),
    ]
)

_ABSENT = (ErrorCode.NONE, GROUP_ID_NOT_FOUND)
"""Codes after which the group does not exist, whatever the outcome of earlier requests."""


def delete(coordinators: Coordinators, groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row of `SCHEMA` for each of the groups."""
    saved = {one["group_id"]: one["offsets"] for one in groups}
    rows: dict[str, dict[str, Any]] = {}
    # Groups that an earlier request may have deleted without an answer.
    doubtful = set(saved) if coordinators.repeated else set()
    waiting = list(saved)
    for round_no in range(coordinators.rounds):
        if round_no:
            coordinators.pause(round_no)
        now = committed(coordinators, waiting)
        left = {group_id: _left(now[group_id], saved[group_id]) for group_id in waiting}
        responses = coordinators.ask(DELETE_GROUPS, [group_id for group_id, why in left.items() if why is None])
        for group_id in waiting:
            row = left[group_id] or _answered(responses[group_id])
            if row["sent"] and row["error_code"] in NOT_COORDINATOR:
                doubtful.add(group_id)
            attempts = row["attempts"] + rows.get(group_id, row | {"attempts": 0})["attempts"]
            rows[group_id] = row | {"group_id": group_id, "at": Clock().now(), "attempts": attempts}
        waiting = [group_id for group_id in responses if rows[group_id]["error_code"] in RETRIABLE]
        if not waiting:
            break
    return [_in_doubt(row) if group_id in doubtful else row for group_id, row in rows.items()]


def _answered(response: GroupResponse) -> dict[str, Any]:
    """The outcome of a request, as columns."""
    code = response.error_code or response.rows[0]["error_code"]
    return {
        "sent": bool(response.rows) or code == ErrorCode.ANSWER_LOST,
        "moved": False,
        "error_code": code,
        "error_message": response.error_message,
        "coordinator": response.node_id,
        "attempts": response.attempts,
    }


def _in_doubt(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a group that an earlier request may have deleted."""
    if row["sent"] and row["error_code"] in _ABSENT:
        return row
    text = "an earlier request may have been carried out"
    if row["error_message"]:
        text = f"{text}; then {row['error_message']}"
    return row | {"sent": True, "moved": False, "error_code": ErrorCode.ANSWER_LOST, "error_message": text}


def _left(now: Offsets, saved: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Why a group must not be deleted, as columns; None when it may be.

    Missing offsets are no reason: they expired, or an earlier request has deleted the group.
    """
    why = {"sent": False, "moved": False, "error_code": 0, "error_message": None, "coordinator": None, "attempts": 0}
    if now.error_code:
        return why | {"error_code": now.error_code, "error_message": now.error_message}
    before = {(one["topic"], one["partition"]): one["committed_offset"] for one in saved}
    if any(before.get((topic, partition)) != offset for topic, partition, offset, *_ in now.offsets):
        return why | {"moved": True}
    return None
