"""Delete groups that were just checked; runs inside one Spark task.

Rows in: group_id and the offsets that were saved of it. Rows out: `SCHEMA`, one a group. The
offsets are read once more in the moment before: a group whose offsets moved since they were
saved is alive, and is left. What has members the coordinator itself does not delete (68).

Safe to run again, as Spark may: what was deleted by then is 69.
"""

from typing import Any

import pyarrow as pa

from kafka_census.clock import Clock
from kafka_census.writing.check import ARROW_TIME
from kafka_census.writing.coordinators import Coordinators
from kafka_census.writing.delete_groups import DELETE_GROUPS
from kafka_census.writing.groups import Offsets, committed

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


def delete(coordinators: Coordinators, groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row of `SCHEMA` for each of the groups."""
    now = committed(coordinators, [one["group_id"] for one in groups])
    left = {one["group_id"]: _left(now[one["group_id"]], one["offsets"]) for one in groups}
    told = coordinators.ask(DELETE_GROUPS, [group_id for group_id, why in left.items() if why is None])
    at = Clock().now()
    rows = [{"group_id": group_id, "at": at, "sent": False} | why for group_id, why in left.items() if why]
    for group_id, one in told.items():
        rows.append(
            {
                "group_id": group_id,
                "at": at,
                "sent": one.node_id is not None,
                "moved": False,
                "error_code": one.error_code or one.rows[0][1],
                "error_message": one.error_message,
                "coordinator": one.node_id,
                "attempts": one.attempts,
            }
        )
    return rows


def _left(now: Offsets, saved: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Why a group is not to be deleted, as columns; None when it is.

    Offsets that are gone do not keep it: they expired, or an earlier attempt has deleted it.
    """
    if now.error_code:
        return {"moved": False, "error_code": now.error_code, "error_message": now.error_message, "attempts": 0}
    before = {(one["topic"], one["partition"]): one["committed_offset"] for one in saved}
    if any(before.get((topic, partition)) != offset for topic, partition, offset, *_ in now.offsets):
        return {"moved": True, "error_code": 0, "attempts": 0}
    return None
