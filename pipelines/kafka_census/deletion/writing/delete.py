"""Delete groups that were just checked; runs inside one Spark task.

Rows in: group_id, group_type and its saved offsets. Rows out: `SCHEMA`, one per group. Right before
each request the offsets are read once more: a group whose offsets moved since they were saved is in use,
and is not deleted. The coordinator itself refuses to delete a group with members (68).

No request is repeated without that look, and none after an answer was lost: the code is then
ErrorCode.ANSWER_LOST. Groups whose coordinator is loading or moved are tried in another round.

An error is not believed alone. A group with a code of `NOT_DELETED` is described again: if there is no such group
by then, the code is 69, and if that is not known, ANSWER_LOST. After any other code the group may be deleted.
"""

from typing import Any

import pyarrow as pa

from kafka_census.clock import Clock
from kafka_census.deletion.writing.check import ARROW_TIME, check
from kafka_census.deletion.writing.coordinators import RETRIABLE, Coordinators, GroupResponse
from kafka_census.deletion.writing.delete_groups import DELETE_GROUPS
from kafka_census.deletion.writing.groups import GROUP_ID_NOT_FOUND, Offsets, committed
from kafka_census.kafka.error_codes import NOT_DELETED, ErrorCode, error_name

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
    # Groups that an earlier request may have deleted.
    doubtful = set(saved) if coordinators.repeated else set()
    waiting = list(saved)
    for round_no in range(coordinators.rounds):
        if round_no:
            doubtful |= {group_id for group_id in waiting if rows[group_id]["sent"]}
            coordinators.pause(round_no)
        now = committed(coordinators, waiting)
        left = {group_id: _left(now[group_id], saved[group_id]) for group_id in waiting}
        responses = coordinators.ask(DELETE_GROUPS, [group_id for group_id, why in left.items() if why is None])
        for group_id in waiting:
            row = left[group_id] or _answered(responses[group_id])
            attempts = row["attempts"] + rows.get(group_id, row | {"attempts": 0})["attempts"]
            rows[group_id] = row | {"group_id": group_id, "at": Clock().now(), "attempts": attempts}
        waiting = [group_id for group_id in responses if rows[group_id]["error_code"] in RETRIABLE]
        if not waiting:
            break
    rows |= {group_id: _in_doubt(rows[group_id], _EARLIER) for group_id in doubtful}
    refused = [{"group_type": None} | one for one in groups if _is_refused(rows[one["group_id"]])]
    for found in check(coordinators, refused):
        rows[found["group_id"]] = _looked_at(rows[found["group_id"]], found)
    return list(rows.values())


_EARLIER = "an earlier request may have been carried out"


def _answered(response: GroupResponse) -> dict[str, Any]:
    """The outcome of a request, as columns; of several answers for a group, one that says or may mean deleted."""
    code, message = response.error_code, response.error_message
    if not code:
        answers = [(row["error_code"], row["error_message"]) for row in response.rows]
        code, message = next((one for one in answers if one[0] not in NOT_DELETED), answers[0])
    return {
        "sent": bool(response.rows) or code == ErrorCode.ANSWER_LOST,
        "moved": False,
        "error_code": code,
        "error_message": message,
        "coordinator": response.node_id,
        "attempts": response.attempts,
    }


def _is_refused(row: dict[str, Any]) -> bool:
    """Whether the coordinator answered that it did not delete the group."""
    return row["sent"] and row["error_code"] in NOT_DELETED


def _looked_at(row: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The row of a group that its coordinator refused to delete, by what was found of the group afterwards."""
    answered = f"the coordinator answered {error_name(row['error_code'])}"
    if found["state_code"] not in _ABSENT or found["offsets_code"]:
        why = found["state_message"] or found["offsets_message"] or "its error"
        return _in_doubt(row, f"{answered}, and the group could not be looked at since: {why}")
    if found["group_state"] is None and not found["offsets"]:
        text = f"{answered}, and there is no such group since"
        return row | {"error_code": GROUP_ID_NOT_FOUND, "error_message": text}
    return row


def _in_doubt(row: dict[str, Any], why: str) -> dict[str, Any]:
    """The row of a group that a request may have deleted, unless the last answer says so, or leaves it open, too."""
    if row["sent"] and row["error_code"] not in NOT_DELETED:
        return row
    text = f"{why}; then {row['error_message']}" if row["error_message"] else why
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
