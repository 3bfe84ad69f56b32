"""Read the state of groups just before they are deleted; runs inside one Spark task.

Rows in: group_id, group_type. Rows out: `SCHEMA`, one per group.
"""

from typing import Any

import pyarrow as pa

from kafka_census.clock import Clock
from kafka_census.deletion.writing.coordinators import Coordinators
from kafka_census.deletion.writing.groups import committed, states

ARROW_OFFSET = pa.struct(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("committed_offset", pa.int64()),
        ("leader_epoch", pa.int32()),
        ("metadata", pa.string()),
    ]
)
"""`tables.deletions.OFFSET` as an Arrow type."""

ARROW_TIME = pa.timestamp("us", tz="UTC")

SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("checked_at", ARROW_TIME),
        ("coordinator", pa.int32()),
        ("group_state", pa.string()),
        ("members", pa.int32()),
        ("state_code", pa.int32()),
        ("state_message", pa.string()),
        ("offsets_code", pa.int32()),
        ("offsets_message", pa.string()),
        ("offsets", pa.list_(ARROW_OFFSET)),
    ]
)


def check(coordinators: Coordinators, groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row of `SCHEMA` for each of the groups."""
    # Offsets last: saved offsets should be as recent as possible.
    found = states(coordinators, [(one["group_id"], one["group_type"] or "classic") for one in groups])
    offsets = committed(coordinators, [one["group_id"] for one in groups])
    now = Clock().now()
    return [
        {
            "group_id": group_id,
            "checked_at": now,
            "coordinator": state.node_id,
            "group_state": state.state,
            "members": state.members,
            "state_code": state.error_code,
            "state_message": state.error_message,
            "offsets_code": offsets[group_id].error_code,
            "offsets_message": offsets[group_id].error_message,
            "offsets": [one._asdict() for one in sorted(offsets[group_id].offsets, key=lambda one: one[:2])],
        }
        for group_id, state in found.items()
    ]
